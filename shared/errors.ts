// The closed list of error codes, and the two shapes an error takes outside the process that met it.
// Owns: codes, their exit codes. Does not own: wording for a single case (thrown beside the cause).
// Invariant: a code never changes its meaning; codes are added, never renamed (scripts match on them).

/** Every code with its cause and remedy, and the exit code that the command line gives it (SPEC 12). */
export const ERRORS = {
  /** Wrong words on the command line or a malformed message over IPC. Remedy: correct the call. */
  usage: { exit: 2 },
  /** Something failed that no other code describes. Remedy: read the message; report it. */
  failed: { exit: 1 },
  /** The user or a signal ended it. Nothing is half done. */
  cancelled: { exit: 130 },
  /** Git is not on the PATH. Remedy: install git 2.30 or newer. */
  'git-missing': { exit: 3 },
  /** Git is older than 2.30. Remedy: update git. */
  'git-too-old': { exit: 3 },
  /** A git command failed or timed out. The store is unchanged by it. */
  'git-failed': { exit: 1 },
  /** A provider needs a key and there is none. Remedy: Settings, Models, or the key's variable. */
  'key-missing': { exit: 3 },
  /** The provider refused the key. */
  'key-wrong': { exit: 3 },
  /** No provider was chosen where one must be (command line). */
  'provider-missing': { exit: 3 },
  /** The provider id is not known. Remedy: one of the listed ids. */
  'provider-unknown': { exit: 2 },
  /** The model's server cannot be reached. */
  'provider-unreachable': { exit: 3 },
  /** The server asked for a pause (429, 529) longer than we wait. */
  'provider-busy': { exit: 1 },
  /** The server answered with an error or with something that is not its protocol. */
  'provider-failed': { exit: 1 },
  /** The prompt and history do not fit the model. Remedy: compact or rewind. */
  'context-too-long': { exit: 1 },
  /** The model, or a filter of its server, declined to answer. Remedy: rewind, and ask in another way. */
  refused: { exit: 1 },
  /** The answer was cut off; nothing of it ran. */
  'stream-cut': { exit: 1 },
  /** The workspace folder is not there (any more). */
  'workspace-missing': { exit: 5 },
  /** The workspace folder cannot be read or written. */
  'workspace-denied': { exit: 1 },
  /** Home, Desktop, Documents, Downloads, a drive root or Tidemark's own folder. */
  'workspace-protected': { exit: 8 },
  /** Another run or process has held the workspace for longer than the wait. */
  'workspace-busy': { exit: 7 },
  /** No task with that id. */
  'task-unknown': { exit: 5 },
  /** No checkpoint with that id. */
  'checkpoint-unknown': { exit: 5 },
  /** The shortened id fits more than one. */
  'id-ambiguous': { exit: 5 },
  /** The checkpoint could not be saved, so the change that waited for it was not made. */
  'checkpoint-failed': { exit: 8 },
  /** Checkpoints are off for this workspace. */
  'checkpoints-off': { exit: 8 },
  /** The snapshot is missing, damaged or unfinished; nothing was touched. */
  'snapshot-missing': { exit: 8 },
  /** Files stand where a deleted folder was to be brought back; nothing was touched. `paths` names them. */
  'would-overwrite': { exit: 8 },
  /** The store is damaged; it was set aside, nothing was touched. */
  'store-damaged': { exit: 8 },
  /** The log or store was written by a newer version and is read-only here. */
  'too-new': { exit: 8 },
  /** The workspace moved between the plan and its application. Remedy: look at the new list. */
  'plan-stale': { exit: 4 },
  /** Files changed by hand would be overwritten; the user must choose. */
  conflicts: { exit: 4 },
  /** A decision is needed and nobody can be asked. */
  'decision-needed': { exit: 4 },
  /** Writing files failed; they went back as they were. `paths` names them. */
  'restore-failed': { exit: 1 },
  /** The task was rewound, the files were not. */
  'files-not-restored': { exit: 6 },
  /** The engine cannot do this case yet and refuses rather than doing it wrong. */
  unsupported: { exit: 8 },
  /** A path leaves the workspace, is a link out of it, or is protected. */
  'path-refused': { exit: 1 },
  /** A file the tool needs is not there, is a folder, is binary, or does not hold the text. */
  'tool-failed': { exit: 1 },
  /** settings.json cannot be read or written. */
  'settings-failed': { exit: 1 },
  /** The disk is full. */
  'disk-full': { exit: 1 },
  /** No key store on this system, so keys are not saved. */
  'key-store-missing': { exit: 3 },
} as const satisfies Record<string, { exit: number }>;

export type ErrorCode = keyof typeof ERRORS;

/** How an error travels over IPC, in JSON and in events. `paths` are for people (decoded). */
export type ErrorInfo = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly paths?: readonly string[];
};

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ErrorInfo };

/** The only error class that code inside app/ throws on purpose. `message` is a whole sentence for the user. */
export class TidemarkError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly paths: readonly string[] | undefined;
  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; hint?: string; paths?: readonly string[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TidemarkError';
    this.code = code;
    this.hint = options.hint;
    this.paths = options.paths;
  }
}

/** Makes an ErrorInfo of anything thrown. Only the three edges call it (ipc/server, cli, agent/tool-call). */
export function toErrorInfo(thrown: unknown): ErrorInfo {
  if (thrown instanceof TidemarkError) {
    return {
      code: thrown.code,
      message: thrown.message,
      ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
      ...(thrown.paths === undefined ? {} : { paths: thrown.paths }),
    };
  }
  if (isAbort(thrown)) return { code: 'cancelled', message: 'Stopped.' };
  const code = (thrown as { code?: unknown } | null)?.code;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (code === 'ENOSPC')
    return { code: 'disk-full', message: 'The disk is full.', hint: 'Free some space, then try again.' };
  return { code: 'failed', message };
}

/** True for the errors that an AbortSignal causes: cancelling is an outcome, not a failure. */
export function isAbort(thrown: unknown): boolean {
  if (thrown instanceof TidemarkError) return thrown.code === 'cancelled';
  const name = (thrown as { name?: unknown } | null)?.name;
  return name === 'AbortError' || (thrown as { code?: unknown } | null)?.code === 'ABORT_ERR';
}

/** Throws `cancelled` when the signal is aborted. */
export function throwIfAborted(signal: { readonly aborted: boolean }): void {
  if (signal.aborted) throw new TidemarkError('cancelled', 'Stopped.');
}

/** Makes a wrong case of a union a compile error, and a loud one at run time. */
export function assertNever(value: never): never {
  throw new TidemarkError('failed', `Unexpected value: ${JSON.stringify(value)}`);
}

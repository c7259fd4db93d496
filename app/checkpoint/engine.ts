// The checkpoint engine as the rest of the app sees it. Two hosts give this one interface: in-process (the command
// line, tests) and a worker thread (the desktop app). It knows git and files; no task, no agent, no Electron.
// Invariants: reading never needs a hold; everything that writes the store or the workspace is on a Hold;
// nothing here returns a neutral value for a failure (it throws TidemarkError).

import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';

export type Cancel = { readonly signal: AbortSignal };

/** Groups of built-in exclusions that the user can switch (SPEC 4). Secrets are not among them: always left out. */
export type ExclusionGroups = {
  readonly build: boolean;
  readonly media: boolean;
  readonly caches: boolean;
  readonly archives: boolean;
  readonly databases: boolean;
  readonly data: boolean;
};

export type EngineOptions = {
  /** the workspace by its real path */
  readonly workspace: string;
  /** `<home>/checkpoints`; the store is `<first 32 hex of sha256 of the real path's bytes>/.git` in it */
  readonly checkpointsFolder: string;
  readonly groups: ExclusionGroups;
  /** files larger than this many bytes are left out and named */
  readonly maxFileBytes: number;
  /** the git program; default "git" on the PATH */
  readonly gitProgram?: string;
};

/** Octal mode as text: "100644", "100755", any other permission bits too ("100600"); "120000" link; "040700" folder. */
export type ModeText = string;

export type EngineChange = {
  readonly path: RelPath;
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed' | 'type' | 'mode';
  readonly oldPath?: RelPath;
  /** 0..100 */
  readonly similarity?: number;
  readonly oldMode?: ModeText;
  readonly newMode?: ModeText;
  /** lines, null when binary, too large to count, or not asked for */
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
};

/**
 * What a task itself did between two snapshots, in the order it happened. `only` limits it to recorded paths: a turn
 * that only edited through tools owns just these, a change beside them is a hand edit. null: everything that differs.
 */
export type OwnStep = {
  readonly before: SnapshotId;
  readonly after: SnapshotId;
  readonly only: readonly RelPath[] | null;
};

/**
 * Which files a restore may touch (SPEC 6).
 * task: the paths that `steps` changed. workspace: every captured path; `steps` still tell task changes from others.
 * `taskId` names the ref whose chain is searched for the earliest content of a path that the target did not cover.
 */
export type RestoreScope = {
  readonly kind: 'task' | 'workspace';
  readonly taskId: string;
  readonly steps: readonly OwnStep[];
  /** limits it to these paths (`Restore file`, taking a restore back); absent: not limited */
  readonly only?: readonly RelPath[];
  /** leaves these paths, and what lies below them, as they are; they are then in `notCovered` */
  readonly without?: readonly RelPath[];
};

/** How conflicts are settled: not yet, all alike, or path by path. */
export type ConflictChoices = 'mine' | 'checkpoint' | ReadonlyMap<RelPath, 'mine' | 'checkpoint'> | null;

/** One side of a planned change. `oid` is a git blob id; null for folders. */
export type EntryState = { readonly mode: ModeText; readonly oid: string | null };

/** Edited by hand since the task's own last change (`base`), where the restore would change it too. */
export type PlanConflict = {
  readonly path: RelPath;
  readonly reason: string;
  readonly base: EntryState | null;
  readonly mine: EntryState | null;
  /** what the restore would put there */
  readonly theirs: EntryState | null;
};

export type PlanEntry = {
  readonly path: RelPath;
  readonly action: 'revert' | 'bring-back' | 'remove' | 'merge' | 'mode';
  readonly by: 'task' | 'other';
  /** what stands in the workspace now; null: nothing */
  readonly from: EntryState | null;
  /** what will stand there; null: nothing */
  readonly to: EntryState | null;
};

export type RestorePlan = {
  readonly target: SnapshotId;
  readonly scope: RestoreScope;
  readonly entries: readonly PlanEntry[];
  /** changed by hand since the task's own last change, in the lines that the restore would change; not in `entries` */
  readonly conflicts: readonly PlanConflict[];
  /** the conflicts that the choices have settled */
  readonly settled: readonly (PlanConflict & { readonly choice: 'mine' | 'checkpoint' })[];
  /** left alone although the task changed it, with the reason (secret, not covered then, ...) */
  readonly notCovered: readonly { readonly path: RelPath; readonly why: string }[];
  /** changed by hand and kept, by a merge or because the restore does not touch them */
  readonly handEdits: readonly RelPath[];
  /** equal for equal lists of paths, actions, and states */
  readonly fingerprint: string;
};

export type Skipped = { readonly path: RelPath; readonly why: string };

export type CaptureResult = {
  readonly id: SnapshotId;
  /** true when nothing had changed and the task's newest snapshot serves again */
  readonly reused: boolean;
  /** what was left out and why (large, unreadable, socket, keeps changing, ...); ordinary ignored files are not listed */
  readonly skipped: readonly Skipped[];
  readonly ms: number;
};

export type RestoreReceipt = {
  /** the snapshot of the workspace after the restore: the base of later merges */
  readonly after: SnapshotId;
  readonly redo: SnapshotId;
  readonly entries: readonly PlanEntry[];
};

/** A restore that a crash had cut, as the next hold found and settled it. */
export type Settled = {
  readonly outcome: 'finished' | 'undone';
  /** what `apply` was given as note: the task layer's own record of what it meant to log */
  readonly note: string;
  /** null when undone */
  readonly receipt: RestoreReceipt | null;
};

/** How far a restore is, in files: first their contents are laid ready, then they are put in place. */
export type RestoreProgress = {
  readonly phase: 'prepare' | 'move';
  readonly done: number;
  readonly total: number;
};
/** Told now and then, not for every file. */
export type OnProgress = (progress: RestoreProgress) => void;

/** Who a snapshot belongs to. Goes into commit trailers; `taskId` also names the ref `refs/tidemark/t/<taskId>`. */
export type Trailers = { readonly taskId: string; readonly runId: string | null; readonly kind: string };

export type StoreState = { readonly gitVersion: string; readonly bytes: number; readonly snapshots: number };

/** What looking after a store did. gave-way: something else came first; it is to be tried again later. */
export type Maintained = {
  readonly outcome: 'nothing' | 'packed' | 'pruned' | 'gave-way';
  /** of the whole store on disk */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** what was let go still takes space, so the bytes are not the last word */
  readonly garbage: boolean;
};

export interface CheckpointEngine {
  /**
   * Opens or makes the store and brings its stat cache up to date, so that the first capture is quick. Safe to call
   * again. @throws git-missing, git-too-old, store-damaged, workspace-missing, workspace-denied, disk-full
   */
  start(o: Cancel): Promise<StoreState>;
  state(o: Cancel): Promise<StoreState>;
  /** Sorted by path. `counts` adds line counts and renames (slower). @throws snapshot-missing */
  changes(
    from: SnapshotId,
    to: SnapshotId | 'workspace',
    o: Cancel & { readonly counts?: boolean },
  ): Promise<readonly EngineChange[]>;
  /** A file's bytes or a link's target at a snapshot; null: absent there (or a folder). @throws snapshot-missing */
  read(at: SnapshotId, path: RelPath, o: Cancel): Promise<Uint8Array | null>;
  /** The content of one side of a conflict, as a plan has it; null for a folder. @throws snapshot-missing */
  content(state: EntryState, o: Cancel): Promise<Uint8Array | null>;
  /** True when the snapshot and all it needs for reading its trees is there. Never throws for a missing one. */
  has(id: SnapshotId, o: Cancel): Promise<boolean>;
  /** What the snapshot left out, as recorded when it was made. */
  leftOut(id: SnapshotId, o: Cancel): Promise<readonly Skipped[]>;
  /** Looks at the present, changes nothing, keeps no ref. @throws snapshot-missing, unsupported */
  plan(
    target: SnapshotId,
    scope: RestoreScope,
    o: Cancel & { readonly choices?: ConflictChoices },
  ): Promise<RestorePlan>;
  /**
   * Waits for the exclusive right to change this workspace, in this process and across processes. First settles an
   * interrupted restore, which is then in `settled`. @throws workspace-busy after `waitMs`, cancelled
   */
  hold(o: Cancel & { readonly waitMs?: number }): Promise<Hold>;
  /**
   * Looks after the store: puts many packs together, removes what snapshots that were let go leave behind. Runs beside
   * everything else and ends at once when a hold is asked for. Garbage younger than `safeAgeMs` (an hour) stays.
   * @throws cancelled, disk-full, git-failed (a damaged store is left as it is)
   */
  maintain(o: Cancel & { readonly safeAgeMs?: number }): Promise<Maintained>;
  close(): Promise<void>;
}

export interface Hold {
  readonly settled: Settled | null;
  /** Forgets `settled` and its journal; call it once the log has the fact. */
  acknowledge(): Promise<void>;
  /**
   * Saves a snapshot of the workspace. `touched` are paths recorded by tools: captured although ignored or excluded
   * (never secrets). `planned`: the fingerprint of the plan that was made last, under this hold: files that it does not
   * touch are then not compared with the disk once more, so an edit of the moment in between belongs to the next
   * snapshot. All or nothing: on a throw no ref has moved. @throws disk-full, git-failed, store-damaged, ...
   */
  capture(
    o: Cancel & {
      readonly touched?: readonly RelPath[];
      readonly planned?: RestorePlan['fingerprint'];
      readonly trailers: Trailers;
    },
  ): Promise<CaptureResult>;
  /**
   * Keeps the present content of paths that the task's last snapshot does not hold, before a tool writes them.
   * @throws checkpoint-failed with `paths` when a content cannot be kept (not for secrets): then do not write
   */
  protect(paths: readonly RelPath[], o: Cancel & { readonly trailers: Trailers }): Promise<void>;
  /**
   * Carries out a plan against the redo point (a snapshot just captured under this hold). Everything that can be
   * checked is checked before the first byte moves. Journals first; the journal stays until `acknowledge`.
   * @throws plan-stale, conflicts (unsettled ones), snapshot-missing, restore-failed (`paths`: each file that could not
   * be written; all files are back at redo)
   */
  apply(
    plan: RestorePlan,
    o: Cancel & {
      readonly redo: SnapshotId;
      readonly note: string;
      readonly trailers: Trailers;
      readonly progress?: OnProgress;
    },
  ): Promise<RestoreReceipt>;
  /** Drops the ref of a task that is about to be deleted; its snapshots become garbage for a later clean-up. */
  forget(taskId: string): Promise<void>;
  /**
   * Lets go of the task's snapshots before this one, which keeps its id; what only they hold goes with a later clean-up.
   * @throws snapshot-missing when it is none of the task's
   */
  letGoBefore(taskId: string, first: SnapshotId, o: Cancel): Promise<void>;
  release(): Promise<void>;
}

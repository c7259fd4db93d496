// Git processes that stay alive and answer one request after the other: `cat-file --batch` for objects,
// `check-ignore --stdin` and `check-attr --stdin` for rules.
// Owns: their pipes and their end. Invariant: when a process dies, every waiting request fails; none hangs.
import type { ChildProcess } from 'node:child_process';
import type { TidemarkError } from '../../shared/errors';
import { exitFailure, type GitPlace, spawnGit, startFailure } from './git';

export interface GitStream {
  send(bytes: Uint8Array): void;
  /**
   * Takes as many bytes as `measure` says it needs of what has come (-1: not there yet). `atLeast`: do not even look
   * before that many bytes are there (else a large object would be copied once for every chunk of it).
   */
  take(measure: (seen: Buffer) => number, atLeast?: number): Promise<Buffer>;
  /** Ends stdin and waits for the process. */
  close(): Promise<void>;
  readonly dead: boolean;
}

type Waiter = {
  readonly measure: (b: Buffer) => number;
  readonly atLeast: number;
  readonly resolve: (b: Buffer) => void;
  readonly reject: (e: unknown) => void;
};

/** Opens a long-lived git command. `take` calls are answered in the order they were made. */
export function openGitStream(place: GitPlace, args: readonly string[], env?: NodeJS.ProcessEnv): GitStream {
  const child: ChildProcess = spawnGit(place, args, env);
  let chunks: Buffer[] = [];
  let length = 0;
  let said = '';
  let failure: TidemarkError | null = null;
  const waiting: Waiter[] = [];
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));

  const serve = (): void => {
    while (waiting[0] !== undefined && length >= waiting[0].atLeast) {
      const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      chunks = [all];
      const n = waiting[0].measure(all);
      if (n < 0) break;
      chunks = [all.subarray(n)];
      length -= n;
      waiting.shift()?.resolve(all.subarray(0, n));
    }
    if (failure !== null) for (const w of waiting.splice(0)) w.reject(failure);
  };
  child.stdin?.on('error', () => undefined);
  child.stderr?.on('data', (d: Buffer) => {
    if (said.length < 4096) said += d.toString('latin1');
  });
  child.stdout?.on('data', (d: Buffer) => {
    chunks.push(d);
    length += d.length;
    serve();
  });
  child.on('error', (cause) => {
    failure = startFailure(place.program, cause);
    serve();
  });
  child.on('close', (code) => {
    failure ??= exitFailure(args, code, said);
    serve();
  });
  return {
    get dead() {
      return failure !== null;
    },
    send: (bytes) => void child.stdin?.write(bytes),
    take: (measure, atLeast = 1) =>
      new Promise((resolve, reject) => {
        waiting.push({ measure, atLeast, resolve, reject });
        serve();
      }),
    close: async () => {
      child.stdin?.end();
      if (failure === null) await ended;
    },
  };
}

/** A measure for the next `count` NUL-terminated fields. */
export function nulFields(count: number): (seen: Buffer) => number {
  return (seen) => {
    let at = 0;
    for (let i = 0; i < count; i++) {
      const nul = seen.indexOf(0, at);
      if (nul < 0) return -1;
      at = nul + 1;
    }
    return at;
  };
}

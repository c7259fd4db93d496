// Test bench: the engine on a temporary workspace, with the steps that the task layer takes around it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import type { SnapshotId } from '../../shared/ids';
import type { RelPath } from '../../shared/rel-path';
import type {
  CheckpointEngine,
  ConflictChoices,
  EngineOptions,
  Hold,
  OwnStep,
  RestorePlan,
  RestoreReceipt,
  RestoreScope,
} from './engine';
import { openEngine } from './open-engine';

export const ALL_GROUPS = {
  build: true,
  media: true,
  caches: true,
  archives: true,
  databases: true,
  data: true,
};

export type RestoreOptions = { readonly kind?: RestoreScope['kind']; readonly choices?: ConflictChoices };

/** A temporary workspace, as far as the engine is concerned. */
type Places = { readonly root: string; readonly checkpointsFolder: string };

export interface Bench {
  readonly engine: CheckpointEngine;
  readonly cancel: { readonly signal: AbortSignal };
  readonly trailers: { taskId: string; runId: string | null; kind: string };
  capture(touched?: readonly RelPath[]): Promise<SnapshotId>;
  plan(target: SnapshotId, steps: readonly OwnStep[], o?: RestoreOptions): Promise<RestorePlan>;
  restore(
    target: SnapshotId,
    steps: readonly OwnStep[],
    o?: RestoreOptions,
  ): Promise<{ plan: RestorePlan; receipt: RestoreReceipt }>;
  held<T>(work: (hold: Hold) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function optionsOf(w: Places, o: Partial<EngineOptions> = {}): EngineOptions {
  return {
    workspace: w.root,
    checkpointsFolder: w.checkpointsFolder,
    groups: ALL_GROUPS,
    maxFileBytes: 52_428_800,
    ...o,
  };
}

export function openBench(w: Places, o: Partial<EngineOptions> & { taskId?: string } = {}): Bench {
  const { taskId, ...options } = o;
  const engine = openEngine(optionsOf(w, options));
  const cancel = { signal: new AbortController().signal };
  const trailers = { taskId: taskId ?? 't_0123456789ab', runId: null, kind: 'turn' };
  const held = async <T>(work: (hold: Hold) => Promise<T>): Promise<T> => {
    const hold = await engine.hold(cancel);
    try {
      return await work(hold);
    } finally {
      await hold.release();
    }
  };
  const scopeOf = (steps: readonly OwnStep[], r: RestoreOptions): RestoreScope => ({
    kind: r.kind ?? 'task',
    taskId: trailers.taskId,
    steps,
  });
  const plan: Bench['plan'] = (target, steps, r = {}) =>
    engine.plan(target, scopeOf(steps, r), { ...cancel, choices: r.choices ?? null });
  return {
    engine,
    cancel,
    trailers,
    held,
    plan,
    capture: (touched) =>
      held(
        async (h) =>
          (await h.capture({ ...cancel, trailers, ...(touched === undefined ? {} : { touched }) })).id,
      ),
    restore: (target, steps, r = {}) =>
      held(async (h) => {
        const first = await plan(target, steps, r);
        const touched = first.entries.map((e) => e.path);
        const planned = first.fingerprint;
        const redo = await h.capture({
          ...cancel,
          trailers: { ...trailers, kind: 'redo' },
          touched,
          planned,
        });
        const again = await plan(target, steps, r);
        const receipt = await h.apply(again, {
          ...cancel,
          redo: redo.id,
          note: 'note',
          trailers: { ...trailers, kind: 'restored' },
        });
        await h.acknowledge();
        return { plan: again, receipt };
      }),
    close: () => engine.close(),
  };
}

/** Bundles a source of this folder into one file that plain Node runs; its folder is temporary. */
export async function bundle(
  source: string,
  format: 'es' | 'cjs',
): Promise<{ readonly file: string; dispose(): void }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-built-'));
  const name = `built.${format === 'es' ? 'mjs' : 'cjs'}`;
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: {
      ssr: path.join(import.meta.dirname, source),
      outDir: folder,
      target: 'node18',
      rolldownOptions: { output: { format, entryFileNames: name, chunkFileNames: '[name].mjs' } },
    },
  });
  return {
    file: path.join(folder, name),
    dispose: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

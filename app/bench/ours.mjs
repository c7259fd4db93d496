// The engine of the built product, taken through the steps that the task layer takes around it.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../dev/places.mjs';

const BUILT = path.join(root, 'dist/app/engine.cjs');
const GROUPS = { build: true, media: true, caches: true, archives: true, databases: true, data: true };

/**
 * @param {string} workspace
 * @param {string} place where its stores go
 */
export async function openOurs(workspace, place) {
  const { openEngine } = (await import(pathToFileURL(BUILT).href)).default;
  const engine = openEngine({
    workspace,
    checkpointsFolder: path.join(place, 'checkpoints'),
    groups: GROUPS,
    maxFileBytes: 52_428_800,
  });
  const cancel = { signal: new AbortController().signal };
  const trailers = (/** @type {string} */ kind) => ({ taskId: 't_0123456789ab', runId: null, kind });
  let newest = '';

  /** @param {(hold: any) => Promise<any>} work */
  const held = async (work) => {
    const hold = await engine.hold(cancel);
    try {
      return await work(hold);
    } finally {
      await hold.release();
    }
  };
  /** @returns {Promise<string>} */
  const capture = () =>
    held(async (hold) => {
      newest = (await hold.capture({ ...cancel, trailers: trailers('turn') })).id;
      return newest;
    });
  return {
    /** Without the first snapshot, as when a folder is opened. @returns {Promise<void>} */
    warmUp: () => engine.start(cancel),
    start: capture,
    capture,
    /** The list, then both sides of each file. @param {string} from @param {string} to */
    changes: async (from, to) => {
      const changes = await engine.changes(from, to, cancel);
      let bytes = 0;
      for (const change of changes) {
        const sides = [
          await engine.read(from, change.path, cancel),
          await engine.read(to, change.path, cancel),
        ];
        for (const side of sides) bytes += side?.length ?? 0;
      }
      return { files: changes.length, bytes };
    },
    /** The list of what will change, a redo point, the change, the state after it. @param {string} target */
    restore: (target) =>
      held(async (hold) => {
        const scope = {
          kind: 'task',
          taskId: trailers('').taskId,
          steps: [{ before: target, after: newest, only: null }],
        };
        const plan = await engine.plan(target, scope, { ...cancel, choices: null });
        const planned = plan.fingerprint;
        const touched = plan.entries.map((/** @type {{ path: string }} */ e) => e.path);
        const redo = (await hold.capture({ ...cancel, trailers: trailers('redo'), touched, planned })).id;
        await hold.apply(plan, { ...cancel, redo, note: '', trailers: trailers('restored') });
        await hold.acknowledge();
      }),
    close: () => engine.close(),
  };
}

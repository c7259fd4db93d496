// The engine in this process: the command line and tests use it as it is, the desktop app through a worker thread.
// Owns: joining the parts, one look at the workspace at a time, typed errors at its edge.
// Invariant: writing needs a hold (a lock across processes); looks and captures of this process take turns.
import { Mutex } from 'async-mutex';
import { TidemarkError, throwIfAborted } from '../../shared/errors';
import type { SnapshotId } from '../../shared/ids';
import { applyPlan } from './apply';
import { type CaptureContext, capture, protect, warmUp } from './capture';
import { changeOf, withCounts } from './changes';
import { countLines } from './counts';
import type { Cancel, CheckpointEngine, EngineChange, EngineOptions, Hold, StoreState } from './engine';
import { typedError } from './failure';
import { generationOf } from './garbage';
import { type GitPlace, gitText } from './git';
import { probeGit } from './git-cold';
import { removeJournal } from './journal';
import { letGo, letGoBefore } from './let-go';
import { acquireStoreLock } from './lock';
import { folderBytes } from './packs';
import { planRestore } from './plan-input';
import { openScanner, type Scanner, type Seen } from './scan';
import { settle } from './settle';
import { openStore, storeAt } from './shadow-repo';
import { isReadable, openSnapshot } from './snapshot';
import { FOLDER_MODE, lookUp } from './tree';
import { openUpkeep } from './upkeep';
import { differences } from './view';

/** How long a hold waits for another process when the caller does not say. */
const DEFAULT_WAIT_MS = 30_000;

/** So long after the last hold nobody is likely to ask for the next one at once. */
const IDLE_MS = 300;

/** How many snapshots there are. Where one task's are damaged they cannot be counted, and nothing else depends on it. */
async function countSnapshots(place: GitPlace, signal: AbortSignal): Promise<number> {
  try {
    return Number(
      await gitText(place, ['rev-list', '--count', '--all', '--ignore-missing', '--'], { signal }),
    );
  } catch (thrown) {
    if (!(thrown instanceof TidemarkError) || thrown.code !== 'git-failed') throw thrown;
    return 0;
  }
}

/** Opens the engine in this process. Nothing is read or written before a method asks for it. */
export function openEngine(options: EngineOptions): CheckpointEngine {
  const store = storeAt(options);
  const context: CaptureContext & { scanner: Scanner } = { store, scanner: openScanner(store) };
  const turn = new Mutex();
  /** of the store's objects, as this process remembers them */
  let generation = '';
  const upkeep = openUpkeep({
    store,
    turn,
    cache: () => context.scanner.cache,
    moved: (next) => {
      generation = next;
    },
  });
  /** the last plan, with what its look at the workspace found */
  let planned: { readonly fingerprint: string; readonly seen: Seen | null } | null = null;
  let git: string | null = null;
  let started = false;

  const edge = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw typedError(thrown);
    }
  };
  /** Forgets what is known of objects after another process has removed some. */
  const freshen = async (): Promise<void> => {
    const now = generationOf(store);
    if (now === generation) return;
    context.scanner = openScanner(store);
    await store.objects.close();
    generation = now;
  };
  const start = async ({ signal }: Cancel): Promise<void> => {
    git ??= (await probeGit(options.gitProgram)).version;
    await openStore(store, signal);
    if (started) return;
    do {
      await freshen();
    } while (!(await warmUp(context, { signal, stillTrue: () => generationOf(store) === generation })));
    started = true;
  };
  const state = async ({ signal }: Cancel): Promise<StoreState> => {
    git ??= (await probeGit(options.gitProgram)).version;
    return {
      gitVersion: git,
      bytes: folderBytes(store.folder),
      snapshots: await countSnapshots(store.place, signal),
    };
  };
  /** Runs one thing at a time, on an open store. */
  const inTurn = <T>(o: Cancel, work: () => Promise<T>): Promise<T> =>
    edge(() =>
      turn.runExclusive(async () => {
        throwIfAborted(o.signal);
        if (!started) await start(o);
        await freshen();
        return work();
      }),
    );

  const changes = async (
    from: SnapshotId,
    to: SnapshotId | 'workspace',
    o: Cancel & { counts?: boolean },
  ): Promise<EngineChange[]> => {
    const batch = store.objects.batch();
    const a = await openSnapshot(store, from, batch);
    const b =
      to === 'workspace'
        ? await context.scanner.scan({ batch, signal: o.signal })
        : await openSnapshot(store, to, batch);
    const found = await differences(a, b);
    if (o.counts !== true) return [...found].map(([p, d]) => changeOf(p, d));
    const { counts, renames } = await countLines(store, batch, a.root, b.root, o.signal);
    return withCounts(found, counts, renames);
  };

  let idle: NodeJS.Timeout | undefined;
  /** Writes the index when that is due and nobody wants anything: no capture waits for it. */
  const saveSoon = (): void => {
    clearTimeout(idle);
    if (!context.scanner.cache.saveIsDue) return;
    const save = async (): Promise<void> => {
      if (generationOf(store) === generation) context.scanner.cache.save();
    };
    // one that could not be written costs the next start some reading, and is tried again after the next capture
    idle = setTimeout(() => void upkeep.alone(save).catch(() => undefined), IDLE_MS);
    idle.unref();
  };

  const openHold = async (o: Cancel & { waitMs?: number }): Promise<Hold> => {
    upkeep.giveWay();
    const lock = await acquireStoreLock({
      storeFolder: store.folder,
      signal: o.signal,
      waitMs: o.waitMs ?? DEFAULT_WAIT_MS,
    });
    let open = true;
    planned = null;
    const held = <T>(cancel: Cancel, work: () => Promise<T>): Promise<T> => {
      if (!open) throw new TidemarkError('failed', 'The hold was released.');
      return inTurn(cancel, work);
    };
    try {
      const settled = await inTurn(o, () => settle(context, o));
      return {
        settled,
        acknowledge: () => edge(async () => removeJournal(store)),
        capture: (r) =>
          held(r, () => {
            const seen = r.planned !== undefined && planned?.fingerprint === r.planned ? planned.seen : null;
            return capture(context, { ...r, seen });
          }),
        protect: (paths, r) => held(r, () => protect(context, paths, r)),
        apply: (plan, r) => held(r, () => applyPlan(context, plan, r)),
        letGoBefore: (taskId, first, r) => held(r, () => letGoBefore(store, taskId, first, r)),
        forget: (taskId) => edge(() => turn.runExclusive(() => letGo(store, [taskId], o))),
        release: async () => {
          open = false;
          saveSoon();
          // whatever runs under this hold ends before another process may begin
          await turn.runExclusive(() => lock.release());
        },
      };
    } catch (thrown) {
      await lock.release();
      throw thrown;
    }
  };

  return {
    start: (o) =>
      edge(() =>
        turn.runExclusive(async () => {
          await start(o);
          return state(o);
        }),
      ),
    state: (o) => inTurn(o, () => state(o)),
    changes: (from, to, o) => inTurn(o, () => changes(from, to, o)),
    read: (at, p, o) =>
      inTurn(o, async () => {
        const snapshot = await openSnapshot(store, at);
        const entry = await lookUp(snapshot.readTree, snapshot.root, p);
        return entry === null || entry.mode === FOLDER_MODE
          ? null
          : (await store.objects.read(entry.oid)).body;
      }),
    content: (side, o) =>
      inTurn(o, async () => (side.oid === null ? null : (await store.objects.read(side.oid)).body)),
    has: (id, o) => inTurn(o, () => isReadable(store, id, o.signal)),
    leftOut: (id, o) => inTurn(o, async () => (await openSnapshot(store, id)).record.skipped),
    plan: (target, scope, o) =>
      inTurn(o, async () => {
        const plan = await planRestore(context, target, scope, o);
        planned = { fingerprint: plan.fingerprint, seen: context.scanner.seen() };
        return plan;
      }),
    hold: (o) => edge(() => openHold(o)),
    maintain: async (o) => {
      const { gitVersion } = await inTurn(o, () => state(o));
      return edge(() => upkeep.run({ ...o, gitVersion }));
    },
    close: async () => {
      clearTimeout(idle);
      upkeep.giveWay();
      await turn.runExclusive(async () => {
        if (generationOf(store) === generation) context.scanner.cache.save();
        await store.objects.close();
      });
    },
  };
}

export { probeGit } from './git-cold';
export { storeFolderOf } from './shadow-repo';

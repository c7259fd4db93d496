// The tasks of one workspace: opens them, runs them one at a time, stops, compares and restores.
// Owns: running runs and their order. Does not own: the loop (agent), restoring (rewind), the engine's life (checkpoints).
// Invariants: one run at a time changes a workspace; a restore stops the workspace's run first and waits for its end;
// whatever way a run ends, it gets its `run.ended`.
import { setMaxListeners } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { Mutex } from 'async-mutex';
import type {
  ApprovalDecision,
  ApprovalRequest,
  Limit,
  Mode,
  Prompt,
  Question,
  RestoreOutcome,
  RestorePreview,
} from '../../shared/domain';
import { type ErrorInfo, isAbort, TidemarkError, toErrorInfo } from '../../shared/errors';
import { type CheckpointId, newRunId, type RunId, type TaskId } from '../../shared/ids';
import type { PathText } from '../../shared/rel-path';
import type { Settings } from '../../shared/settings';
import { compactCommand } from '../agent/compaction';
import { runAgent } from '../agent/run';
import type { CheckpointEngine, OnProgress } from '../checkpoint/engine';
import { markRunning } from '../log/running';
import type { Provider } from '../provider/provider';
import { RUN_MARK } from '../tool/orphans';
import { toolsFor } from '../tool/registry';
import type { ToolContext } from '../tool/tool';
import { openBackground } from './background';
import type { Checkpoints } from './checkpoints';
import { type ConflictSides, conflictSides } from './conflict-sides';
import { settleInterrupted } from './interrupted';
import { ranInBackground } from './own-steps';
import { pointBefore } from './point-before';
import { randomBytes } from './random';
import { type HunkRequest, restoreHunk } from './restore-hunk';
import { meaningOf, type RestoreRequest } from './restore-request';
import { type RetentionRule, releaseOld, releaseOldest } from './retention';
import { planRestore, restore } from './rewind';
import { openRunGuard, type RunGuard, type UnprotectedChoice } from './run-guard';
import { saveBackground } from './save-background';
import { markCompaction, saveCheckpoint } from './save-checkpoint';
import { type SettleReport, takeHold } from './take-hold';
import type { Task } from './task';

/** What the host (window or command line) answers while a run is going on. */
export type RunHost = {
  /** Shows an approval card and waits. @throws cancelled, decision-needed */
  approve(
    request: ApprovalRequest,
    run: { taskId: TaskId; runId: RunId; signal: AbortSignal },
  ): Promise<ApprovalDecision>;
  /** Shows a question of the agent and waits. @throws cancelled, decision-needed */
  ask(question: Question, run: { taskId: TaskId; signal: AbortSignal }): Promise<string>;
  /** Asks whether a run may go on past a limit. @throws cancelled, decision-needed */
  goOn(limit: Limit, run: { taskId: TaskId; signal: AbortSignal }): Promise<boolean>;
  /** Asks what to do about a failed checkpoint. @throws the error itself when nobody can be asked */
  onFailedCheckpoint(
    error: ErrorInfo,
    thrown: unknown,
    run: { taskId: TaskId; signal: AbortSignal },
  ): Promise<UnprotectedChoice>;
  /** Tells that a restore cut by a crash has been put right. */
  onSettled(report: SettleReport): void;
  /** How long to wait for another process that has the workspace; undefined: without end, visibly. */
  readonly waitMs?: number;
};

export type ServiceOptions = {
  /** real paths of the folders that the agent works in (the home workspace when none is open) */
  readonly roots: readonly string[];
  readonly checkpoints: Checkpoints;
  readonly settings: () => Settings;
  readonly allowAlways: (always: string) => Promise<void>;
  /** the tasks' registry of the runtime: opened once, shared */
  readonly openTask: (id: TaskId) => Promise<Task>;
  readonly toolContext: (
    task: Task,
  ) => Promise<Omit<ToolContext, 'signal' | 'output' | 'ask' | 'startInBackground'>>;
  readonly host: RunHost;
};

export type RunStart = {
  readonly task: Task;
  readonly prompt: Prompt;
  readonly mode: Mode;
  readonly provider: Provider;
  /** the waiting message that this is */
  readonly queueId?: string;
};

/** How a run ended, as its last fact says. */
export type RunEnd = {
  readonly outcome: 'completed' | 'stopped' | 'failed';
  readonly error: ErrorInfo | null;
  readonly text: string;
};

export interface TaskService {
  /** Starts a run; resolves when its `run.started` is in the log. @throws workspace-busy when this task runs already */
  start(o: RunStart): Promise<{ runId: RunId; ended: Promise<RunEnd> }>;
  /** The next try of a run that waits for one is made now. Nothing happens when none waits. */
  retryNow(taskId: TaskId): void;
  /** Ends a run and waits for its last fact. Nothing happens when none runs. */
  stop(taskId: TaskId): Promise<void>;
  running(): readonly { taskId: TaskId; runId: RunId }[];
  /** Ends a background command. Nothing happens when it has ended. */
  stopBackground(taskId: TaskId, backgroundId: string): Promise<void>;
  /** The end of what it has printed; null when it does not run. */
  backgroundOutput(backgroundId: string): string | null;
  /** True when something of this workspace runs that closing would end. */
  busy(): boolean;
  saveNamed(task: Task, name: string): Promise<CheckpointId | null>;
  plan(task: Task, request: RestoreRequest): Promise<RestorePreview>;
  restore(
    task: Task,
    request: RestoreRequest & {
      readonly fingerprint: string | null;
      readonly signal?: AbortSignal;
      readonly progress?: OnProgress;
    },
  ): Promise<RestoreOutcome>;
  /** The three sides of one conflict of a restore. @throws usage when there is no conflict there (any more) */
  sides(task: Task, request: RestoreRequest, path: PathText): Promise<ConflictSides>;
  /** Where to go back to so that a sent message is cleared; makes that point where there is none. */
  pointBefore(task: Task, runId: RunId): Promise<{ checkpointId: CheckpointId; files: boolean }>;
  /** Takes back one hunk of a comparison; undone like any restore. @throws what restoreHunk throws; checkpoints-off */
  revertHunk(task: Task, request: HunkRequest): Promise<RestoreOutcome>;
  /** The engine for comparing. @throws checkpoints-off */
  engine(): Promise<CheckpointEngine>;
  /**
   * Keeps the store within its days and its size, and looks after it: for a quiet moment, and without waiting for
   * anybody. `old`: the tasks in which something may be past its days.
   * @throws workspace-busy, cancelled, and what releasing and maintaining throw; what is not done is done next time
   */
  retain(o: {
    readonly tasks: readonly TaskId[];
    readonly old: readonly TaskId[];
    readonly rule: RetentionRule;
    readonly signal: AbortSignal;
  }): Promise<void>;
  /** Gives up the snapshots of a task that is about to be deleted. */
  forget(taskId: TaskId): Promise<void>;
  /**
   * Settles what a crash has left: restores, and runs of these tasks that have no end. `unprotected`: where checkpoints
   * cannot be had, the runs get their ends all the same, and what they did last stays unsaved.
   * @throws what checkpoints cannot be had for; workspace-busy in any case
   */
  settle(tasks: readonly TaskId[], o?: { readonly unprotected: boolean }): Promise<void>;
  close(): Promise<void>;
}

type Running = {
  readonly task: Task;
  readonly runId: RunId;
  readonly controller: AbortController;
  /** those who wait for the next try */
  readonly retries: Set<() => void>;
  guard: RunGuard | null;
  ended: Promise<RunEnd>;
};

/** A person who restores waits this long for another process before they are told who has the folder. */
const RESTORE_WAIT_MS = 30_000;
/** So often the size is looked at again in one quiet moment; the next one goes on. */
const RETENTION_ROUNDS = 8;

export function openTaskService(o: ServiceOptions): TaskService {
  const running = new Map<TaskId, Running>();
  const oneRun = new Mutex();
  const restores = new Mutex();
  const background = openBackground(saveEnded);
  const life = new AbortController();
  setMaxListeners(0, life.signal); // as many as there are looks at the same time

  const holdOptions = {
    ...(o.host.waitMs === undefined ? {} : { waitMs: o.host.waitMs }),
    taskById: (id: TaskId) => o.openTask(id).catch(() => null),
    onSettled: o.host.onSettled,
  };

  async function start(r: RunStart): Promise<{ runId: RunId; ended: Promise<RunEnd> }> {
    const { task } = r;
    if (running.has(task.id)) {
      throw new TidemarkError('workspace-busy', 'This task is already running.', {
        hint: 'Stop it, or wait for its end.',
      });
    }
    if (r.mode !== 'ask') await Promise.all(o.roots.map(needWritable));
    const runId = newRunId(randomBytes);
    const me: Running = {
      task,
      runId,
      controller: new AbortController(),
      retries: new Set(),
      guard: null,
      ended: never,
    };
    running.set(task.id, me);
    try {
      await task.append({
        type: 'run.started',
        runId,
        mode: r.mode,
        prompt: r.prompt,
        provider: r.provider.id,
        model: r.provider.model,
        ...(r.queueId === undefined ? {} : { queueId: r.queueId }),
      });
    } catch (error) {
      running.delete(task.id);
      throw error;
    }
    me.ended = play(me, r).finally(() => running.delete(task.id));
    me.ended.catch(() => undefined); // the caller may look at it; a failing log is shown by the next append
    return { runId, ended: me.ended };
  }

  async function play(me: Running, r: RunStart): Promise<RunEnd> {
    const { task, runId } = me;
    const { signal } = me.controller;
    const mark = await markRunning(task.folder);
    let release: (() => void) | null = null;
    let end: RunEnd;
    try {
      // /compact changes no file.
      if (r.mode !== 'ask' && compactCommand(r.prompt.text) === null) {
        release = await waitTurn(me);
        me.guard = openRunGuard({
          ...holdOptions,
          task,
          runId,
          checkpoints: o.checkpoints,
          signal,
          onFailed: (error, thrown) => o.host.onFailedCheckpoint(error, thrown, { taskId: task.id, signal }),
          onWaiting: (waiting) => task.delta({ type: 'delta.waiting', taskId: task.id, runId, waiting }),
        });
      }
      end = await runAgent(
        { view: task.view(), mode: r.mode, limits: o.settings().limits },
        await portsOf(me, r),
      );
    } catch (error) {
      end = {
        outcome: isAbort(error) ? 'stopped' : 'failed',
        error: isAbort(error) ? null : toErrorInfo(error),
        text: '',
      };
    }
    try {
      await me.guard?.close();
    } finally {
      await task.append({
        type: 'run.ended',
        runId,
        outcome: end.outcome,
        error: end.error,
      });
      release?.();
      await mark.release();
    }
    return end;
  }

  /** Another task's run in this workspace goes first; the wait is shown and can be stopped. */
  async function waitTurn(me: Running): Promise<() => void> {
    const { signal } = me.controller;
    if (oneRun.isLocked()) {
      const others = [...running.values()].filter((x) => x !== me);
      const other = (others.find((x) => x.guard !== null) ?? others[0])?.task;
      me.task.delta({
        type: 'delta.waiting',
        taskId: me.task.id,
        runId: me.runId,
        waiting: `Waiting for “${other?.view().title ?? 'another task'}” in this folder`,
        ...(other === undefined ? {} : { waitsFor: other.id }),
      });
    }
    const turn = oneRun.acquire();
    const release = await new Promise<() => void>((resolve, reject) => {
      const abort = (): void => {
        turn.then((free) => free());
        reject(new TidemarkError('cancelled', 'Stopped.'));
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      turn.then((free) => {
        signal.removeEventListener('abort', abort);
        resolve(free);
      }, reject);
    });
    me.task.delta({ type: 'delta.waiting', taskId: me.task.id, runId: me.runId, waiting: null });
    return release;
  }

  async function portsOf(me: Running, r: RunStart): Promise<Parameters<typeof runAgent>[1]> {
    const { task, runId, guard } = me;
    const { signal } = me.controller;
    const context = await o.toolContext(task);
    const env = { ...context.commandEnv, [RUN_MARK]: runId };
    const { outputsFolder } = context;
    return {
      taskId: task.id,
      runId,
      signal,
      provider: r.provider,
      tools: toolsFor(r.mode),
      toolContext: { ...context, commandEnv: env },
      startInBackground: (callId, start) =>
        background.start({ ...start, task, runId, callId, env, outputsFolder, signal }),
      approvalSettings: () => o.settings().approval,
      beforeChange: async () => guard?.beforeChange(),
      protect: async (paths) => guard?.protect(paths),
      turnEnded: async (turn) => guard?.turnEnded(turn),
      completed: async () => guard?.completed(),
      approve: (request) => o.host.approve(request, { taskId: task.id, runId, signal }),
      ask: (question) => o.host.ask(question, { taskId: task.id, signal }),
      goOn: (limit) => o.host.goOn(limit, { taskId: task.id, signal }),
      compactionPoint: () => markCompaction(task, runId),
      onRetryNow: (go) => {
        me.retries.add(go);
        return () => me.retries.delete(go);
      },
      allowAlways: o.allowAlways,
      emit: async (fact) => {
        await task.append(fact);
      },
      delta: (delta) => task.delta(delta),
    };
  }

  async function stop(taskId: TaskId): Promise<void> {
    const me = running.get(taskId);
    if (me === undefined) return;
    me.controller.abort();
    await background.stop((b) => b.runId === me.runId);
    await me.ended.catch(() => undefined); // its failure is in its own last fact
    await background.stop((b) => b.runId === me.runId); // one may have been on its way
  }

  async function stopAll(): Promise<void> {
    await Promise.all([...running.keys()].map(stop));
  }

  /** What a background command did is saved at its end, unless a run is there that will do so. */
  async function saveEnded(task: Task): Promise<void> {
    if (running.size > 0 || !ranInBackground(task.view())) return;
    // A folder that cannot be had now is no reason to wait: the next checkpoint of the task has it.
    await withHold(life.signal, (place) => saveBackground(task, place, life.signal)).catch(() => null);
  }

  async function withHold<T>(
    signal: AbortSignal,
    use: (place: { engine: CheckpointEngine; hold: Awaited<ReturnType<typeof takeHold>> }) => Promise<T>,
    wait: { readonly waitMs: number } = { waitMs: RESTORE_WAIT_MS },
  ): Promise<T | null> {
    const engine = await o.checkpoints.engine(signal);
    if (engine === null) return null;
    const hold = await takeHold(engine, { ...wait, ...holdOptions, signal });
    try {
      return await use({ engine, hold });
    } finally {
      await hold.release();
    }
  }

  return {
    start,
    stop,
    stopBackground: (taskId, id) => background.stop((b) => b.taskId === taskId && b.backgroundId === id),
    backgroundOutput: (id) => background.output(id),
    busy: () => running.size > 0 || background.living().length > 0,
    retryNow: (taskId) => {
      for (const go of running.get(taskId)?.retries ?? []) go();
    },
    running: () => [...running.values()].map((r) => ({ taskId: r.task.id, runId: r.runId })),

    async saveNamed(task, name) {
      const me = running.get(task.id);
      if (me?.guard) {
        me.guard.saveNamed(name); // at the end of the current turn
        return null;
      }
      const saved = await withHold(life.signal, ({ engine, hold }) =>
        saveCheckpoint(engine, hold, {
          task,
          kind: 'manual',
          runId: null,
          name,
          own: 'user',
          signal: life.signal,
        }),
      );
      if (saved === null) throw checkpointsOff();
      o.checkpoints.saved(saved.ms);
      return saved.checkpointId;
    },

    async plan(task, request) {
      const needsFiles = meaningOf(task.view(), request).files !== null;
      if (needsFiles) await Promise.all(o.roots.map(needFolder));
      if (needsFiles) await saveEnded(task); // what a command still does is not taken for an edit by hand
      const engine = needsFiles ? await o.checkpoints.engine(life.signal) : null;
      return planRestore(task, engine, request, life.signal);
    },

    async sides(task, request, path) {
      const engine = await o.checkpoints.engine(life.signal);
      return conflictSides(task, engine, request, path, o.roots[0] ?? '', life.signal);
    },

    pointBefore: (task, runId) => restores.runExclusive(() => pointBefore(task, runId)),

    restore: (task, request) =>
      restores.runExclusive(async () => {
        const signal = request.signal ?? life.signal;
        await task.refresh();
        const needsFiles = meaningOf(task.view(), request).files !== null;
        if (needsFiles) await Promise.all(o.roots.map(needFolder));
        // The task's own run in any case; for files whatever run changes this folder.
        if (needsFiles) await stopAll();
        else await stop(task.id);
        // Nothing that a command still writes may land after the restore.
        await background.stop((b) => needsFiles || b.taskId === task.id);
        const options = { ...request, signal };
        if (!needsFiles) return restore(task, null, options);
        const done = await withHold(signal, async (place) => {
          await saveBackground(task, place, signal);
          return restore(task, place, options);
        });
        if (done === null) return restore(task, null, options); // says that checkpoints are off
        return done;
      }),

    revertHunk: (task, request) =>
      restores.runExclusive(async () => {
        const [root = ''] = o.roots;
        await needFolder(root);
        await stopAll();
        const done = await withHold(life.signal, (place) =>
          restoreHunk(task, { ...place, root }, request, life.signal),
        );
        if (done === null) throw checkpointsOff();
        return done;
      }),

    async engine() {
      const engine = await o.checkpoints.engine(life.signal);
      if (engine === null) throw checkpointsOff();
      return engine;
    },

    async retain({ tasks, old, rule, signal }) {
      const open = (ids: readonly TaskId[]): Promise<Task[]> => Promise.all(ids.map(o.openTask));
      const now = { signal, waitMs: 0 };
      if (old.length > 0) {
        const those = await open(old);
        await withHold(signal, (place) => releaseOld(those, place, rule, signal), now);
      }
      for (let again = true, round = 0; again && round < RETENTION_ROUNDS; round++) {
        const engine = await o.checkpoints.engine(signal);
        const done = await engine?.maintain({ signal });
        // as long as what was let go before takes its space, nobody knows whether more has to go
        again = done !== undefined && !done.garbage && done.bytesAfter > rule.capBytes;
        if (!again) break;
        const all = await open(tasks);
        again = (await withHold(signal, (place) => releaseOldest(all, place, signal), now)) === true;
      }
    },

    async forget(taskId) {
      await background.stop((b) => b.taskId === taskId);
      await withHold(life.signal, ({ hold }) => hold.forget(taskId));
    },

    async settle(tasks, { unprotected } = { unprotected: false }) {
      const settleAll = async (place: Parameters<typeof settleInterrupted>[1]): Promise<void> => {
        for (const id of tasks) {
          if (!running.has(id)) await settleInterrupted(await o.openTask(id), place, life.signal);
        }
      };
      const done = await withHold(life.signal, async (place) => {
        await settleAll(place);
        return true;
      }).catch((error: unknown) => {
        const isBusy = error instanceof TidemarkError && error.code === 'workspace-busy';
        if (!unprotected || isBusy || isAbort(error)) throw error;
        return null;
      });
      if (done === null) await settleAll(null);
    },

    async close() {
      await stopAll();
      await background.stop(() => true);
      life.abort();
    },
  };
}

const checkpointsOff = (): TidemarkError =>
  new TidemarkError('checkpoints-off', 'Checkpoints are off for this folder.');

/** @throws workspace-missing */
async function needFolder(root: string): Promise<void> {
  try {
    await access(root, constants.F_OK);
  } catch (error) {
    throw new TidemarkError('workspace-missing', `The folder ${root} is not there any more.`, {
      cause: error,
      hint: 'If it was moved, open it where it is now. Its checkpoints are kept.',
    });
  }
}

/** @throws workspace-missing, workspace-denied: said before the agent begins, not by its first failing tool */
async function needWritable(root: string): Promise<void> {
  await needFolder(root);
  try {
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new TidemarkError('workspace-denied', `The folder ${root} cannot be written.`, {
      cause: error,
      hint: 'Change its permissions, or ask in Ask mode, which only reads. Nothing was changed.',
    });
  }
}

/** Stands in until `play` has begun; never awaited before. */
const never: Promise<RunEnd> = new Promise(() => undefined);

// Runs the calls of one answer and saves the turn.
// Owns: which calls run, in what order, which side by side; that a turn which changed something is saved, also when
// it was stopped or failed. Does not own: a single call (tool-call.ts), the model.
import { completeTaskTool } from '../tool/complete-task';
import type { Tool } from '../tool/tool';
import type { Answer } from './answer';
import type { PlayedAnswer } from './context';
import type { RunPorts } from './ports';
import { type CallResult, type CheckedCall, checkCall, finishCall, notRun, playCall } from './tool-call';

export type PlayedTurn = {
  readonly answer: PlayedAnswer;
  /** nothing ran because the answer was not whole or not valid */
  readonly unusable: boolean;
  /** the result that the agent declared, or null */
  readonly declared: string | null;
};

const CUT = 'The answer was cut off, so none of its calls was carried out.';
const LENGTH = 'The answer reached its length limit, so none of its calls was carried out. Make it shorter.';
const OTHERS_INVALID = 'Another call of this answer was not valid, so none of them was carried out.';
const NOT_YET = 'Another call of this answer did not succeed. Look at its result first.';
const STOPPED = 'Stopped before it was carried out.';

/** @throws what a port throws, and cancelled when the run was stopped; the turn is saved before */
export async function playTurn(answer: Answer, ports: RunPorts): Promise<PlayedTurn> {
  const calls = answer.calls.map((call) => checkCall(call, ports.tools));
  const results = new Map<string, CallResult>();
  const refused = refusals(answer, calls);
  if (refused === null) await playCalls(calls, results, ports);
  else {
    for (const [index, call] of calls.entries()) {
      const result = refused[index] ?? notRun('error', CUT);
      results.set(call.callId, await finishCall(call.callId, result, ports));
    }
  }
  const completion = [...results.values()].find((r) => r.display.kind === 'completion' && r.outcome === 'ok');
  return {
    answer: {
      text: answer.text,
      thinking: answer.thinking,
      finish: answer.finish,
      calls: answer.calls.map(({ callId, tool, input }) => {
        const result = results.get(callId);
        return {
          callId,
          tool,
          input,
          result: { text: result?.text ?? STOPPED, ok: result?.outcome === 'ok' },
        };
      }),
    },
    unusable: refused !== null,
    declared: completion?.display.kind === 'completion' ? completion.display.result : null,
  };
}

/** The results of an answer of which nothing may run, or null when its calls may. */
function refusals(answer: Answer, calls: readonly CheckedCall[]): readonly CallResult[] | null {
  switch (answer.finish) {
    case 'stopped':
      return calls.map(() => notRun('cancelled', STOPPED));
    case 'cut':
      return calls.map(() => notRun('error', CUT));
    case 'length':
      return calls.map(() => notRun('error', LENGTH));
    default:
      if (calls.every((call) => call.problem === null)) return null;
      return calls.map((call) => notRun('error', call.problem ?? OTHERS_INVALID));
  }
}

async function playCalls(
  calls: readonly CheckedCall[],
  results: Map<string, CallResult>,
  ports: RunPorts,
): Promise<void> {
  try {
    for (const group of groupCalls(calls, ports)) {
      if (ports.signal.aborted) break;
      const played = await Promise.allSettled(group.map((call) => playOne(call, results, ports)));
      const broken = played.find((p) => p.status === 'rejected');
      if (broken?.status === 'rejected') throw broken.reason;
    }
  } finally {
    for (const call of calls) {
      if (results.has(call.callId)) continue;
      results.set(call.callId, await finishCall(call.callId, notRun('cancelled', STOPPED), ports));
    }
    await saveTurn(calls, results, ports);
  }
}

async function playOne(call: CheckedCall, results: Map<string, CallResult>, ports: RunPorts): Promise<void> {
  if (isDeclaration(call) && [...results.values()].some((r) => r.outcome !== 'ok')) {
    results.set(call.callId, await finishCall(call.callId, notRun('error', NOT_YET), ports));
    return;
  }
  await playCall(call, ports, (result) => results.set(call.callId, result));
}

const isDeclaration = (call: CheckedCall): boolean => call.tool?.name === completeTaskTool.name;

/** Neighbouring calls that only read run side by side; declaring the task done comes after all others. */
function groupCalls(calls: readonly CheckedCall[], ports: RunPorts): readonly (readonly CheckedCall[])[] {
  const groups: CheckedCall[][] = [];
  const ordered = [...calls.filter((c) => !isDeclaration(c)), ...calls.filter(isDeclaration)];
  for (const call of ordered) {
    const last = groups.at(-1);
    // Calls that have to be asked for come one after the other, so that one card is open at a time.
    const free = ports.approvalSettings().auto.read;
    if (last !== undefined && free && reads(call.tool) && last.every((c) => reads(c.tool))) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

const reads = (tool: Tool | null): boolean => tool?.effect === 'read';

async function saveTurn(
  calls: readonly CheckedCall[],
  results: ReadonlyMap<string, CallResult>,
  ports: RunPorts,
): Promise<void> {
  const started = calls.filter((call) => results.get(call.callId)?.started);
  const changing = started.filter((call) => call.tool?.effect === 'edit' || call.tool?.effect === 'run');
  if (changing.length === 0) return;
  await ports.turnEnded({
    touched: [...new Set(changing.flatMap((call) => results.get(call.callId)?.touched ?? []))],
    ranCommand: changing.some((call) => call.tool?.effect === 'run'),
  });
}

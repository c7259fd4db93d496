// One call from its arguments to its result: look, decide, ask, protect, run.
// Owns: the order of these steps, and turning a tool's errors into text for the model (one of the three edges).
// Does not own: which calls of an answer run, and when (turn.ts).
// Invariant: every call that is played ends in exactly one tool.finished. Errors of a port are thrown on, after it:
// a checkpoint or log that fails ends the run, not the call alone.
import { prettifyError } from 'zod';
import type { ApprovalDecision, Question, ToolDisplay } from '../../shared/domain';
import { throwIfAborted, toErrorInfo } from '../../shared/errors';
import type { FactOf } from '../../shared/events';
import { type RelPath, relPathToText } from '../../shared/rel-path';
import { decide } from '../approval/policy';
import type { Tool, ToolContext, ToolOutcome, ToolPreview } from '../tool/tool';
import type { AnsweredCall } from './answer';
import type { RunPorts } from './ports';

/** A call whose arguments were looked at. `problem`: why it cannot run. */
export type CheckedCall = {
  readonly callId: string;
  readonly tool: Tool | null;
  readonly name: string;
  readonly input: unknown;
  readonly problem: string | null;
};

export type CallResult = {
  readonly outcome: FactOf<'tool.finished'>['outcome'];
  readonly text: string;
  readonly display: ToolDisplay;
  readonly touched: readonly RelPath[];
  /** the tool began, so that something may have changed */
  readonly started: boolean;
};

export function checkCall(call: AnsweredCall, tools: readonly Tool[]): CheckedCall {
  const tool = tools.find((t) => t.name === call.tool) ?? null;
  const base = { callId: call.callId, name: call.tool, tool };
  if (call.error !== null) return { ...base, input: null, problem: call.error };
  if (tool === null) return { ...base, input: null, problem: null };
  const parsed = tool.schema.safeParse(withoutNulls(call.input));
  if (parsed.success) return { ...base, input: parsed.data, problem: null };
  return { ...base, input: null, problem: `The arguments are not valid:\n${prettifyError(parsed.error)}` };
}

/** Some models send null for what they leave out. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

export const notRun = (outcome: CallResult['outcome'], text: string): CallResult => ({
  outcome,
  text,
  display: { kind: 'none' },
  touched: [],
  started: false,
});

export async function finishCall(callId: string, result: CallResult, ports: RunPorts): Promise<CallResult> {
  await ports.emit({
    type: 'tool.finished',
    runId: ports.runId,
    callId,
    outcome: result.outcome,
    text: result.text,
    display: result.display,
    touched: result.touched.map(relPathToText),
  });
  return result;
}

/** Plays a call; `record` gets its result before the log does. @throws what a port throws */
export async function playCall(
  call: CheckedCall,
  ports: RunPorts,
  record: (result: CallResult) => void,
): Promise<void> {
  const { tool } = call;
  const finish = (result: CallResult) => {
    record(result);
    return finishCall(call.callId, result, ports);
  };
  if (tool === null) {
    const names = ports.tools.map((t) => t.name).join(', ');
    await finish(notRun('error', `There is no tool "${call.name}" here. The tools are: ${names}.`));
    return;
  }
  let result: CallResult;
  try {
    result = await attempt({ ...call, tool }, ports);
  } catch (error) {
    const stopped = ports.signal.aborted;
    const text = stopped ? 'Stopped before it was carried out.' : toErrorInfo(error).message;
    await finish(notRun(stopped ? 'cancelled' : 'error', text));
    throw error;
  }
  await finish(result);
}

type RunnableCall = CheckedCall & { readonly tool: Tool };

async function attempt(call: RunnableCall, ports: RunPorts): Promise<CallResult> {
  const { tool, input, callId } = call;
  throwIfAborted(ports.signal);
  const context: ToolContext = {
    ...ports.toolContext,
    signal: ports.signal,
    output: (text) =>
      ports.delta({ type: 'delta.output', taskId: ports.taskId, runId: ports.runId, callId, text }),
    startInBackground: (start) => ports.startInBackground(callId, start),
    ask: (question, choices) => ask({ callId, question, choices: [...choices] }, ports),
  };
  let preview = await settle(() => tool.preview(input, context));
  if (!preview.ok) return notRun('error', preview.text);
  const asked = await approve(call, preview.value, ports);
  if (asked.kind === 'refused') return notRun('rejected', asked.text);
  if (asked.kind === 'approved') {
    // A person may take long: what was approved has to be what is changed now.
    const before = preview.value.paths.join('\0');
    preview = await settle(() => tool.preview(input, context));
    if (!preview.ok) return notRun('error', preview.text);
    if (preview.value.paths.join('\0') !== before)
      return notRun('error', 'The files moved while the approval was awaited. Nothing was done; try again.');
  }
  if (tool.effect === 'edit' || tool.effect === 'run') {
    await ports.beforeChange();
    if (preview.value.paths.length > 0) await ports.protect(preview.value.paths);
    throwIfAborted(ports.signal);
  }
  await ports.emit({ type: 'tool.started', runId: ports.runId, callId });
  const ran = await settle(() => tool.run(input, context));
  return ran.ok ? resultOf(ran.value, ports.signal) : brokenOff(ran.text, preview.value, ports.signal);
}

function resultOf(done: ToolOutcome, signal: AbortSignal): CallResult {
  const outcome = done.ok ? 'ok' : signal.aborted ? 'cancelled' : 'error';
  return { outcome, text: done.text, display: done.display, touched: done.touched, started: true };
}

/** It threw in the middle: any of its paths may be changed. */
function brokenOff(text: string, preview: ToolPreview, signal: AbortSignal): CallResult {
  return {
    outcome: signal.aborted ? 'cancelled' : 'error',
    text,
    display: { kind: 'none' },
    touched: preview.paths,
    started: true,
  };
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly text: string };

async function settle<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const { message, hint } = toErrorInfo(error);
    return { ok: false, text: hint === undefined ? message : `${message} ${hint}` };
  }
}

type Approval = { readonly kind: 'free' | 'approved' } | { readonly kind: 'refused'; readonly text: string };

async function approve(call: RunnableCall, preview: ToolPreview, ports: RunPorts): Promise<Approval> {
  const { tool, callId } = call;
  if (tool.category === 'control') return { kind: 'free' };
  const verdict = decide(
    {
      category: tool.category,
      effect: tool.effect,
      command: preview.detailKind === 'command' ? preview.detail : null,
      guarded: preview.guarded,
      shell: process.platform === 'win32' ? 'cmd' : 'sh',
    },
    ports.approvalSettings(),
  );
  if (verdict.decision === 'allow') return { kind: 'free' };
  if (verdict.decision === 'deny') return { kind: 'refused', text: `It was refused: ${verdict.reason}` };
  const request = {
    callId,
    tool: tool.name,
    category: tool.category,
    title: preview.title,
    detail: preview.detail,
    detailKind: preview.detailKind,
    flag: verdict.flag,
    always: verdict.always,
    irreversible: verdict.irreversible,
  };
  await ports.emit({ type: 'approval.asked', runId: ports.runId, request });
  const given = await ports.approve(request);
  await ports.emit({ type: 'approval.given', runId: ports.runId, callId, ...given });
  if (given.decision === 'reject') return { kind: 'refused', text: rejection(given) };
  if (given.decision === 'always' && verdict.always !== null) await ports.allowAlways(verdict.always);
  return { kind: 'approved' };
}

async function ask(question: Question, ports: RunPorts): Promise<string> {
  const { runId } = ports;
  await ports.emit({ type: 'question.asked', runId, question });
  const answer = await ports.ask(question);
  await ports.emit({ type: 'question.answered', runId, callId: question.callId, answer });
  return answer;
}

function rejection({ reason }: ApprovalDecision): string {
  const why = reason === null || reason.trim() === '' ? '' : ` The reason given: ${reason.trim()}`;
  return `The user rejected this call; it was not carried out.${why}`;
}

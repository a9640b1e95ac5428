import { groupBy } from '../content/group-by.js';
import { type Call, pairCalls } from '../facts/call.js';
import type { AttemptContinued, AttemptSuspended, CallEnded, CallSettled, Fact } from '../facts/fact.js';
import type { AroundAttempt, RecordedAttempt } from './recorded-attempt.js';
import { type AgentTurn, type Task, TurnDraft } from './turn-draft.js';

// A subject has answered when the last of its calls has ended. The events of a turn have the time of the call whose end
// led to them.

/**
 * The agent turns of an attempt, in the order in which they began: a fold of its facts, of which nothing is stored.
 * Turns, boxes and cards have ids that follow from the attempt and the agent.
 * @param facts none of an attempt that is unknown
 */
export function agentTurnsOf(facts: readonly Fact[], around: AroundAttempt): readonly AgentTurn[] {
  const [began] = facts;
  if (began?.kind !== 'attempt_began') return [];
  const ended = facts.find((fact) => fact.kind === 'turn_committed' || fact.kind === 'attempt_failed');
  const fold = openFold({ ...around, began, calls: pairCalls(facts), ...(ended === undefined ? {} : { ended }) });
  for (const fact of facts) foldFact(fold, fact);
  return [...fold.turns.values()].map((turn) => turn.toTurn());
}

interface Fold {
  readonly attempt: RecordedAttempt;
  readonly calls: ReadonlyMap<string, Call>;
  /** The last performance of each command. */
  readonly last: ReadonlyMap<string, Call>;
  /** The turns that have begun, by agent. */
  readonly turns: Map<string, TurnDraft>;
  /** Commands that have begun, by key. */
  readonly begun: Set<string>;
  /** Calls that are answered later. */
  readonly pending: Set<string>;
  /** The calls of each subject that are not superseded, in their order. */
  readonly own: ReadonlyMap<string | null, readonly Call[]>;
  /** When the last call of each subject ended. */
  readonly worked_until: Map<string, string>;
  /** When the last call ended. */
  last_ended_at: string;
  take_overs: number;
}

function openFold(attempt: RecordedAttempt): Fold {
  const { calls, began } = attempt;
  return {
    attempt,
    calls: new Map(calls.map((call) => [call.start.source_invocation_id, call])),
    last: new Map(calls.map((call) => [call.start.command_key, call])),
    own: groupBy(
      calls.filter(({ is_superseded }) => !is_superseded),
      ({ start }) => start.subject_id,
    ),
    turns: new Map(),
    begun: new Set(),
    pending: new Set(),
    worked_until: new Map(),
    last_ended_at: began.at,
    take_overs: 0,
  };
}

function foldFact(fold: Fold, fact: Fact): void {
  switch (fact.kind) {
    case 'attempt_suspended':
      return suspend(fold, fact);
    case 'attempt_continued':
      return takeOver(fold, fact);
    case 'turn_committed':
    case 'attempt_failed':
      return endTurns(fold, fact.at);
    default:
      if ('source_invocation_id' in fact) foldCall(fold, fact, fold.calls.get(fact.source_invocation_id));
  }
}

function foldCall(fold: Fold, fact: Extract<Fact, { kind: `call_${string}` }>, call: Call | undefined): void {
  if (call === undefined) return;
  if (fact.kind === 'call_started') beginCall(fold, call);
  if (fact.kind === 'call_pended') fold.pending.add(fact.source_invocation_id);
  if (fact.kind === 'call_ended') endCall(fold, call, fact);
  if (fact.kind === 'call_settled') settleCall(fold, call, fact);
}

/** A command that is performed again has begun already. */
function beginCall(fold: Fold, call: Call): void {
  const { subject_id: agent_id, command_key, invocation_kind, tool_name } = call.start;
  if (agent_id === null || fold.begun.has(command_key)) return;
  fold.begun.add(command_key);
  const turn = dispatch(fold, agent_id);
  if (turn === undefined || invocation_kind === 'ambient_context') return;
  if (!turn.has_entered) turn.enter(fold.last_ended_at, taskOf(fold, agent_id, call));
  if (tool_name !== null) turn.callTool(fold.last_ended_at, fold.last.get(command_key) ?? call);
}

/** The turn of an agent, which begins where it has not yet. @returns undefined for one that has no turn in the attempt */
function dispatch({ attempt, turns, last_ended_at }: Fold, agent_id: string): TurnDraft | undefined {
  const turn = turns.get(agent_id);
  if (turn !== undefined || !attempt.agents.has(agent_id)) return turn;
  const begun = new TurnDraft(attempt, agent_id, last_ended_at);
  turns.set(agent_id, begun);
  return begun;
}

function taskOf({ attempt, own, last }: Fold, agent_id: string, { start: { workflow_hash } }: Call): Task {
  const task = attempt.tasks.get(agent_id);
  const calls = own.get(agent_id) ?? [];
  const readings = calls.filter(({ start }) => start.invocation_kind === 'ambient_context');
  const keys = new Set([...(task?.turn_reading_keys ?? []), ...readings.map(({ start }) => start.command_key)]);
  const asked = calls.find(({ start }) => start.node_id === task?.apply_node);
  return {
    workflow_hash,
    answer_schema_hash: asked?.start.offered_schema_hash ?? null,
    readings: [...keys].flatMap((key) => last.get(key) ?? []),
  };
}

/** A call that was adopted had ended when its attempt began; the end of one that was interrupted nobody saw. */
function endCall(fold: Fold, call: Call, { at: ended_at, status, refused }: CallEnded): void {
  const { start } = call;
  const { subject_id: agent_id, source_invocation_id, invocation_kind, tool_name, adopted_from } = start;
  if (status === 'interrupted' && adopted_from === null) return;
  const at = adopted_from !== null ? fold.attempt.began.at : refused ? start.at : ended_at;
  if (at > fold.last_ended_at) fold.last_ended_at = at;
  const wasPending = fold.pending.delete(source_invocation_id);
  if (agent_id === null) return;
  fold.worked_until.set(agent_id, fold.last_ended_at);
  const turn = fold.turns.get(agent_id);
  if (turn === undefined || !isFinal(fold, call)) return;
  if (tool_name !== null || (wasPending && invocation_kind !== 'ambient_context'))
    turn.receiveResult(fold.last_ended_at, call);
  if (isGate(call) && isDone(call)) turn.judge(fold.last_ended_at, call);
  const output = findOutput(fold, call);
  if (output !== undefined) turn.putOutput(output);
  const answer = findAnswer(fold, agent_id, call);
  if (answer !== undefined) turn.answer(fold.last_ended_at, answer);
}

/** What a call in doubt gave is known after its attempt. */
function settleCall({ turns }: Fold, call: Call, { at, performed }: CallSettled): void {
  if (performed) turns.get(call.start.subject_id ?? '')?.settle(at, call);
}

/**
 * The call that gave its node its output, where it has it by the end of this one: a source that a node called, an answer of
 * an `llm_json` node that no gate judges, or such an answer that its gate lets pass.
 */
function findOutput({ own, calls }: Fold, call: Call): Call | undefined {
  const { subject_id, source_invocation_id, invocation_kind, parent_source_invocation_id } = call.start;
  if (!isDone(call)) return undefined;
  if (invocation_kind === 'node_call') return call;
  const said = call.end?.model_output_kind === 'gate_pass' ? calls.get(parent_source_invocation_id ?? '') : call;
  if (said?.end?.model_output_kind !== 'json_answer') return undefined;
  const others = own.get(subject_id) ?? [];
  const isAwaited = others.some((one) => isGate(one) && one.start.parent_source_invocation_id === source_invocation_id);
  return isAwaited ? undefined : said;
}

function isGate({ start }: Call): boolean {
  return start.invocation_kind === 'quality_gate';
}

function isDone({ end }: Call): boolean {
  return end?.status === 'succeeded';
}

/** Whether the agent is notified of the end: where a retry follows, it is not. */
function isFinal({ attempt, last, own }: Fold, call: Call): boolean {
  const { command_key, subject_id, node_id } = call.start;
  if (last.get(command_key) !== call) return false;
  if (isDone(call) || attempt.ended !== undefined) return true;
  const others = own.get(subject_id) ?? [];
  return others.slice(others.indexOf(call) + 1).some(({ start }) => start.node_id === node_id);
}

/** An agent whose nodes wait is suspended. One whose readings are answered later stays dispatched. */
function suspend({ attempt, pending, turns }: Fold, { at, resume_deadline }: AttemptSuspended): void {
  const waiting = attempt.calls.filter(
    ({ start }) => pending.has(start.source_invocation_id) && start.invocation_kind !== 'ambient_context',
  );
  for (const [agent_id, turn] of turns) {
    const calls = waiting.filter(({ start }) => start.subject_id === agent_id);
    if (calls.length > 0) turn.suspend(at, calls, resume_deadline);
  }
}

/** One that was handed over or suspended is continued without being taken over. */
function takeOver(fold: Fold, { take_overs }: AttemptContinued): void {
  if (take_overs > fold.take_overs) for (const turn of fold.turns.values()) turn.takeOver();
  fold.take_overs = take_overs;
}

/** The generation with an agent's patch, where the call that has ended is the agent's last. */
function findAnswer(fold: Fold, agent_id: string, call: Call): Call | undefined {
  const own = fold.own.get(agent_id) ?? [];
  if (!isDone(call) || own.at(-1)?.start.command_key !== call.start.command_key) return undefined;
  if (isGate(call) && call.end?.model_output_kind !== 'gate_pass') return undefined;
  return own.findLast((said) => said.end?.model_output_kind === 'final_patch' && isDone(said));
}

function endTurns(fold: Fold, at: string): void {
  // An agent that fails before its first call has none.
  for (const agent_id of fold.attempt.agents.keys()) dispatch(fold, agent_id);
  for (const [agent_id, turn] of fold.turns) turn.end(at, fold.worked_until.get(agent_id) ?? at);
}

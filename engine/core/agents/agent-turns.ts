import type { RecordedAttempt, RecordedCall, RecordedEvent } from './recorded-attempt.js';
import { type AgentTurn, type Task, TurnDraft } from './turn-draft.js';

// A subject has answered when the last of its calls has ended. The events of a turn have the time of the call whose end
// led to them.

/**
 * The agent turns of an attempt, in the order in which they began: a projection of its record, of which nothing is stored.
 * Turns, boxes and cards have ids that follow from the attempt and the agent.
 */
export function agentTurnsOf(attempt: RecordedAttempt): readonly AgentTurn[] {
  const fold = openFold(attempt);
  for (const event of eventsOf(attempt)) {
    const call = event.source_invocation_id === null ? undefined : fold.calls.get(event.source_invocation_id);
    foldEvent(fold, event, call);
  }
  if (attempt.ended_at !== null) endTurns(fold, attempt.ended_at);
  return [...fold.turns.values()].map((turn) => turn.toTurn());
}

interface Fold {
  readonly attempt: RecordedAttempt;
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** The last performance of each command. */
  readonly last: ReadonlyMap<string, RecordedCall>;
  /** The turns that have begun, by agent. */
  readonly turns: Map<string, TurnDraft>;
  /** Commands that have begun, by key. */
  readonly begun: Set<string>;
  /** Calls that are answered later. */
  readonly pending: Set<string>;
  /** The calls of each subject that are not superseded, in their order. */
  readonly own: ReadonlyMap<string | null, readonly RecordedCall[]>;
  /** When the last call of each subject ended. */
  readonly worked_until: Map<string, string>;
  /** When the last call ended. */
  last_ended_at: string;
  take_overs: number;
}

function openFold(attempt: RecordedAttempt): Fold {
  return {
    attempt,
    calls: new Map(attempt.calls.map((call) => [call.source_invocation_id, call])),
    last: new Map(attempt.calls.map((call) => [call.command_key, call])),
    own: groupBySubject(attempt),
    turns: new Map(),
    begun: new Set(),
    pending: new Set(),
    worked_until: new Map(),
    last_ended_at: attempt.started_at,
    take_overs: 0,
  };
}

function groupBySubject({ calls, timeline }: RecordedAttempt): Fold['own'] {
  const superseded = new Set(
    timeline.flatMap(({ event_kind, source_invocation_id }) =>
      event_kind === 'call_superseded' ? [source_invocation_id] : [],
    ),
  );
  const own = new Map<string | null, RecordedCall[]>();
  for (const call of calls) {
    if (superseded.has(call.source_invocation_id)) continue;
    const group = own.get(call.workflow_subject_entity_id);
    if (group === undefined) own.set(call.workflow_subject_entity_id, [call]);
    else group.push(call);
  }
  return own;
}

/** The timeline of an attempt. The calls that it has adopted are answered when it begins. */
function eventsOf({ calls, timeline, started_at }: RecordedAttempt): readonly RecordedEvent[] {
  const adopted = calls
    .filter(({ is_adopted }) => is_adopted)
    .flatMap(({ source_invocation_id }) =>
      ['call_started', 'call_answered'].map((event_kind) => ({
        event_kind,
        occurred_at: started_at,
        source_invocation_id,
      })),
    );
  return [...adopted, ...timeline];
}

function foldEvent(fold: Fold, event: RecordedEvent, call: RecordedCall | undefined): void {
  const { event_kind, occurred_at } = event;
  if (event_kind === 'attempt_suspended') suspend(fold, event);
  if (event_kind === 'attempt_continued') takeOver(fold, event);
  if (call === undefined) return;
  if (event_kind === 'call_pended') fold.pending.add(call.source_invocation_id);
  if (event_kind === 'call_started' || event_kind === 'call_refused') beginCall(fold, call);
  if (END_KINDS.has(event_kind)) endCall(fold, call, occurred_at);
}

const END_KINDS: ReadonlySet<string> = new Set(['call_answered', 'call_failed', 'call_refused']);

/** A command that is performed again has begun already. */
function beginCall(fold: Fold, call: RecordedCall): void {
  const { workflow_subject_entity_id: agent_id, command_key, invocation_kind, tool_name } = call;
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

function taskOf({ attempt, own, last }: Fold, agent_id: string, { workflow_hash }: RecordedCall): Task {
  const task = attempt.tasks.get(agent_id);
  const calls = own.get(agent_id) ?? [];
  const readings = calls.filter(({ invocation_kind }) => invocation_kind === 'ambient_context');
  const keys = new Set([...(task?.turn_reading_keys ?? []), ...readings.map(({ command_key }) => command_key)]);
  const asked = calls.find(({ workflow_node_id }) => workflow_node_id === task?.apply_node);
  return {
    workflow_hash,
    answer_schema_hash: asked?.offered_schema_hash ?? null,
    readings: [...keys].flatMap((key) => last.get(key) ?? []),
  };
}

function endCall(fold: Fold, call: RecordedCall, at: string): void {
  if (at > fold.last_ended_at) fold.last_ended_at = at;
  const { workflow_subject_entity_id: agent_id, source_invocation_id, invocation_kind, tool_name } = call;
  const wasPending = fold.pending.delete(source_invocation_id);
  if (agent_id === null) return;
  fold.worked_until.set(agent_id, fold.last_ended_at);
  const turn = fold.turns.get(agent_id);
  if (turn === undefined || !isFinal(fold, call)) return;
  if (tool_name !== null || (wasPending && invocation_kind !== 'ambient_context'))
    turn.receiveResult(fold.last_ended_at, call);
  if (isGate(call) && call.status === 'succeeded') turn.judge(fold.last_ended_at, call);
  const output = findOutput(fold, call);
  if (output !== undefined) turn.putOutput(output);
  const answer = findAnswer(fold, agent_id, call);
  if (answer !== undefined) turn.answer(fold.last_ended_at, answer);
}

/**
 * The call that gave its node its output, where it has it by the end of this one: a source that a node called, an answer of
 * an `llm_json` node that no gate judges, or such an answer that its gate lets pass.
 */
function findOutput({ own, calls }: Fold, call: RecordedCall): RecordedCall | undefined {
  const { status, invocation_kind, model_output_kind, parent_source_invocation_id } = call;
  if (status !== 'succeeded') return undefined;
  if (invocation_kind === 'node_call') return call;
  const said = model_output_kind === 'gate_pass' ? calls.get(parent_source_invocation_id ?? '') : call;
  if (said?.model_output_kind !== 'json_answer') return undefined;
  const others = own.get(call.workflow_subject_entity_id) ?? [];
  const isAwaited = others.some((one) => isGate(one) && one.parent_source_invocation_id === call.source_invocation_id);
  return isAwaited ? undefined : said;
}

function isGate({ invocation_kind }: RecordedCall): boolean {
  return invocation_kind === 'quality_gate';
}

/** Whether the agent is notified of the end: where a retry follows, it is not. */
function isFinal({ attempt, last, own }: Fold, call: RecordedCall): boolean {
  if (last.get(call.command_key) !== call) return false;
  if (call.status === 'succeeded' || attempt.ended_at !== null) return true;
  const others = own.get(call.workflow_subject_entity_id) ?? [];
  return others
    .slice(others.indexOf(call) + 1)
    .some(({ workflow_node_id }) => workflow_node_id === call.workflow_node_id);
}

/** An agent whose nodes wait is suspended. One whose readings are answered later stays dispatched. */
function suspend(fold: Fold, { occurred_at, resume_deadline }: RecordedEvent): void {
  if (resume_deadline === undefined) return;
  const waiting = fold.attempt.calls.filter(
    (call) => fold.pending.has(call.source_invocation_id) && call.invocation_kind !== 'ambient_context',
  );
  for (const [agent_id, turn] of fold.turns) {
    const calls = waiting.filter((call) => call.workflow_subject_entity_id === agent_id);
    if (calls.length > 0) turn.suspend(occurred_at, calls, resume_deadline);
  }
}

/** One that was handed over or suspended is continued without being taken over. */
function takeOver(fold: Fold, { take_overs = 0 }: RecordedEvent): void {
  if (take_overs > fold.take_overs) for (const turn of fold.turns.values()) turn.takeOver();
  fold.take_overs = take_overs;
}

/** The generation with an agent's patch, where the call that has ended is the agent's last. */
function findAnswer(fold: Fold, agent_id: string, call: RecordedCall): RecordedCall | undefined {
  const own = fold.own.get(agent_id) ?? [];
  if (call.status !== 'succeeded' || own.at(-1)?.command_key !== call.command_key) return undefined;
  if (isGate(call) && call.model_output_kind !== 'gate_pass') return undefined;
  return own.findLast((said) => said.model_output_kind === 'final_patch' && said.status === 'succeeded');
}

function endTurns(fold: Fold, at: string): void {
  // An agent that fails before its first call has none.
  for (const agent_id of fold.attempt.agents.keys()) dispatch(fold, agent_id);
  for (const [agent_id, turn] of fold.turns) turn.end(at, fold.worked_until.get(agent_id) ?? at);
}

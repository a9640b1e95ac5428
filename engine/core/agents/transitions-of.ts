import type { RecordedAttempt, RecordedCall, RecordedEvent } from './recorded-attempt.js';
import type { AgentTransition } from './transition.js';

// A subject has answered when the last of its calls has ended. Each transition has the time of the call whose end led to it.

/** What happened in the agent turns of an attempt, in order: a fold over its record. */
export function transitionsOf(attempt: RecordedAttempt): readonly AgentTransition[] {
  const fold = openFold(attempt);
  for (const event of eventsOf(attempt)) {
    const call = event.source_invocation_id === null ? undefined : fold.calls.get(event.source_invocation_id);
    foldEvent(fold, event, call);
  }
  if (attempt.ended_at !== null) endTurns(fold, attempt.ended_at);
  return fold.transitions;
}

interface Fold {
  readonly attempt: RecordedAttempt;
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** The last performance of each command. */
  readonly last: ReadonlyMap<string, RecordedCall>;
  readonly transitions: AgentTransition[];
  readonly dispatched: Set<string>;
  readonly entered: Set<string>;
  /** Commands that have begun, by key. */
  readonly begun: Set<string>;
  /** Calls that are answered later. */
  readonly pending: Set<string>;
  /** The calls of each subject that are not superseded, in their order. */
  readonly own: ReadonlyMap<string | null, readonly RecordedCall[]>;
  /** When the last call of each subject ended. */
  readonly worked_until: Map<string, string>;
  /** When the last call ended. */
  heard_at: string;
  take_overs: number;
}

function openFold(attempt: RecordedAttempt): Fold {
  return {
    attempt,
    calls: new Map(attempt.calls.map((call) => [call.source_invocation_id, call])),
    last: new Map(attempt.calls.map((call) => [call.command_key, call])),
    own: groupBySubject(attempt),
    transitions: [],
    dispatched: new Set(),
    entered: new Set(),
    begun: new Set(),
    pending: new Set(),
    worked_until: new Map(),
    heard_at: attempt.started_at,
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
  switch (event.event_kind) {
    case 'call_started':
      if (call !== undefined) beginCall(fold, call);
      return;
    case 'call_pended':
      if (call !== undefined) fold.pending.add(call.source_invocation_id);
      return;
    case 'call_refused':
      if (call !== undefined) beginCall(fold, call);
      if (call !== undefined) endCall(fold, call, event.occurred_at);
      return;
    case 'call_answered':
    case 'call_failed':
      if (call !== undefined) endCall(fold, call, event.occurred_at);
      return;
    case 'attempt_suspended':
      suspend(fold, event);
      return;
    case 'attempt_continued':
      takeOver(fold, event);
      return;
    default:
      return;
  }
}

/** A command that is performed again has begun already. */
function beginCall(fold: Fold, call: RecordedCall): void {
  const { workflow_subject_entity_id: agent_id, command_key, invocation_kind, tool_name } = call;
  if (agent_id === null || fold.begun.has(command_key)) return;
  fold.begun.add(command_key);
  dispatch(fold, agent_id);
  if (invocation_kind === 'ambient_context') return;
  enter(fold, agent_id, call);
  if (tool_name === null) return;
  add(fold, { kind: 'tool_called', agent_id, at: fold.heard_at, call: lastOf(fold, call) });
}

function dispatch(fold: Fold, agent_id: string): void {
  if (fold.dispatched.has(agent_id)) return;
  fold.dispatched.add(agent_id);
  add(fold, { kind: 'dispatched', agent_id, at: fold.heard_at });
}

function enter(fold: Fold, agent_id: string, { workflow_hash }: RecordedCall): void {
  if (fold.entered.has(agent_id)) return;
  fold.entered.add(agent_id);
  const task = fold.attempt.tasks.get(agent_id);
  const own = fold.own.get(agent_id) ?? [];
  const readings = own.filter(({ invocation_kind }) => invocation_kind === 'ambient_context');
  const keys = new Set([...(task?.turn_reading_keys ?? []), ...readings.map(({ command_key }) => command_key)]);
  const asked = own.find(({ workflow_node_id }) => workflow_node_id === task?.apply_node);
  add(fold, {
    kind: 'entered',
    agent_id,
    at: fold.heard_at,
    workflow_hash,
    answer_schema_hash: asked?.offered_schema_hash ?? null,
    readings: [...keys].flatMap((key) => fold.last.get(key) ?? []),
  });
}

function endCall(fold: Fold, call: RecordedCall, at: string): void {
  if (at > fold.heard_at) fold.heard_at = at;
  const { workflow_subject_entity_id: agent_id, source_invocation_id, invocation_kind, tool_name } = call;
  const wasPending = fold.pending.delete(source_invocation_id);
  if (agent_id !== null) fold.worked_until.set(agent_id, fold.heard_at);
  if (agent_id === null || !isFinal(fold, call)) return;
  if (tool_name !== null) add(fold, { kind: 'tool_answered', agent_id, at: fold.heard_at, call });
  else if (wasPending && invocation_kind !== 'ambient_context')
    add(fold, { kind: 'reported', agent_id, at: fold.heard_at, call });
  answer(fold, agent_id, call);
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
  for (const agent_id of fold.dispatched) {
    const calls = waiting.filter((call) => call.workflow_subject_entity_id === agent_id);
    if (calls.length > 0) add(fold, { kind: 'suspended', agent_id, at: occurred_at, calls, resume_deadline });
  }
}

/** One that was handed over or suspended is continued without being taken over. */
function takeOver(fold: Fold, { occurred_at: at, take_overs = 0 }: RecordedEvent): void {
  if (take_overs > fold.take_overs)
    for (const agent_id of fold.dispatched) add(fold, { kind: 'taken_over', agent_id, at });
  fold.take_overs = take_overs;
}

/** The agent has said its patch, and the call that has ended is its last. */
function answer(fold: Fold, agent_id: string, { command_key, status }: RecordedCall): void {
  const own = fold.own.get(agent_id) ?? [];
  if (status !== 'succeeded' || own.at(-1)?.command_key !== command_key) return;
  const call = own.findLast((said) => said.model_output_kind === 'final_patch' && said.status === 'succeeded');
  if (call !== undefined) add(fold, { kind: 'answered', agent_id, at: fold.heard_at, call });
}

function endTurns(fold: Fold, at: string): void {
  // One that fails before it has asked anything has no call.
  for (const agent_id of fold.attempt.agents.keys()) dispatch(fold, agent_id);
  for (const agent_id of fold.dispatched) {
    const worked_until = fold.worked_until.get(agent_id) ?? at;
    add(fold, { kind: 'ended', agent_id, at, worked_until });
  }
}

function lastOf({ last }: Fold, call: RecordedCall): RecordedCall {
  return last.get(call.command_key) ?? call;
}

function add({ attempt, transitions }: Fold, transition: AgentTransition): void {
  if (attempt.agents.has(transition.agent_id)) transitions.push(transition);
}

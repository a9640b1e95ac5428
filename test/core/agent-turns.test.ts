import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { agentTaskOf } from '../../engine/core/agents/agent-task.js';
import { agentTurnsOf as fold } from '../../engine/core/agents/agent-turns.js';
import type { AgentTurn } from '../../engine/core/agents/turn-draft.js';
import type { AroundAttempt } from '../../engine/core/agents/recorded-attempt.js';
import type { AttemptFailed, CallEnded, CallStarted, Fact, TurnCommitted } from '../../engine/core/facts/fact.js';
import { namedUuid } from '../../engine/core/content/uuid.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Step } from '../../engine/core/turn/step.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { CallEvent } from '../../engine/core/protocol/event.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import type { AmbientSourceBinding } from '../../engine/generated/workflow.js';
import type { LlmToolLoopProgram } from '../../engine/core/nodes/llm-tool-loop.js';
import { parkWithReadings, SMALL_PARK_BEGAN, smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, setState, toolCall } from '../support/turn-player.js';

const RUNS = { numRuns: 200, seed: 20_260_503 };
const PROGRAM = smallPark(parkWithReadings(['weather']));
const ATTEMPT = namedUuid('an attempt');
const SAID = 'bob/act/round-1/try-1';

/** The behaviour of the outside: how each call ends, and after how many calls a stop is requested. */
interface Fate {
  readonly outputs: readonly Json[];
  readonly ends: readonly ('answered' | 'call_failed' | 'call_refused')[];
  readonly stop_after: number;
}

const fateArbitrary: fc.Arbitrary<Fate> = fc.record({
  outputs: fc.array(
    fc.constantFrom<Json>('nonsense', toolCall('buy_candy'), toolCall('drink'), finalPatch([setState('bob', 'well')])),
    { maxLength: 10 },
  ),
  ends: fc.array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant('answered' as const) },
      fc.constantFrom('call_failed' as const, 'call_refused' as const),
    ),
    { maxLength: 12 },
  ),
  stop_after: fc.nat({ max: 30 }),
});

const UNDISTURBED: Fate = { outputs: [], ends: [], stop_after: 99 };

const HASH = '0'.repeat(64);

/** The time of a thing that happened, of which one happens each second. */
const timeOf = (place: number): string => new Date(Date.UTC(2026, 4, 1, 9) + place * 1_000).toISOString();

const BEGAN: Fact = {
  kind: 'attempt_began',
  at: timeOf(0),
  world_slug: 'park',
  attempt_id: ATTEMPT,
  attempted_turn: 1,
  scenario_hash: HASH,
  renderer_version: '1',
  plugin_versions: {},
};

interface Recorded extends AroundAttempt {
  readonly facts: readonly Fact[];
}

const agentTurnsOf = ({ facts, ...around }: Recorded): readonly AgentTurn[] => fold(facts, around);

const endOfAttempt = ({ facts }: Recorded): TurnCommitted | AttemptFailed | undefined =>
  facts.find((fact) => fact.kind === 'turn_committed' || fact.kind === 'attempt_failed');

/** Plays a turn by the reducer, and records it as the store does: for so many calls, or to its end. */
function record(fate: Fate, most = Infinity): Recorded {
  const [outputs, ends] = [[...fate.outputs], [...fate.ends]];
  const facts: Fact[] = [BEGAN];
  let status = 'running';
  let ended = 0;
  const waiting: Invoke[] = [];
  const now = (): string => timeOf(facts.length - 1);
  const take = (step: Step): void => {
    for (const command of step.commands) {
      if (command.kind === 'invoke') {
        waiting.push(command);
        facts.push({ ...toStart(command), invocation_seq: facts.length, at: now() });
      } else if (command.kind === 'commit') {
        status = 'committed';
        const patches = command.patches.map(({ subject_id, patch_seq, node_id, call_key }) => {
          return { subject_id, patch_seq, node_id, source_invocation_id: namedUuid(call_key), patch_hash: HASH };
        });
        facts.push({ kind: 'turn_committed', at: now(), simulation_time: now(), patches });
      } else if (command.kind === 'fail') {
        status = 'failed';
        const { failure_class, message: failure_message, subject_id = null, node_id = null } = command;
        const failure = { failure_class, failure_message, subject_id, node_id, source_invocation_id: null };
        facts.push({ kind: 'attempt_failed', at: now(), ...failure });
      }
    }
  };
  let state = UNBEGUN;
  const handle = (event: Parameters<typeof advance>[2]): Step => {
    const step = advance(PROGRAM, state, event);
    state = step.state;
    return step;
  };
  take(handle(SMALL_PARK_BEGAN));
  for (;;) {
    const command = status === 'running' && ended < most ? waiting.shift() : undefined;
    if (command === undefined) break;
    const kind = ends.shift() ?? 'answered';
    const said = command.generation && kind === 'answered' ? (outputs.shift() ?? finalPatch()) : undefined;
    ended += 1;
    const step = handle(toEvent(command, kind, said));
    const isGood = kind === 'answered' && step.verdict?.failure === undefined;
    const model_output_kind = step.verdict?.model_output_kind ?? null;
    facts.push({ ...toEnd(namedUuid(command.key), isGood ? 'succeeded' : 'failed'), model_output_kind, at: now() });
    take(step);
    if (ended === fate.stop_after) take(handle({ kind: 'stopped', reason: 'enough' }));
  }
  const subjects = facts.flatMap((fact) => (fact.kind === 'call_started' ? (fact.subject_id ?? []) : []));
  return {
    facts,
    status,
    is_driven: status === 'running',
    agents: new Map(subjects.map((agent_id) => [agent_id, agent_id === 'bob' ? 5 : 1])),
    tasks: new Map(
      PROGRAM.subjects.map(({ subject_id, workflow }) => [
        subject_id,
        { apply_node: 'act', turn_reading_keys: workflow.turn_ambients.map(({ key }) => key) },
      ]),
    ),
  };
}

function toEvent(command: Invoke, kind: Fate['ends'][number], said: Json | undefined): CallEvent {
  const { key } = command;
  if (kind !== 'answered') return { kind, key, failure_class: 'policy_denied', message: 'no' };
  return said === undefined ? answered(command, { status: 'ok' }) : modelSays(command, said);
}

function toStart(command: Invoke): CallStarted {
  const { key, invocation_kind, workflow_hash, node_id, subject_id, tool_name, parent_key, generation } = command;
  return {
    kind: 'call_started',
    at: timeOf(0),
    source_invocation_id: namedUuid(key),
    llm_call_id: generation === undefined ? null : namedUuid(key, 'generation'),
    parent_source_invocation_id: parent_key === undefined ? null : namedUuid(parent_key),
    invocation_seq: 1,
    command_key: key,
    performance: 1,
    invocation_kind,
    effect_class: command.call.effect,
    request_hash: command.request_hash,
    source_hash: HASH,
    workflow_hash,
    node_id: node_id ?? null,
    subject_id: subject_id ?? null,
    ambient_id: command.ambient_id ?? null,
    tool_name: tool_name ?? null,
    generation_try: null,
    model: null,
    context_hash: null,
    offered_schema_hash: generation?.offered.hash ?? null,
    delivered_schema_hash: null,
    schema_delivery: null,
    endpoint_origin: null,
    adopted_from: null,
    policy_ruling: null,
    origins_hash: null,
  };
}

function toEnd(source_invocation_id: string, status: CallEnded['status']): CallEnded {
  return {
    kind: 'call_ended',
    at: timeOf(0),
    source_invocation_id,
    status,
    refused: false,
    failure_class: null,
    failure_detail: null,
    failure_message: null,
    model_output_kind: null,
    answer_hash: null,
    duration_ms: null,
    input_tokens: null,
    output_tokens: null,
    cached_input_tokens: null,
    cache_written_input_tokens: null,
    reasoning_tokens: null,
  };
}

test('each agent turn of an attempt that has ended ends once, with a deliverable in its output box', () => {
  fc.assert(
    fc.property(fateArbitrary, (fate) => {
      const attempt = record(fate);
      assert.notEqual(attempt.status, 'running');
      const turns = agentTurnsOf(attempt);
      assert.deepEqual(
        turns.map(({ record: { agent_id } }) => agent_id),
        [...attempt.agents.keys()],
      );
      for (const { record: turn, head } of turns) {
        const tasks = turn.events.filter(({ subject }) => subject.endsWith('.task'));
        assert.equal(tasks.length, 1);
        const deliverable = turn.output_box.cards.at(-1);
        assert.deepEqual([deliverable?.kind, deliverable?.card_id], ['task.deliverable', turn.deliverable_card_id]);
        assert.ok(deliverable?.llm_call_id !== null || deliverable?.content !== null);
        assert.deepEqual(
          [turn.ended_at, head.status, head.active_agent_turn_id],
          [endOfAttempt(attempt)?.at, 'idle', null],
        );
        const times = turn.events.map(({ occurred_at }) => occurred_at);
        assert.deepEqual(times, times.toSorted());
      }
    }),
    RUNS,
  );
});

/** All facts about open turns. */
const shownOf = (turns: readonly AgentTurn[]): readonly string[] =>
  turns.flatMap(({ record: { events, execution_edges, output_box, context_box } }) => [
    ...events.map((event) => JSON.stringify(event)),
    ...execution_edges.map((edge) => JSON.stringify(edge)),
    ...[...output_box.cards, ...(context_box?.cards ?? [])].map((card) => JSON.stringify(card)),
  ]);

test('an agent turn shows after its attempt what it showed during it', () => {
  fc.assert(
    fc.property(fateArbitrary, fc.nat({ max: 12 }), ({ outputs }, most) => {
      const fate = { ...UNDISTURBED, outputs };
      const open = record(fate, most);
      fc.pre(open.status === 'running');
      const whole = new Set(shownOf(agentTurnsOf(record(fate))));
      for (const shown of shownOf(agentTurnsOf(open))) assert.ok(whole.has(shown), shown);
    }),
    { ...RUNS, numRuns: 80 },
  );
});

/** When a call of an attempt ended. */
function endOf({ facts }: Recorded, key: string): string {
  const end = facts.find((fact) => fact.kind === 'call_ended' && fact.source_invocation_id === namedUuid(key));
  return end?.at ?? assert.fail(`${key} is not on record`);
}

test('an agent worked until the last of its own calls had ended, and has answered while others are at work', () => {
  const whole = record(UNDISTURBED);
  const [bob, ant] = agentTurnsOf(whole).map(({ record: turn }) => turn);
  assert.equal(bob?.worked_until, endOf(whole, SAID));
  assert.equal(ant?.worked_until, endOf(whole, 'ant/act/round-1/try-1'));
  assert.deepEqual([bob?.ended_at, ant?.ended_at], [endOfAttempt(whole)?.at, endOfAttempt(whole)?.at]);
  const open = agentTurnsOf(record(UNDISTURBED, 3)).map(({ record: turn }) => turn);
  assert.deepEqual(
    open.map(({ state }) => state),
    ['answered', 'running'],
  );
});

test('an agent at work whose driver is gone does not run', () => {
  const turns = agentTurnsOf({ ...record(UNDISTURBED, 3), is_driven: false });
  assert.deepEqual(
    turns.map(({ record: turn }) => turn.state),
    ['answered', 'driver gone'],
  );
});

test('an agent whose answer is superseded is at work again', () => {
  const open = record(UNDISTURBED, 3);
  const superseded: Fact = { kind: 'call_superseded', at: timeOf(50), source_invocation_id: namedUuid(SAID) };
  const turns = agentTurnsOf({ ...open, facts: [...open.facts, superseded] });
  assert.deepEqual(
    turns.map(({ record: turn }) => turn.state),
    ['running', 'running'],
  );
});

test('an agent turn has the epoch with which it began, and one more for each driver that was taken over since', () => {
  const epochsOf = (attempt: Recorded) => agentTurnsOf(attempt).map(({ record: turn }) => turn.turn_epoch);
  const attempt = record(UNDISTURBED);
  assert.deepEqual(epochsOf(attempt), [5, 1]);
  const continued = (take_overs: number): Fact => ({ kind: 'attempt_continued', at: timeOf(0), take_overs });
  const started = attempt.facts.findIndex(
    (fact) => 'source_invocation_id' in fact && fact.source_invocation_id === namedUuid('bob/ambient/inbox'),
  );
  const after = attempt.facts.toSpliced(started + 1, 0, continued(2), continued(2), continued(3));
  assert.deepEqual(epochsOf({ ...attempt, facts: after.toSpliced(1, 0, continued(1)) }), [7, 1]);
});

test('a context box holds the inputs of the agent', () => {
  const [bob] = agentTurnsOf(record(UNDISTURBED));
  const workflow = PROGRAM.subjects[0]?.workflow;
  const node = workflow?.nodes[0];
  assert.deepEqual(
    bob?.record.context_box?.cards.map((card) => [card.kind, card.component_hash ?? card.source_invocation_id]),
    [
      ['task.instruction', workflow?.hash],
      ['task.result_fields', (node as LlmToolLoopProgram).offered.hash],
      ['ambient.reading', namedUuid(workflow?.turn_ambients[0]?.key ?? '')],
      ['ambient.reading', namedUuid('bob/ambient/inbox')],
    ],
  );
});

test('a once-per-turn reading is given to the subjects that its stored binding lets see it, by the key of its call', () => {
  const binding = { id: 'weather', run: 'once_per_turn', visible_to: { entity_id: 'bob' } };
  const content = { ambient_sources: [binding as unknown as AmbientSourceBinding], apply: { from: 'act.final' } };
  const [bob, ant] = ['bob', 'ant'].map((id) => agentTaskOf(content, { id, environment: 'park' }));
  assert.deepEqual([bob?.apply_node, ant?.turn_reading_keys], ['act', []]);
  assert.match(bob?.turn_reading_keys[0] ?? '', /^turn\/weather@[0-9a-f]{12}$/);
});

test('a request and its response are one pair of edges', () => {
  const [bob] = agentTurnsOf(record({ ...UNDISTURBED, outputs: [toolCall('drink')] }));
  const edges = bob?.record.execution_edges ?? [];
  assert.deepEqual(
    edges.map(({ primitive, edge_phase }) => `${primitive} ${edge_phase}`),
    ['enqueue request', 'join request', 'tool_call request', 'report response', 'join response'],
  );
  assert.equal(edges[2]?.correlation_id, edges[3]?.correlation_id);
  assert.equal(edges[1]?.correlation_id, edges[4]?.correlation_id);
  assert.equal(edges[2]?.parent_step_id, namedUuid('bob/act/round-1/try-1'));
});

const TOOL = `${SAID}/tool`;

/** An open attempt in which more happens after its model has called a tool. */
function afterToolCall(more: readonly (Fact | Omit<Fact, 'at'>)[]) {
  const attempt = record({ ...UNDISTURBED, outputs: [toolCall('drink')] }, 3);
  const happened = more.map((fact, index) => ({ ...fact, at: timeOf(50 + index) }) as Fact);
  const [bob] = agentTurnsOf({ ...attempt, facts: [...attempt.facts, ...happened] });
  return bob ?? assert.fail('bob has no turn');
}

/** The start of the tool's call, or of another like it. */
function startLikeTool(otherwise: Partial<CallStarted>): Fact {
  const { facts } = record({ ...UNDISTURBED, outputs: [toolCall('drink')] }, 3);
  const tool = facts.find((fact) => fact.kind === 'call_started' && fact.command_key === TOOL);
  assert.ok(tool?.kind === 'call_started', 'no tool was called');
  return { ...tool, ...otherwise };
}

const pended = (source_invocation_id = namedUuid(TOOL)) =>
  ({ kind: 'call_pended', source_invocation_id, deadline: timeOf(900) }) as const;
const suspended = (resume_deadline: string) => ({ kind: 'attempt_suspended', resume_deadline }) as const;
const answers = (source_invocation_id = namedUuid(TOOL)): Fact => toEnd(source_invocation_id, 'succeeded');

test('an agent that waits for two answers goes on with the second, and only a suspension until another time says something new', () => {
  const other = namedUuid('other');
  const deadline = timeOf(900);
  const two = [
    startLikeTool({ source_invocation_id: other, command_key: 'bob/other/call', tool_name: null, invocation_seq: 99 }),
    pended(),
    pended(other),
    suspended(deadline),
  ];
  const waiting = afterToolCall(two);
  const { status, activity, current_tool, waiting_tool_count, resume_deadline } = waiting.head;
  assert.deepEqual(
    [status, activity, current_tool, waiting_tool_count, resume_deadline],
    ['suspended', 'awaiting_tool_result', 'drink', 2, deadline],
  );
  assert.deepEqual(afterToolCall([...two, suspended(deadline)]), waiting);
  const events = [...two, answers()];
  const one = afterToolCall(events);
  assert.deepEqual([one.head.status, one.head.waiting_tool_count], ['suspended', 1]);
  const later = timeOf(950);
  const rest = afterToolCall([...events, suspended(later)]);
  assert.deepEqual(rest.head, { ...one.head, resume_deadline: later });
  const both = afterToolCall([...events, answers(other)]);
  assert.deepEqual([both.head.status, both.head.resume_deadline], ['running', null]);
  assert.deepEqual(
    both.record.waiting_tools.map(({ tool_call_id, registered_at, received_at }) => [
      tool_call_id,
      registered_at,
      received_at,
    ]),
    [
      [namedUuid(TOOL), timeOf(53), timeOf(54)],
      [other, timeOf(53), timeOf(55)],
    ].toSorted(([one = ''], [another = '']) => (one < another ? -1 : 1)),
  );
});

test('a tool whose call has failed and is retried is called once, and its last performance answers', () => {
  const failed = [toEnd(namedUuid(TOOL), 'failed')];
  const waits = afterToolCall(failed);
  assert.deepEqual([waits.head.activity, waits.head.current_tool], ['executing_tool', 'drink']);
  const again = namedUuid('again');
  const second = startLikeTool({ source_invocation_id: again, invocation_seq: 99, performance: 2 });
  const retried = afterToolCall([...failed, second, answers(again)]);
  assert.deepEqual(
    retried.record.output_box.cards.map(({ kind, source_invocation_id }) => [kind, source_invocation_id]),
    [
      ['tool.call', again],
      ['tool.result', again],
    ],
  );
  assert.equal(retried.head.activity, 'thinking');
});

test('an agent whose turn ends before it has asked anything leaves why, and was never given anything', () => {
  const { facts, ...around } = record(UNDISTURBED, 1);
  const failed: Fact = {
    kind: 'attempt_failed',
    at: timeOf(90),
    failure_class: 'template_unresolved',
    failure_message: 'Nothing is there.',
    subject_id: 'bob',
    node_id: null,
    source_invocation_id: null,
  };
  const [bob] = agentTurnsOf({
    ...around,
    facts: [...facts.filter((fact) => fact.kind !== 'call_started' || fact.subject_id === null), failed],
    status: 'failed',
    agents: new Map([['bob', 1]]),
  });
  const turn = bob?.record;
  assert.deepEqual([turn?.outcome, turn?.context_box, turn?.ended_at], ['failed', null, timeOf(90)]);
  assert.deepEqual(turn?.output_box.cards[0]?.content, {
    failure_class: 'template_unresolved',
    message: 'Nothing is there.',
  });
});

test('calls that an attempt has adopted happened in its agent turns when it began', () => {
  const attempt = record({ ...UNDISTURBED, outputs: [toolCall('drink')] }, 4);
  const ended = new Set(attempt.facts.flatMap((it) => (it.kind === 'call_ended' ? [it.source_invocation_id] : [])));
  const [bob] = agentTurnsOf({
    ...attempt,
    facts: attempt.facts
      .filter((fact) => fact.kind !== 'call_started' || ended.has(fact.source_invocation_id))
      .map((fact) => (fact.kind === 'call_started' ? { ...fact, adopted_from: namedUuid('earlier') } : fact)),
  });
  const turn = bob?.record;
  assert.deepEqual(
    turn?.output_box.cards.map(({ kind }) => kind),
    ['tool.call', 'tool.result'],
  );
  assert.ok(turn?.events.every(({ occurred_at }) => occurred_at === BEGAN.at));
});

test('the events of an agent turn say what the agent does, and with which tool', () => {
  const [bob] = agentTurnsOf(record({ ...UNDISTURBED, outputs: [toolCall('drink'), finalPatch()] }));
  const waiting_tool_count = 0;
  const states = bob?.record.events.filter(({ subject }) => subject === 'evt.agent.bob.state') ?? [];
  assert.deepEqual(
    states.map(({ payload: { status, metadata } }) => [status, metadata]),
    [
      ['dispatched', { waiting_tool_count }],
      ['running', { activity: 'thinking', waiting_tool_count }],
      ['running', { activity: 'executing_tool', current_tool: 'drink', waiting_tool_count }],
      ['running', { activity: 'thinking', waiting_tool_count }],
      ['running', { waiting_tool_count }],
      ['idle', { waiting_tool_count }],
    ],
  );
  const steps = bob?.record.events.filter(({ subject }) => subject === 'evt.agent.bob.step') ?? [];
  assert.deepEqual(
    steps.map(({ payload: { phase } }) => phase),
    ['tool_call', 'tool_result', 'answered'],
  );
});

test('a call of which nobody knew what came of it leaves its result on a card when it is settled as performed', () => {
  const { facts, ...around } = record({ ...UNDISTURBED, outputs: [toolCall('drink')] }, 3);
  const source_invocation_id = namedUuid(TOOL);
  const failed = { failure_class: 'interrupted', failure_message: 'The driver was lost.' } as const;
  const lost: readonly Fact[] = [
    ...facts,
    toEnd(source_invocation_id, 'interrupted'),
    { kind: 'attempt_failed', at: timeOf(90), ...failed, subject_id: 'bob', node_id: 'act', source_invocation_id },
  ];
  const turnAfter = (...more: readonly Fact[]) =>
    agentTurnsOf({ ...around, status: 'failed', facts: [...lost, ...more] })[0]?.record;
  const settled = (performed: boolean): Fact => {
    return { kind: 'call_settled', at: timeOf(95), source_invocation_id, performed, answer_hash: null };
  };
  const before = turnAfter();
  assert.deepEqual(
    before?.output_box.cards.map(({ kind }) => kind),
    ['tool.call', 'task.deliverable'],
  );
  assert.deepEqual(turnAfter(settled(false)), before);
  const after = turnAfter(settled(true));
  const { cards = [] } = after?.output_box ?? {};
  assert.deepEqual(cards.slice(0, -1), before?.output_box.cards);
  assert.deepEqual([cards[2]?.kind, cards[2]?.source_invocation_id], ['tool.result', source_invocation_id]);
  assert.deepEqual(after?.execution_edges.at(-1), {
    primitive: 'report',
    edge_phase: 'response',
    correlation_id: source_invocation_id,
    trace_id: ATTEMPT,
    parent_step_id: null,
    occurred_at: timeOf(95),
  });
});

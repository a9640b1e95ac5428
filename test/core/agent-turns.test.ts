import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { type AgentBook, openBook } from '../../engine/core/agents/book.js';
import { type AttemptEnding, endTurns } from '../../engine/core/agents/end-turns.js';
import type { AgentRecord } from '../../engine/core/agents/record.js';
import { recordTransitions } from '../../engine/core/agents/record-transitions.js';
import { AGENT_STEPS } from '../../engine/core/agents/status.js';
import { timed, type TimedTransition } from '../../engine/core/agents/transition.js';
import { namedUuid } from '../../engine/core/content/uuid.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke, TurnCommand } from '../../engine/core/turn/command.js';
import type { CallEvent, TurnEvent } from '../../engine/core/turn/event.js';
import { type Recorded, refold } from '../../engine/core/turn/refold.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { parkWithReadings, SMALL_PARK_BEGAN, smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, setState, toolCall } from '../support/turn-player.js';

const RUNS = { numRuns: 200, seed: 20_260_503 };
const PARK = parkWithReadings(['weather']);
const PROGRAM = smallPark(PARK);
const ATTEMPT = namedUuid('an attempt');
const pointerOf = (call_key: string) => ({
  source_invocation_id: namedUuid(call_key),
  llm_call_id: namedUuid(call_key),
});

/** What the outside does: how each call ends, and after how many calls somebody says stop. */
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

function speaker({ outputs, ends }: Fate): (command: Invoke) => CallEvent {
  const [left, fates] = [[...outputs], [...ends]];
  return (command) => {
    const { key } = command;
    const kind = fates.shift() ?? 'answered';
    if (kind !== 'answered') return { kind, key, failure_class: 'policy_denied', message: 'no' };
    return command.generation ? modelSays(command, left.shift() ?? finalPatch()) : answered(command, { status: 'ok' });
  };
}

interface Plan {
  readonly most?: number;
  readonly left?: Play;
  readonly stride?: number;
}

interface Play {
  readonly book: AgentBook;
  readonly records: readonly AgentRecord[];
  readonly asked: readonly Invoke[];
  readonly calls: readonly Recorded[];
  readonly ended: boolean;
}

/**
 * Plays a turn as its driver does, for so many calls; a later driver goes on from what the first has left. What has
 * happened is written once in so many steps, and at the end; the time is the number of calls that have ended.
 */
function play(fate: Fate, { most = Infinity, left, stride = 1 }: Plan = {}): Play {
  const says = speaker(fate);
  const calls: Recorded[] = [...(left?.calls ?? [])];
  const asked = [...(left?.asked ?? [])];
  asked.forEach(says);
  const records = [...(left?.records ?? [])];
  let book = left?.book ?? openBook(ATTEMPT, new Map([['bob', 4]]));
  const waiting: Invoke[] = [];
  let end: AttemptEnding | undefined;
  const steps: (readonly TimedTransition[])[] = [];
  const write = (ends: readonly TimedTransition[] = []): void => {
    const written = recordTransitions(book, [...steps.splice(0).flat(), ...ends], pointerOf);
    book = written.book;
    records.push(written.record);
  };
  const take = (commands: readonly TurnCommand[], agents: readonly TimedTransition[]): void => {
    steps.push(agents);
    if (steps.length >= stride) write();
    for (const command of commands) {
      if (command.kind === 'invoke') waiting.push(command);
      else if (command.kind !== 'suspend') end = { ...command, at: calls.length };
    }
  };
  let state = UNBEGUN;
  const hear = (event: TurnEvent): void => {
    const step = advance(PROGRAM, state, event);
    state = step.state;
    take(step.commands, timed(step.agents ?? [], calls.length));
  };
  if (left === undefined) hear(SMALL_PARK_BEGAN);
  else {
    const folded = refold(PROGRAM, { ...SMALL_PARK_BEGAN, at: 0 }, calls);
    state = folded.state;
    take(folded.commands, folded.agents);
  }
  const isOver = (): boolean => end !== undefined;
  while (!isOver() && waiting.length > 0 && calls.length < most) {
    const command = waiting.shift();
    if (command === undefined) break;
    const event = says(command);
    asked.push(command);
    const { key, request_hash } = command;
    calls.push({ key, request_hash, effect: 'read_only', repeatable: false, event, at: calls.length + 1 });
    hear(event);
    if (calls.length === fate.stop_after) hear({ kind: 'stopped', reason: 'enough' });
  }
  if (end !== undefined) {
    write();
    write(endTurns(book, end));
  }
  return { book, records, asked, calls, ended: end !== undefined };
}

const rowsOf = <Name extends keyof AgentRecord>({ records }: Play, name: Name) =>
  records.flatMap((record): readonly AgentRecord[Name][number][] => record[name]);

/** Everything that was written, without its order. */
const writtenBy = (played: Play): readonly string[] =>
  (['turns', 'boxes', 'cards', 'edges', 'events', 'waits', 'ends'] as const)
    .flatMap((name) => rowsOf(played, name).map((row) => `${name} ${JSON.stringify(row)}`))
    .toSorted();

test('whatever happens to an attempt, each of its agent turns ends once, with a deliverable in its output box', () => {
  fc.assert(
    fc.property(fateArbitrary, (fate) => {
      const played = play(fate);
      assert.ok(played.ended);
      assert.equal(played.book.turns.size, 0);
      const begun = rowsOf(played, 'turns');
      for (const { agent_turn_id, output_box_id } of begun) {
        const tasks = rowsOf(played, 'events').filter(
          (row) => row.agent_turn_id === agent_turn_id && row.kind === 'task',
        );
        assert.equal(tasks.length, 1);
        const [end, ...more] = rowsOf(played, 'ends').filter((row) => row.agent_turn_id === agent_turn_id);
        assert.deepEqual(more, []);
        const deliverable = rowsOf(played, 'cards').find(({ card_id }) => card_id === end?.deliverable_card_id);
        assert.deepEqual([deliverable?.kind, deliverable?.box_id], ['task.deliverable', output_box_id]);
        assert.ok(deliverable?.llm_call_id !== undefined || deliverable?.content !== undefined);
      }
      assert.equal(rowsOf(played, 'ends').length, begun.length);
    }),
    RUNS,
  );
});

test('a state head only goes where the table leads, and from where the statement before has left it', () => {
  fc.assert(
    fc.property(fateArbitrary, fc.integer({ min: 1, max: 20 }), (fate, stride) => {
      const heads = new Map<string, { readonly turn_epoch: number; readonly agent_turn_id: string | null }>();
      for (const change of rowsOf(play(fate, { stride }), 'heads')) {
        const { turn_epoch, agent_turn_id } = heads.get(change.agent_id) ?? {
          turn_epoch: change.agent_id === 'bob' ? 4 : 0,
          agent_turn_id: null,
        };
        assert.deepEqual(change.expected, { turn_epoch, agent_turn_id });
        heads.set(change.agent_id, change);
      }
      for (const { agent_turn_id } of heads.values()) assert.equal(agent_turn_id, null);
    }),
    RUNS,
  );
});

test('a driver that goes on with what another has left writes what is missing, and nothing twice', () => {
  fc.assert(
    fc.property(fateArbitrary, fc.nat({ max: 12 }), fc.integer({ min: 1, max: 20 }), (fate, most, stride) => {
      const unstopped = { ...fate, stop_after: 99 };
      const whole = play(unstopped);
      const left = play(unstopped, { most, stride });
      fc.pre(!left.ended);
      assert.deepEqual(writtenBy(play(unstopped, { left, stride })), writtenBy(whole));
    }),
    { ...RUNS, numRuns: 80 },
  );
});

test('a driver that goes on where nothing of the agents was written yet writes all of it', () => {
  const fate: Fate = { outputs: [toolCall('drink')], ends: [], stop_after: 99 };
  const left = { ...play(fate, { most: 4 }), book: openBook(ATTEMPT, new Map([['bob', 4]])), records: [] };
  assert.deepEqual(writtenBy(play(fate, { left })), writtenBy(play(fate)));
});

test('in however few statements the rows of an attempt are written, they are the same, each with the time of its step', () => {
  fc.assert(
    fc.property(fateArbitrary, fc.integer({ min: 2, max: 40 }), (fate, stride) => {
      const [seldom, always] = [play(fate, { stride }), play(fate)];
      assert.deepEqual(writtenBy(seldom), writtenBy(always));
      assert.ok(rowsOf(seldom, 'heads').length <= rowsOf(always, 'heads').length);
    }),
    RUNS,
  );
});

test('each agent turn has an epoch of its own, one above the last of its agent', () => {
  const epochs = rowsOf(play({ outputs: [], ends: [], stop_after: 99 }), 'turns').map((turn) => [
    turn.agent_id,
    turn.turn_epoch,
  ]);
  assert.deepEqual(epochs, [
    ['bob', 5],
    ['ant', 1],
  ]);
});

test('a context box holds what the agent was told and given, and its number of cards is settled', () => {
  const played = play({ outputs: [], ends: [], stop_after: 99 });
  const box = rowsOf(played, 'boxes').find(({ kind }) => kind === 'context');
  const cards = rowsOf(played, 'cards').filter(({ box_id }) => box_id === box?.box_id);
  assert.equal(box?.card_limit, cards.length);
  assert.deepEqual(
    cards.map(({ kind, source_invocation_id }) => [kind, source_invocation_id]),
    [
      ['task.instruction', undefined],
      ['task.result_fields', undefined],
      ['ambient.reading', pointerOf(played.calls[0]?.key ?? '').source_invocation_id],
      ['ambient.reading', pointerOf('bob/ambient/inbox').source_invocation_id],
    ],
  );
});

test('a request and its response are one pair of edges', () => {
  const played = play({ outputs: [toolCall('drink')], ends: [], stop_after: 99 });
  const edges = rowsOf(played, 'edges').filter(
    ({ agent_turn_id }) => agent_turn_id === rowsOf(played, 'turns')[0]?.agent_turn_id,
  );
  assert.deepEqual(
    edges.map(({ primitive, edge_phase }) => `${primitive} ${edge_phase}`),
    ['enqueue request', 'join request', 'tool_call request', 'report response', 'join response'],
  );
  assert.equal(edges[2]?.correlation_id, edges[3]?.correlation_id);
  assert.equal(edges[1]?.correlation_id, edges[4]?.correlation_id);
});

test('an agent that waits for two answers goes on with the second, and a repeated suspension says nothing new', () => {
  const suspended = { kind: 'suspended', subject_id: 'bob', resume_deadline: 5000, at: 3 } as const;
  const task = { workflow_hash: 'a', answer_schema_hash: 'b', reading_keys: [] };
  const begun = recordTransitions(
    openBook(ATTEMPT, new Map()),
    [
      { kind: 'dispatched', subject_id: 'bob', at: 0 },
      { kind: 'entered', subject_id: 'bob', ...task, at: 1 },
      { kind: 'tool_called', subject_id: 'bob', call_key: 'one', tool_name: 'drink', at: 2 },
      { ...suspended, call_keys: ['one', 'two'] },
    ],
    pointerOf,
  );
  const [head] = begun.record.heads;
  assert.deepEqual(
    [head?.status, head?.activity, head?.waiting_tool_count, head?.resume_deadline],
    ['suspended', 'awaiting_tool_result', 2, 5000],
  );
  const again = recordTransitions(begun.book, [{ ...suspended, call_keys: ['two', 'one'] }], pointerOf);
  assert.deepEqual([again.record.events, again.record.waits, again.record.heads], [[], [], []]);
  const one = recordTransitions(
    again.book,
    [{ kind: 'tool_answered', subject_id: 'bob', call_key: 'one', tool_name: 'drink', at: 4 }],
    pointerOf,
  );
  assert.deepEqual([one.record.heads[0]?.status, one.record.heads[0]?.waiting_tool_count], ['suspended', 1]);
  const two = recordTransitions(one.book, [{ kind: 'reported', subject_id: 'bob', call_key: 'two', at: 5 }], pointerOf);
  assert.deepEqual([two.record.heads[0]?.status, two.record.heads[0]?.resume_deadline], ['running', null]);
});

test('what has ended does not begin again, and what runs is not given a second turn', () => {
  const begun = recordTransitions(
    openBook(ATTEMPT, new Map()),
    [{ kind: 'dispatched', subject_id: 'bob', at: 0 }],
    pointerOf,
  );
  const called: TimedTransition = {
    kind: 'tool_called',
    subject_id: 'bob',
    call_key: 'one',
    tool_name: 'drink',
    at: 2,
  };
  assert.throws(() => recordTransitions(begun.book, [called], pointerOf), /bob is dispatched: no work/);
  assert.throws(() => recordTransitions(openBook(ATTEMPT, new Map()), [called], pointerOf), /bob has no turn/);
});

test('every state of an agent has a way out, and every way but the first leads on to the end of the turn', () => {
  for (const [status, steps] of Object.entries(AGENT_STEPS)) {
    assert.ok(Object.keys(steps).length > 0, status);
    if (status !== 'idle') assert.equal(steps.deliver, 'idle', status);
  }
});

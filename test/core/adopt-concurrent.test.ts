import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent, TurnBegan } from '../../engine/core/protocol/event.js';
import { adopt, type LeftCall } from '../../engine/core/turn/adopt.js';
import { advance } from '../../engine/core/turn/advance.js';
import { refoldAsPlayed } from '../../engine/core/turn/speculation/refold-as-played.js';
import { type TurnState, UNBEGUN } from '../../engine/core/turn/state.js';
import { type SmallPark, smallPark } from '../support/park-documents.js';
import { composeWorld, type Entity } from '../../engine/core/world/world.js';
import { answered, finalPatch, modelSays, toolCall } from '../support/turn-player.js';

type Shelf = Parameters<NonNullable<SmallPark['nodes_before']>>[0];

/** A node that asks a toy for something in the world, or for more about what another node was told. */
function asking(shelf: Shelf, id: string, pointer: string): JsonObject {
  const toy = {
    version: 1,
    label: `toy-${id}`,
    interface: { name: 'http_json', method: 'POST', url_env: 'CHUKWA_TOY_URL', path: '/ask' },
  };
  return {
    id,
    type: 'source_call',
    source_ref: shelf.put('response_source', toy),
    request_template: { id, of: { $from: pointer } },
    redaction: { allow: 'all' },
    effect: 'read_only',
  };
}

const PLACE = [{ label: 'park', content: 'Quiet.' }];
const ENTITIES = [
  { id: 'ada', name: 'Ada', kind: 'agent', environment: 'park', state: 'idle' },
  { id: 'ben', name: 'Ben', kind: 'agent', environment: 'park', state: 'idle' },
  { id: 'stone', name: 'Stone', kind: 'prop', environment: 'park', state: 'grey' },
];

/** Ben asks who he is and, when he knows, for more; beside that he asks what the stone is like, which Ada changes. */
const PROGRAM = smallPark({
  subjects: ['ada', 'ben'],
  environments: PLACE,
  entities: ENTITIES,
  tools: ['take'],
  allow: ['take', 'name', 'more', 'stone'],
  tool_binding: { effect: 'state_change' },
  max_tool_calls: 2,
  prompt: '{{subject.name}} {{nodes.more.output}} {{nodes.stone.output}}',
  projection: { scope: 'subject_environment', memory: { recent: 2 } },
  nodes_before: (shelf) => [
    asking(shelf, 'name', '/subject/id'),
    asking(shelf, 'more', '/nodes/name/output'),
    asking(shelf, 'stone', '/world/entities/stone/state'),
  ],
  change: (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' }),
});
const BEGAN: TurnBegan = {
  kind: 'turn_began',
  simulation_time: '2026-05-01T09:01:00.000Z',
  world: composeWorld({
    slug: 'park',
    turn: 0,
    environments: [['park', { content: 'Quiet.' }]],
    entities: ENTITIES.map((entity) => ({ ...entity, memory: [] }) as unknown as Entity),
    events: [],
  }),
};

interface Played {
  readonly end: TurnCommand | undefined;
  readonly records: readonly LeftCall[];
}

/** Ends calls until the turn ends: those that `first` lists before all others. */
function play(
  from: { readonly state: TurnState; readonly commands: readonly TurnCommand[] },
  says: (command: Invoke) => CallEvent,
  first: readonly string[] = [],
): Played {
  let { state, commands } = from;
  const waiting: Invoke[] = [];
  const records: LeftCall[] = [];
  for (;;) {
    const end = commands.find(({ kind }) => kind !== 'invoke');
    if (end !== undefined) return { end, records };
    waiting.push(...commands.flatMap((command) => (command.kind === 'invoke' ? [command] : [])));
    const key = first.find((one) => waiting.some((command) => command.key === one));
    const [command] = waiting.splice(
      Math.max(
        0,
        waiting.findIndex((one) => one.key === key),
      ),
      1,
    );
    assert.ok(command, 'the turn waits for nothing');
    const event = says(command);
    records.push(toRecord(command, event, records.length));
    ({ state, commands } = advance(PROGRAM, state, event));
  }
}

function toRecord({ key, request_hash, call }: Invoke, event: CallEvent, invocation_seq: number): LeftCall {
  const { effect, repeatable } = call;
  return { source_invocation_id: key, invocation_seq, key, request_hash, effect, repeatable, event };
}

function says(command: Invoke): CallEvent {
  if (command.generation === undefined) return answered(command, { of: command.key.split('/')[1] ?? '' });
  if (command.subject_id === 'ben' && command.round === 1) return modelSays(command, toolCall('take'));
  const paint = { op: 'set_entity_state', entity_id: 'stone', state: 'red' };
  return modelSays(command, finalPatch(command.subject_id === 'ada' ? [paint] : []));
}

function isOverloaded({ key, round, subject_id }: Invoke): boolean {
  return key === 'ben/stone/call' || (subject_id === 'ben' && round === 2);
}

function overloaded({ key }: Invoke): CallEvent {
  return { kind: 'call_failed', key, failure_class: 'http_status', http_status: 503, message: 'overloaded' };
}

const FIRST = ['ben/stone/call', 'ben/name/call'];
const LEFT = play(
  advance(PROGRAM, UNBEGUN, BEGAN),
  (command) => (isOverloaded(command) ? overloaded(command) : says(command)),
  FIRST,
);

test('a run that failed ahead and was folded again asks under the next number what it had not asked before', () => {
  assert.ok(LEFT.end?.kind === 'fail' && LEFT.end.failure_class === 'http_status');
  assert.ok(LEFT.records.some(({ key }) => key === 'ben/more/call@2'));
  assert.ok(!LEFT.records.some(({ key }) => key === 'ben/more/call'));
});

test('a side effect has the same key in whichever run it is asked', () => {
  assert.deepEqual(
    LEFT.records.flatMap(({ key, effect }) => (effect === 'read_only' ? [] : [key])),
    ['ben/act/round-1/try-1/tool'],
  );
});

test('a new attempt adopts every answer, by any number of its run', () => {
  assert.ok(LEFT.end?.kind === 'fail');
  const { failure_class, call_key = '' } = LEFT.end;
  const failure = { failure_class, call_key, is_transient: true } as const;
  const adoption = adopt(PROGRAM, BEGAN, { scenario_hash: PROGRAM.scenario_hash, failure, records: LEFT.records });
  assert.ok(adoption.kind === 'adopts', 'the record is refused');
  const whole = LEFT.records.filter(({ event }) => event?.kind === 'call_answered');
  assert.deepEqual(
    adoption.source_invocation_ids,
    whole.map(({ key }) => key),
  );
  const adopted = whole.map((record) => ({ ...record, is_adopted: true }));
  const { end, records } = play(refoldAsPlayed(PROGRAM, BEGAN, adopted), says);
  assert.equal(end?.kind, 'commit');
  assert.deepEqual(
    records.map(({ key }) => key.replace(/@\d+$/, '')),
    ['ben/act/round-2/try-1'],
  );
});

test('of two answers to the same request the one counts that was asked for later, even where it ended before', () => {
  const late = LEFT.records.find(({ key }) => key === 'ben/more/call@2');
  assert.ok(late);
  const early = { ...late, source_invocation_id: 'early', key: 'ben/more/call', invocation_seq: -1 };
  const failure = { failure_class: 'transport', is_transient: true } as const;
  const records = [...LEFT.records, early];
  const adoption = adopt(PROGRAM, BEGAN, { scenario_hash: PROGRAM.scenario_hash, failure, records });
  assert.ok(adoption.kind === 'adopts', 'the record is refused');
  assert.ok(adoption.source_invocation_ids.includes('ben/more/call@2'));
  assert.ok(!adoption.source_invocation_ids.includes('early'));
});

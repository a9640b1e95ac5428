import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent, CallPended, TurnEvent } from '../../engine/core/protocol/event.js';
import { UNBEGUN, type TurnState } from '../../engine/core/turn/state.js';
import type { Program } from '../../engine/core/protocol/program.js';
import type { World } from '../../engine/core/world/world.js';
import { type SmallPark, smallPark, smallWorld } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, playTurn, setState, toolCall } from '../support/turn-player.js';

const RUNS = { numRuns: 300, seed: 20_260_501 };
const TOOLS = ['buy_candy', 'drink', 'forbidden'];
const READING = {
  run: 'once_per_turn',
  scope: 'world',
  visible_to: 'all_subjects',
  request_template: { turn: { $from: '/world/attempted_turn' } },
};
const OWN_READING = { ...READING, run: 'before_subject_workflow' };

const parkArbitrary: fc.Arbitrary<SmallPark> = fc.record({
  subjects: fc.constantFrom(['bob'], ['ant', 'bob'], ['bob', 'ant']),
  tools: fc.constant(TOOLS),
  allow: fc.constant(['buy_candy', 'drink']),
  max_generation_attempts: fc.integer({ min: 1, max: 3 }),
  max_tool_calls: fc.integer({ min: 0, max: 2 }),
  ambients: fc.constantFrom(
    [],
    [{ ...READING, id: 'weather', inject_as: '/ambient/weather' }],
    [
      { ...READING, id: 'weather', inject_as: '/ambient/weather' },
      { ...READING, id: 'pa', inject_as: '/ambient/pa' },
      { ...OWN_READING, id: 'inbox', inject_as: '/ambient/inbox' },
    ],
  ),
});

const outputArbitrary: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['bob', 'crumb', 'ant'].map((id, index) => finalPatch([setState(id, `state ${index}`)])),
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom(...TOOLS.map((name) => toolCall(name))) },
  fc.constantFrom<Json>(
    'nonsense',
    { kind: 'dance' },
    toolCall('fly'),
    toolCall('drink', {}),
    finalPatch([setState('nobody', 'x')]),
    finalPatch([{ op: 'delete_entity', entity_id: 'bob' }]),
  ),
  fc.jsonValue().map((value) => value as Json),
);

/** One thing that the outside may do: answer, fail or refuse one of the waiting calls, put it off, repeat itself, or stop. */
const moveArbitrary = fc.record({
  pick: fc.nat({ max: 9 }),
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constant('answer' as const) },
    fc.constantFrom(
      'fail' as const,
      'refuse' as const,
      'pend' as const,
      'pend' as const,
      'repeat' as const,
      'stranger' as const,
      'begin' as const,
      'stop' as const,
    ),
  ),
  output: outputArbitrary,
});

type Move = {
  readonly pick: number;
  readonly what: 'answer' | 'fail' | 'refuse' | 'pend' | 'repeat' | 'stranger' | 'begin' | 'stop';
  readonly output: Json;
};

interface History {
  readonly commands: readonly TurnCommand[];
  /** The awaited calls at each suspension of the attempt. */
  readonly rests: readonly (Pick<TurnState, 'awaited' | 'pended'> & { readonly resume_deadline: number })[];
  readonly before: World;
  readonly after: World;
}

/** Plays any sequence of moves, well-behaved or not; ends it by failing every call that still waits. */
function playMoves(program: Program, moves: readonly Move[]): History {
  const before = smallWorld();
  const commands: TurnCommand[] = [];
  const rests: History['rests'][number][] = [];
  const waiting = new Map<string, Invoke>();
  const handled: (CallEvent | CallPended)[] = [];
  let state = UNBEGUN;
  const handle = (event: TurnEvent) => {
    const step = advance(program, state, event);
    state = step.state;
    commands.push(...step.commands);
    for (const command of step.commands) {
      if (command.kind === 'invoke') waiting.set(command.key, command);
      if (command.kind === 'suspend') rests.push({ ...step.state, resume_deadline: command.resume_deadline });
    }
  };
  const end = (event: CallEvent) => {
    waiting.delete(event.key);
    handled.push(event);
    handle(event);
  };
  const begun: TurnEvent = { kind: 'turn_began', world: before, simulation_time: '2026-05-01T09:01:00.000Z' };
  handle(begun);
  for (const move of moves) {
    const command = [...waiting.values()][move.pick % Math.max(1, waiting.size)];
    if (move.what === 'stop') handle({ kind: 'stopped', reason: 'enough' });
    else if (move.what === 'begin') handle(begun);
    else if (move.what === 'stranger')
      handle({ kind: 'call_answered', key: 'nobody/asked', value: move.output, duration_ms: 1 });
    else if (move.what === 'repeat') handled.slice(-1).forEach(handle);
    else if (command && move.what === 'pend') {
      const event: CallPended = { kind: 'call_pended', key: command.key, deadline: 1_000 + move.pick };
      handled.push(event);
      handle(event);
    } else if (command && move.what === 'answer')
      end(command.generation ? modelSays(command, move.output) : answered(command, move.output));
    else if (command)
      end({
        kind: move.what === 'fail' ? 'call_failed' : 'call_refused',
        key: command.key,
        failure_class: 'transport',
        message: 'no',
      });
  }
  for (const command of Array.from(waiting.values()))
    end({ kind: 'call_failed', key: command.key, failure_class: 'transport', message: 'over' });
  return { commands, rests, before, after: state.world };
}

/** By park and moves: all sentences are checked on the same ones. */
const histories = new Map<string, History>();

function historyOf(park: SmallPark, moves: readonly Move[]): History {
  const name = JSON.stringify([park, moves]);
  const history = histories.get(name) ?? playMoves(smallPark(park), moves);
  histories.set(name, history);
  return history;
}

function property(sentence: string, holds: (history: History, park: SmallPark) => void): void {
  test(sentence, () => {
    fc.assert(
      fc.property(parkArbitrary, fc.array(moveArbitrary, { maxLength: 30 }), (park, moves) =>
        holds(historyOf(park, moves), park),
      ),
      RUNS,
    );
  });
}

const invokesOf = (history: History) =>
  history.commands.flatMap((command) => (command.kind === 'invoke' ? [command] : []));
const commitsOf = (history: History) =>
  history.commands.flatMap((command) => (command.kind === 'commit' ? [command] : []));

property('a turn ends at most once, and nothing is asked after it', ({ commands }) => {
  const ends = commands.filter((command) => command.kind === 'commit' || command.kind === 'fail');
  assert.ok(ends.length <= 1);
  if (ends.length === 1) assert.equal(commands.at(-1), ends[0]);
});

property('a failed attempt commits nothing, and the world that it was given never changes', (history) => {
  if (history.commands.some((command) => command.kind === 'fail')) assert.deepEqual(commitsOf(history), []);
  assert.deepEqual(history.before, smallWorld());
});

property('patch_seq has no gaps, one patch for each subject, in the order of subjects', (history, park) => {
  for (const { patches } of commitsOf(history)) {
    assert.deepEqual(
      patches.map((patch) => patch.patch_seq),
      patches.map((_, index) => index + 1),
    );
    assert.deepEqual(
      patches.map((patch) => patch.subject_id),
      park.subjects,
    );
  }
});

property('a patch is applied exactly once: the effects in order give the committed world', (history) => {
  for (const { patches } of commitsOf(history)) {
    const states = new Map([...history.before.entities].map(([id, entity]) => [id, entity.state]));
    for (const effect of patches.flatMap((patch) => patch.applied.effects)) {
      assert.equal(effect.state_before, states.get(effect.entity_id ?? ''));
      states.set(effect.entity_id ?? '', effect.state_after);
    }
    assert.deepEqual(states, new Map([...history.after.entities].map(([id, entity]) => [id, entity.state])));
  }
});

property('no tool is called without a permitted call of its generation, and one at most for each', (history, park) => {
  const tools = invokesOf(history).filter((command) => command.invocation_kind === 'model_elected_tool');
  for (const tool of tools) {
    assert.ok(park.allow?.includes(tool.tool_name ?? ''));
    assert.ok(invokesOf(history).some((command) => command.key === tool.parent_key && command.generation));
  }
  assert.equal(new Set(tools.map((tool) => tool.parent_key)).size, tools.length);
});

property('no command key is issued twice', (history) => {
  const keys = invokesOf(history).map((command) => command.key);
  assert.equal(new Set(keys).size, keys.length);
});

property(
  'generations never exceed what the workflow allows, and tools never exceed max_tool_calls',
  (history, park) => {
    const attempts = park.max_generation_attempts ?? 0;
    const calls = park.max_tool_calls ?? 0;
    for (const subject of park.subjects ?? []) {
      const own = invokesOf(history).filter((command) => command.subject_id === subject);
      const generations = own.filter((command) => command.generation);
      assert.ok(own.filter((command) => command.tool_name).length <= calls);
      assert.ok(generations.length <= attempts * (calls + 1));
      assert.ok(generations.every((command) => (command.generation_try ?? 0) <= attempts));
    }
  },
);

test('without failures the outcome does not depend on the order of answers', () => {
  const says = (outputs: ReadonlyMap<string, Json>) => (command: Invoke) =>
    command.generation
      ? modelSays(command, outputs.get(command.subject_id ?? '') ?? finalPatch())
      : answered(command, { key: command.key });
  fc.assert(
    fc.property(
      parkArbitrary,
      fc.infiniteStream(fc.nat({ max: 9 })),
      fc.constantFrom('bob', 'ant', 'crumb'),
      (park, picks, touched) => {
        const program = smallPark(park);
        const outputs = new Map<string, Json>([
          ['bob', finalPatch([setState(touched, 'one')])],
          ['ant', finalPatch([setState(touched, 'two')])],
        ]);
        const inOrder = playTurn(program, smallWorld(), says(outputs));
        const shuffled = playTurn(program, smallWorld(), says(outputs), () => picks.next().value ?? 0);
        assert.deepEqual(shuffled.end, inOrder.end);
        assert.deepEqual(
          shuffled.invokes.map((command) => `${command.key} ${command.request_hash}`).sort(),
          inOrder.invokes.map((command) => `${command.key} ${command.request_hash}`).sort(),
        );
      },
    ),
    RUNS,
  );
});

test('without failures it makes no difference which answers come later, how late, and how often that is said', () => {
  const outputs = (command: Invoke) =>
    command.generation ? modelSays(command, finalPatch([setState('bob', 'fed')])) : answered(command, { ok: true });
  fc.assert(
    fc.property(parkArbitrary, fc.infiniteStream(fc.nat({ max: 9 })), (park, picks) => {
      const program = smallPark(park);
      const next = (): number => picks.next().value ?? 0;
      const says = (command: Invoke) =>
        next() % 3 === 0 && command.generation === undefined
          ? ({ kind: 'call_pended', key: command.key, deadline: next() } as const)
          : outputs(command);
      const atOnce = playTurn(program, smallWorld(), outputs);
      const later = playTurn(program, smallWorld(), says, next);
      assert.deepEqual(later.end, atOnce.end);
      assert.deepEqual(later.state.world, atOnce.state.world);
    }),
    RUNS,
  );
});

property(
  'an attempt is suspended only when all calls that it awaits are pending, and never after its end',
  ({ commands, rests }) => {
    const end = commands.findIndex((command) => command.kind === 'commit' || command.kind === 'fail');
    const last = commands.findLastIndex((command) => command.kind === 'suspend');
    assert.ok(end === -1 || last < end);
    for (const { awaited, pended, resume_deadline } of rests) {
      assert.deepEqual([...pended.keys()].sort(), [...awaited.keys()].sort());
      assert.equal(resume_deadline, Math.min(...pended.values()));
    }
  },
);

test('the same events give the same commands: a turn can be folded again from its record', () => {
  fc.assert(
    fc.property(parkArbitrary, fc.array(moveArbitrary, { maxLength: 20 }), (park, moves) => {
      const hashes = (history: History) => invokesOf(history).map((command) => [command.key, command.request_hash]);
      assert.deepEqual(hashes(playMoves(smallPark(park), moves)), hashes(playMoves(smallPark(park), moves)));
    }),
    { ...RUNS, numRuns: 100 },
  );
});

test('the histories of these properties cover commits, failures, suspensions, tools and retries', () => {
  const samples = fc.sample(fc.tuple(parkArbitrary, fc.array(moveArbitrary, { maxLength: 30 })), RUNS);
  const commands = samples.flatMap(([park, moves]) => [...playMoves(smallPark(park), moves).commands]);
  const count = (holds: (command: TurnCommand) => boolean) => commands.filter(holds).length;
  assert.ok(count((command) => command.kind === 'commit') >= 10);
  assert.ok(count((command) => command.kind === 'fail') >= 10);
  assert.ok(count((command) => command.kind === 'suspend') >= 10);
  assert.ok(count((command) => command.kind === 'invoke' && command.tool_name !== undefined) >= 10);
  assert.ok(count((command) => command.kind === 'invoke' && (command.generation_try ?? 1) > 1) >= 10);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent } from '../../engine/core/protocol/event.js';
import { type Recorded, refold } from '../../engine/core/turn/refold.js';
import { type TurnState, UNBEGUN } from '../../engine/core/turn/state.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { parkWithReadings, SMALL_PARK_BEGAN, smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, setState, toolCall } from '../support/turn-player.js';

const RUNS = { numRuns: 200, seed: 20_260_502 };
const PARK = parkWithReadings(['weather', 'pa']);

/** The model's answers, one after the other; in the end a patch. */
const outputsArbitrary: fc.Arbitrary<readonly Json[]> = fc.array(
  fc.constantFrom<Json>('nonsense', toolCall('buy_candy'), toolCall('drink'), finalPatch([setState('bob', 'well')])),
  { maxLength: 12 },
);

interface Played {
  readonly state: TurnState;
  readonly end: TurnCommand | undefined;
  /** In the order in which the calls ended. */
  readonly records: readonly Recorded[];
  readonly asked: readonly Invoke[];
}

/** Continues a turn until it ends or so many calls have ended; `pick` chooses the next of them. */
function playOn(
  program: Program,
  from: { readonly state: TurnState; readonly commands: readonly TurnCommand[] },
  says: (command: Invoke) => CallEvent,
  { most = Infinity, pick = () => 0 }: { readonly most?: number; readonly pick?: (waiting: number) => number } = {},
): Played {
  let { state } = from;
  let end: TurnCommand | undefined;
  const waiting: Invoke[] = [];
  const asked: Invoke[] = [];
  const records: Recorded[] = [];
  const take = (commands: readonly TurnCommand[]): void => {
    for (const command of commands) {
      if (command.kind === 'invoke') {
        asked.push(command);
        waiting.push(command);
      } else end = command;
    }
  };
  take(from.commands);
  while (waiting.length > 0 && records.length < most) {
    const [command] = waiting.splice(pick(waiting.length) % waiting.length, 1);
    if (command === undefined) break;
    const event = says(command);
    const step = advance(program, state, event);
    state = step.state;
    records.push(toRecorded(command, event));
    take(step.commands);
  }
  const open = waiting.map(({ key, request_hash, call }) => ({
    key,
    request_hash,
    effect: call.effect,
    repeatable: call.repeatable,
  }));
  return { state, end, asked, records: [...records, ...open] };
}

function toRecorded({ key, request_hash, call }: Invoke, event: CallEvent): Recorded {
  return { key, request_hash, effect: call.effect, repeatable: call.repeatable, event };
}

/** A model whose words depend on their place only, as those of a record do. */
function speaker(outputs: readonly Json[]): (command: Invoke) => CallEvent {
  const said = new Map<string, CallEvent>();
  const left = [...outputs];
  return (command) => {
    const before = said.get(command.key);
    if (before !== undefined) return before;
    const event =
      command.invocation_kind === 'llm_generation'
        ? modelSays(command, left.shift() ?? finalPatch([setState('ant', 'fed')]))
        : answered(command, { status: 'ok', key: command.key });
    said.set(command.key, event);
    return event;
  };
}

test('wherever a turn is cut, a fold over its record goes on as if it had not been', () => {
  const program = smallPark(PARK);
  fc.assert(
    fc.property(outputsArbitrary, fc.nat({ max: 12 }), fc.array(fc.nat({ max: 3 })), (outputs, most, picks) => {
      const says = speaker(outputs);
      const begun = advance(program, UNBEGUN, SMALL_PARK_BEGAN);
      const order = [...picks];
      const pick = (): number => order.shift() ?? 0;
      const cut = playOn(program, begun, says, { most, pick });
      const certain = cut.records.filter(({ effect, event }) => event !== undefined || effect === 'read_only');
      const folded = refold(program, SMALL_PARK_BEGAN, certain);
      const answeredKeys = new Set(cut.records.flatMap(({ key, event }) => (event === undefined ? [] : [key])));
      for (const command of folded.commands)
        assert.ok(command.kind !== 'invoke' || !answeredKeys.has(command.key), 'an answered call is asked again');
      const resumed = playOn(program, folded, says);
      const undisturbed = playOn(program, begun, says);
      assert.deepEqual(resumed.end, undisturbed.end);
      assert.deepEqual(resumed.state.world, undisturbed.state.world);
    }),
    RUNS,
  );
});

test('the order of a record does not matter while nothing has failed', () => {
  const program = smallPark(PARK);
  const says = speaker([]);
  const whole = playOn(program, advance(program, UNBEGUN, SMALL_PARK_BEGAN), says);
  const folded = refold(program, SMALL_PARK_BEGAN, whole.records.toReversed());
  assert.deepEqual(folded.commands, [whole.end]);
});

/** The turn up to the first answer of a tool that changes something, and that tool's call. */
function cutAtTool(): { readonly program: Program; readonly records: readonly Recorded[]; readonly tool: Recorded } {
  const program = smallPark(PARK);
  const says = speaker([toolCall('buy_candy')]);
  const begun = advance(program, UNBEGUN, SMALL_PARK_BEGAN);
  for (let most = 1; most < 20; most += 1) {
    const { records } = playOn(program, begun, says, { most });
    const tool = records.find(({ key, event }) => key.endsWith('/tool') && event === undefined);
    if (tool !== undefined) return { program, records, tool };
  }
  return assert.fail('no tool was called');
}

test('a call with a side effect and without a recorded end fails the turn and is named', () => {
  const { program, records, tool } = cutAtTool();
  const [end, ...others] = refold(program, SMALL_PARK_BEGAN, records).commands;
  assert.ok(end?.kind === 'fail' && others.length === 0);
  assert.deepEqual([end.failure_class, end.call_key], ['interrupted', tool.key]);
  assert.match(end.message, /it is unknown whether \w+ side effect took place/);
});

test('a record of another request, or of a call that is never asked, ends the turn with record_mismatch', () => {
  const program = smallPark(PARK);
  const { records } = playOn(program, advance(program, UNBEGUN, SMALL_PARK_BEGAN), speaker([]), { most: 4 });
  const [first, ...rest] = records;
  assert.ok(first);
  const changed = refold(program, SMALL_PARK_BEGAN, [{ ...first, request_hash: '0'.repeat(64) }, ...rest]).commands;
  assert.deepEqual(
    changed.map((end) => end.kind === 'fail' && [end.failure_class, end.call_key]),
    [['record_mismatch', first.key]],
  );
  const strange = refold(program, SMALL_PARK_BEGAN, [
    ...records,
    { ...first, key: 'nobody/act/round-1/try-1' },
  ]).commands;
  assert.deepEqual(
    strange.map((end) => end.kind === 'fail' && end.failure_class),
    ['record_mismatch'],
  );
});

test('a turn that had failed ends with that failure, and nothing that was under way is asked again', () => {
  const program = smallPark(PARK);
  const begun = advance(program, UNBEGUN, SMALL_PARK_BEGAN);
  const invokes = begun.commands.flatMap((command) => (command.kind === 'invoke' ? [command] : []));
  const [weather, pa] = invokes;
  assert.ok(weather && pa);
  const failed: CallEvent = { kind: 'call_failed', key: weather.key, failure_class: 'http_status', message: '500' };
  const { commands } = refold(program, SMALL_PARK_BEGAN, [
    toRecorded(weather, failed),
    { key: pa.key, request_hash: pa.request_hash, effect: 'read_only', repeatable: false },
  ]);
  assert.deepEqual(
    commands.map((end) => end.kind === 'fail' && [end.failure_class, end.call_key]),
    [['http_status', weather.key]],
  );
});

test('a pending call stays pending: the attempt suspends again, and repeats no call', () => {
  const program = smallPark(PARK);
  const first = advance(program, UNBEGUN, SMALL_PARK_BEGAN);
  const [weather, pa] = first.commands;
  assert.ok(weather?.kind === 'invoke' && pa?.kind === 'invoke');
  const recordOf = (command: Invoke, event: Recorded['event']): Recorded => ({
    key: command.key,
    request_hash: command.request_hash,
    effect: command.call.effect,
    repeatable: command.call.repeatable,
    ...(event === undefined ? {} : { event }),
  });
  const pended = { kind: 'call_pended', key: pa.key, deadline: 70 } as const;
  const suspended = refold(program, SMALL_PARK_BEGAN, [recordOf(weather, answered(weather, 1)), recordOf(pa, pended)]);
  assert.deepEqual(suspended.commands, [{ kind: 'suspend', resume_deadline: 70 }]);
  const both = { ...pended, key: weather.key, deadline: 50 };
  assert.deepEqual(refold(program, SMALL_PARK_BEGAN, [recordOf(pa, pended), recordOf(weather, both)]).commands, [
    { kind: 'suspend', resume_deadline: 50 },
  ]);
  const one = refold(program, SMALL_PARK_BEGAN, [recordOf(pa, pended)]);
  assert.deepEqual(one.commands, [weather]);
  const step = advance(program, suspended.state, answered(pa, 2));
  assert.deepEqual(
    step.commands.map((command) => command.kind === 'invoke' && command.key),
    ['bob/ambient/inbox'],
  );
});

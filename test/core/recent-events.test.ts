import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../engine/contract/json.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { CallEvent } from '../../engine/core/protocol/event.js';
import { type Recorded, refold } from '../../engine/core/turn/refold.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { textOfPieces } from '../../engine/core/prompt/origins.js';
import { renderEvents } from '../../engine/core/world/recent-events.js';
import { composeWorld, type World } from '../../engine/core/world/world.js';
import type { WorldPatch } from '../../engine/core/world/world-patch.js';
import { smallPark, smallWorld } from '../support/park-documents.js';
import { finalPatch, modelSays, setState } from '../support/turn-player.js';

const RUNS = { numRuns: 150, seed: 20_260_503 };
const PLACES = ['barn', 'mill'];
const AGENTS = ['ada', 'ben', 'cleo', 'dan'];
const PROPS = ['bell', 'cart'];
const SIMULATION_TIME = '2026-05-01T09:01:00.000Z';

/** Where each entity is; some are nowhere. */
const whereArbitrary = fc.record(
  Object.fromEntries([...AGENTS, ...PROPS].map((id) => [id, fc.constantFrom(undefined, ...PLACES)])),
) as fc.Arbitrary<Readonly<Record<string, string | undefined>>>;

/** The target of an effect: an entity's state or memory, or a place. */
const targetArbitrary = fc.oneof(
  fc.record({ op: fc.constant('set_entity_state' as const), on: fc.constantFrom(...AGENTS, ...PROPS) }),
  fc.record({ op: fc.constant('append_entity_memory' as const), on: fc.constantFrom(...AGENTS) }),
  fc.record({ op: fc.constant('set_environment_content' as const), on: fc.constantFrom(...PLACES) }),
);
type Target = { readonly op: WorldPatch['effects'][number]['op']; readonly on: string };

const sceneArbitrary = fc.record({
  where: whereArbitrary,
  scope: fc.constantFrom('world' as const, 'subject_environment' as const),
  event_turns: fc.integer({ min: 1, max: 3 }),
  /** Of each turn, of each agent, what its patch touches. */
  turns: fc.array(fc.array(fc.array(targetArbitrary, { maxLength: 3 }), { minLength: 4, maxLength: 4 }), {
    minLength: 1,
    maxLength: 5,
  }),
});
type Scene = typeof sceneArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** A text that is in a world once, so that a prompt shows whether its reader knows it. */
interface Happening {
  readonly text: string;
  readonly turn: number;
  readonly by: string;
  /** Where it could be perceived: with an entity, in a place, or nowhere. */
  readonly with_entity?: string;
  readonly in_place?: string;
}

interface Shown {
  readonly subject: string;
  readonly turn: number;
  readonly events: string;
}

function programOf({ where, scope, event_turns }: Scene): Program {
  return smallPark({
    subjects: AGENTS,
    environments: PLACES.map((label) => ({ label, content: 'Quiet.' })),
    entities: [...AGENTS, ...PROPS].map((id) => ({
      id,
      name: id,
      kind: AGENTS.includes(id) ? 'agent' : 'prop',
      state: 'still',
      ...(where[id] === undefined ? {} : { environment: where[id] }),
    })),
    prompt: '{{world.recent_events}}',
    projection: { scope, memory: { recent: 0 }, events: { turns: event_turns } },
  });
}

function worldOf({ where }: Scene): World {
  const entities = [...AGENTS, ...PROPS].map((id) => {
    const kind = AGENTS.includes(id) ? ('agent' as const) : ('prop' as const);
    const environment = where[id] === undefined ? {} : { environment: where[id] };
    return { id, name: id, kind, state: 'still', memory: [], ...environment };
  });
  return composeWorld({
    slug: 'scene',
    turn: 0,
    environments: PLACES.map((label) => [label, { content: 'Quiet.' }]),
    entities,
    events: [],
  });
}

function patchOf(
  targets: readonly Target[],
  by: string,
  turn: number,
): { patch: JsonObject; happenings: readonly Happening[] } {
  const narration = `<said ${by} ${turn}>`;
  const effects = targets.map(({ op, on }, index): { effect: JsonObject; happening: Happening } => {
    const text = `<did ${by} ${turn} ${index}>`;
    const place = op === 'set_environment_content';
    const effect = {
      op,
      [place ? 'environment_label' : 'entity_id']: on,
      [op === 'set_entity_state' ? 'state' : 'content']: text,
    };
    const perceived = op === 'append_entity_memory' ? {} : place ? { in_place: on } : { with_entity: on };
    return { effect, happening: { text, turn, by, ...perceived } };
  });
  return {
    patch: finalPatch(
      effects.map(({ effect }) => effect),
      narration,
    ),
    happenings: [{ text: narration, turn, by, with_entity: by }, ...effects.map(({ happening }) => happening)],
  };
}

function eventsIn(command: Invoke): string {
  const segments = command.generation?.messages.flatMap((message) => message.segments) ?? [];
  return segments.flatMap(({ origin, text }) => (origin === 'world.recent_events' ? [text] : [])).join('');
}

/** Plays one turn; of each subject, what it was shown. */
function playTurn(program: Program, world: World, says: (command: Invoke) => CallEvent) {
  const asked: Invoke[] = [];
  const records: Recorded[] = [];
  let step = advance(program, UNBEGUN, { kind: 'turn_began', world, simulation_time: SIMULATION_TIME });
  for (let [command] = step.commands; command?.kind === 'invoke'; [command] = step.commands) {
    asked.push(command);
    const event = says(command);
    const { key, request_hash, call } = command;
    records.push({ key, request_hash, effect: call.effect, repeatable: call.repeatable, event });
    step = advance(program, step.state, event);
  }
  assert.equal(step.commands[0]?.kind, 'commit');
  return { asked, records, state: step.state };
}

function playScene(scene: Scene) {
  const program = programOf(scene);
  const happenings: Happening[] = [];
  const shown: Shown[] = [];
  const turns: { readonly world: World; readonly played: ReturnType<typeof playTurn> }[] = [];
  let world = worldOf(scene);
  for (const [index, patches] of scene.turns.entries()) {
    const turn = index + 1;
    const said = AGENTS.map((by, place) => patchOf(patches[place] ?? [], by, turn));
    happenings.push(...said.flatMap((one) => one.happenings));
    const played = playTurn(program, world, (command) =>
      modelSays(command, said[AGENTS.indexOf(command.subject_id ?? '')]?.patch ?? finalPatch()),
    );
    shown.push(
      ...played.asked.map((command) => ({ subject: command.subject_id ?? '', turn, events: eventsIn(command) })),
    );
    turns.push({ world, played });
    world = { ...played.state.world, turn };
  }
  return { program, happenings, shown, turns };
}

/** The rule, written a second time: the same place, or the whole world; itself always; memories never. */
function couldPerceive({ where, scope, event_turns }: Scene, { subject, turn }: Shown, happening: Happening): boolean {
  if (happening.with_entity === undefined && happening.in_place === undefined) return false;
  const isBefore =
    happening.turn < turn || (happening.turn === turn && AGENTS.indexOf(happening.by) < AGENTS.indexOf(subject));
  if (!isBefore || happening.turn < turn - event_turns) return false;
  if (scope === 'world' || happening.with_entity === subject) return true;
  const place = happening.in_place ?? where[happening.with_entity ?? ''];
  return place !== undefined && place === where[subject];
}

test('a subject gets every event that it could perceive in the turns it asks for, and no other', () => {
  fc.assert(
    fc.property(sceneArbitrary, (scene) => {
      const { happenings, shown } = playScene(scene);
      for (const one of shown)
        for (const event of happenings)
          assert.equal(
            one.events.includes(event.text),
            couldPerceive(scene, one, event),
            `${one.subject} in turn ${one.turn}: ${event.text}`,
          );
    }),
    RUNS,
  );
});

test('a turn that is folded again from any part of its record shows the same events', () => {
  fc.assert(
    fc.property(sceneArbitrary, fc.nat(), (scene, cut) => {
      const { program, turns } = playScene(scene);
      for (const { world, played } of turns) {
        const recorded = played.records.slice(0, cut % (played.records.length + 1));
        const began = { kind: 'turn_began', world, simulation_time: SIMULATION_TIME, at: 1_000 } as const;
        const { asked, commands } = refold(program, began, recorded);
        for (const command of asked.values()) {
          const before = played.asked.find(({ key }) => key === command.key);
          assert.equal(eventsIn(command), before && eventsIn(before));
        }
        assert.ok(commands.every(({ kind }) => kind !== 'fail'));
      }
    }),
    RUNS,
  );
});

test('a turn begins with the events of as many turns as some projection asks for', () => {
  const scene = (event_turns: number): Scene => ({
    where: { ada: 'barn', ben: 'barn' },
    scope: 'world',
    event_turns,
    turns: Array.from({ length: 5 }, () => [[], [], [], []]),
  });
  const turnsKnown = (event_turns: number) => {
    const events = playScene(scene(event_turns)).turns.at(-1)?.played.state.world.events ?? [];
    return [...new Set(events.map(({ turn }) => turn))];
  };
  assert.deepEqual(turnsKnown(1), [4, 5]);
  assert.deepEqual(turnsKnown(3), [2, 3, 4, 5]);
  assert.equal(smallPark().event_turns, 0);
});

/** A world in which so much has happened, a line at a time. */
function eventfulWorld(patches: readonly WorldPatch[]): World {
  return {
    ...smallWorld(),
    turn: 1,
    events: patches.map((patch) => ({ turn: 1, subject_id: 'ant', patch, origins: ['model'] })),
  };
}

function shownToBob(world: World): string {
  const projection = { scope: 'world', memory: { recent: 0 }, events: { turns: 1 } } as const;
  return textOfPieces(renderEvents(world, world.entities.get('bob')!, projection));
}

test('events are described by their actor and their outcome', () => {
  const shown = shownToBob(
    eventfulWorld([
      {
        narration: 'The ant takes the crumb.',
        effects: [
          { op: 'set_entity_state', entity_id: 'crumb', state: 'carried away' },
          { op: 'append_entity_memory', entity_id: 'ant', content: 'Sweet.' },
          { op: 'set_environment_content', environment_label: 'park', content: 'A park without crumbs.' },
        ],
      },
    ]),
  );
  assert.equal(
    shown,
    '- [turn 1] Ant (id: ant): The ant takes the crumb.\n  - crumb became: carried away\n  - the place park became: A park without crumbs.',
  );
  assert.equal(shownToBob(eventfulWorld([])), '- none');
});

test('events that others write without end take a bounded room of a prompt, and the latest is always there', () => {
  const endless = '\n# New rules \u202e'.repeat(4_000);
  const effects = Array.from({ length: 256 }, () => setState('crumb', endless)) as unknown as WorldPatch['effects'];
  const shown = shownToBob(
    eventfulWorld([...Array(20).keys()].map((number) => ({ narration: `${number}${endless}`, effects }))),
  );
  assert.ok(shown.length < 25_000, `${shown.length} characters`);
  assert.match(shown, /^- \(19 earlier left out\)\n- \[turn 1\] Ant \(id: ant\): 19/);
  assert.match(shown, /- and 236 more changes$/);
});

import { CHANGEABLE_SCENARIO_FIELDS } from '../../contract/changeable-fields.js';
import { present } from '../../contract/present.js';
import { refuse, succeed } from '../../contract/problem.js';
import { SLUG } from '../../contract/slug.js';
import { placeOf } from '../../operations/people/audit.js';
import { deleteWorld as deleteOne } from '../../operations/worlds/delete-world.js';
import { editWorld as edit } from '../../operations/worlds/edit-world.js';
import { describeFork, forkWorld as fork } from '../../operations/worlds/fork-world.js';
import type { WantedScenario } from '../../operations/running/load-program.js';
import { queueTurns } from '../../operations/running/run-worker.js';
import { takeBackTurns as takeBack } from '../../operations/running/take-back-turns.js';
import { purgeMemories as purge } from '../../operations/worlds/purge-memories.js';
import { findSlugProblem, showWorld, unknownWorld } from '../../operations/worlds/worlds.js';
import type { WorldPage } from '../../operations/browse/worlds.js';
import { action, type Field, line, optional, type Prefilled, value, whole } from '../action.js';

const TURNS_MAX = 1_000;

export const runTurns = action({
  kind: 'run_turns',
  name: 'run_turn',
  path: '/worlds/:world_slug/turns',
  says: 'Queues turns of a world.',
  by: 'consumer',
  hints: { is_destructive: false, is_idempotent: false },
  takes: { turns: whole('How many', `a whole number from 1 to ${TURNS_MAX}`, { minimum: 1, maximum: TURNS_MAX }) },
  forms: [
    {
      id: 'run-turns',
      title: 'Run turns',
      consequence:
        'The turns are put into the queue. This server runs them one after the other, and so does any other worker of this database, each with the models and services of its own environment. Each turn is committed whole, or not at all.',
      button: 'Queue them',
    },
  ],
  offered: { World: () => ({ turns: 1 }) },
  locate: async (engine, { world_slug, turns }) => placeOf(await showWorld(engine, { world_slug }), { turns }),
  async perform(engine, { world_slug, turns }) {
    const queued = await queueTurns(engine, { world_slug, turns });
    if (!queued.ok) return queued;
    const { queued: count, waiting } = queued.value;
    const said = count === 1 ? 'A turn is' : `${count} turns are`;
    const message = `${said} queued; ${waiting} ${waiting === 1 ? 'waits' : 'wait'} in all.`;
    return succeed({ accepted: true, message, world: world_slug, made: queued.value });
  },
});

export const takeBackTurns = action({
  kind: 'take_back_turns',
  name: 'take_back_turns',
  path: '/worlds/:world_slug/queue/stop',
  says: 'Takes back the queued turns of a world that have not begun.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: true },
  takes: {},
  is_reason_optional: true,
  forms: [
    {
      id: 'take-back-turns',
      title: 'Take back queued turns',
      consequence: 'The queued turns that have not begun are removed. A turn that has begun continues.',
      button: 'Take them back',
    },
  ],
  offered: { World: () => ({}) },
  locate: async (engine, { world_slug }) => placeOf(await showWorld(engine, { world_slug })),
  perform: (engine, { world_slug }, { surface }) => takeBack(engine, world_slug, surface),
});

/** A stored scenario, by its hash; one that was read from a file is stored with its fork. */
const scenario: Field<WantedScenario> = {
  label: 'Scenario',
  control: 'choice',
  schema: { type: 'string' },
  wanted: 'the hash of a stored scenario',
  refused_by: ['SCENARIO_DIFFERS'],
  read: (said) => (typeof said === 'string' && said.trim() !== '' ? { scenario_hash: said.trim() } : undefined),
};

export const forkWorld = action({
  kind: 'fork_world',
  name: 'fork_world',
  path: '/worlds/:world_slug/fork',
  says: 'Forks a world at a turn, by the scenario of that turn or by a stored one with this hash.',
  by: 'consumer',
  hints: { is_destructive: false, is_idempotent: false },
  takes: {
    at_turn: whole('After turn', 'a turn of the world', { minimum: 0 }, 'TURN_UNKNOWN'),
    as: line(
      'Name of the new world, such as park-what-if',
      'the name of the new world',
      'WORLD_EXISTS',
      'WORLD_SLUG_INVALID',
    ),
    scenario: optional(scenario),
  },
  forms: [
    {
      id: 'fork',
      title: 'Fork',
      consequence: `This makes a new world. It shares all turns up to the named one, and continues from there. Another scenario may differ from its own in ${CHANGEABLE_SCENARIO_FIELDS} alone. This world does not change, and no call is made.`,
      button: 'Fork',
    },
  ],
  offered: { World: toFork, Turn: toFork },
  async locate(engine, { world_slug, at_turn, as }) {
    const unusable = findSlugProblem(as);
    if (unusable !== undefined) return refuse(unusable);
    return placeOf(await showWorld(engine, { world_slug }), { at_turn, as });
  },
  async perform(engine, { world_slug, at_turn, as, scenario: wanted }) {
    const request = present({ source_slug: world_slug, at_turn, world_slug: as, scenario: wanted });
    const forked = await fork(engine, request);
    if (!forked.ok) return forked;
    const said = await describeFork(engine, request, forked.value);
    const message = `${said} It runs no turn until one is queued or run.`;
    return succeed({ accepted: true, message, world: as, made: forked.value });
  },
});

/** A fork after the turn that is shown, by the scenario of that turn or by a stored one. */
function toFork({ turn, offered_scenarios }: Pick<WorldPage, 'turn' | 'offered_scenarios'>): Prefilled {
  const stored = offered_scenarios.map(({ hash, label }) => ({ value: hash, text: `${label} (${hash.slice(0, 8)})` }));
  return { at_turn: turn, scenario: [{ value: '', text: 'the one that this turn had' }, ...stored] };
}

const IS_ORIGIN = new RegExp(`^(author|person|scenario|world|model|source:${SLUG})$`);

/** An origin of memories, as policies write them. */
const origin: Field<string> = {
  label: 'Origin, such as source:inbox',
  control: 'line',
  schema: { type: 'string' },
  wanted: 'author, person, scenario, world, model, or source: and the label of a source',
  read: (said) => (typeof said === 'string' && IS_ORIGIN.test(said) ? said : undefined),
};

export const purgeMemories = action({
  kind: 'purge_memories',
  name: 'purge_memories',
  commands: [{ name: 'memory purge' }],
  path: '/worlds/:world_slug/memory/purge',
  says: 'Takes the memories of an origin out of the present of a world; its turns so far keep them.',
  by: 'operator',
  hints: { is_destructive: true, is_idempotent: true },
  takes: { origin },
  forms: [
    {
      id: 'purge-memories',
      title: 'Purge memories',
      consequence:
        'No agent of this world remembers any more what this origin had a part in. The turns so far keep it, and so do forks that were made before.',
      button: 'Purge them',
    },
  ],
  offered: { World: () => ({}) },
  locate: async (engine, { world_slug, origin }) => placeOf(await showWorld(engine, { world_slug }), { origin }),
  perform: (engine, { world_slug, origin }) => purge(engine, world_slug, origin),
});

export const editWorld = action({
  kind: 'edit_world',
  path: '/worlds/:world_slug/edits',
  says: 'Changes a world by a patch of a person, as a turn of its own.',
  by: 'operator',
  hints: { is_destructive: false, is_idempotent: false },
  takes: { patch: value('Patch: {"narration", "effects"}') },
  forms: [
    {
      id: 'edit',
      title: 'Edit the world',
      consequence:
        'The patch becomes the next turn of the world, with your name and your reason. Nobody else acts in it, and no call is made. Agents perceive its effects like those of others.',
      button: 'Change the world',
    },
  ],
  offered: { World: () => ({}) },
  locate: async (engine, { world_slug }) => placeOf(await showWorld(engine, { world_slug })),
  async perform(engine, { world_slug, patch }, { acted_by, reason }) {
    const edited = await edit(engine, { world_slug, patch, edited_by: acted_by, ...present({ reason }) });
    if (!edited.ok) return edited;
    const message = `The patch is turn ${edited.value.turn} of ${world_slug}.`;
    return succeed({ accepted: true, message, world: world_slug, made: edited.value });
  },
});

export const deleteWorld = action({
  kind: 'delete_world',
  path: '/worlds/:world_slug/deletion',
  says: 'Deletes a world with all that is recorded of it, for good.',
  by: 'command',
  hints: { is_destructive: true, is_idempotent: true },
  takes: {},
  is_reason_optional: true,
  forms: [],
  async locate({ store }, { world_slug }) {
    const world = await store.worlds.find(world_slug);
    if (world === undefined) return unknownWorld({ store }, world_slug);
    return placeOf(succeed(world), { world_slug, turn: world.turn });
  },
  async perform(engine, { world_slug }) {
    const deleted = await deleteOne(engine, world_slug);
    if (!deleted.ok) return deleted;
    const message = `Deleted ${world_slug} with its ${deleted.value.rows} rows.`;
    return succeed({ accepted: true, message, made: deleted.value });
  },
});

import { type Outcome, type Refused, succeed } from '../../../contract/problem.js';
import { Argument, Option } from 'commander';
import { forkByHand, make } from '../../../catalogue/act.js';
import { actHereOrThere } from '../../../catalogue/here-or-there.js';
import { deleteWorld, forkWorld } from '../../../catalogue/actions/worlds.js';
import { personHere } from '../../../operations/people/person-here.js';
import { present } from '../../../contract/present.js';
import { findNamed, isWholeHash } from '../../../operations/worlds/change-scenario.js';
import { diffPlaces, type DiffRequest } from '../../../operations/worlds/diff-worlds.js';
import type { Archive, Engine } from '../../../operations/engine.js';
import { type StoryRequest, readStory } from '../../../operations/worlds/world-story.js';
import { createWorld, listWorlds, lookAtWorld, unknownWorld } from '../../../operations/worlds/worlds.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import {
  editedScenarioOption,
  pathOption,
  ROOT,
  type RootOptions,
  SLUG,
  toPlace,
  toWorldPlace,
  wholeOption,
} from '../arguments.js';
import { acknowledgementLines } from '../render/acknowledgement.js';
import { diff } from '../../../catalogue/resources/diff.js';
import { asOperator } from '../resource-command.js';
import { viewLines } from '../render/view.js';
import { EMPTY, hanging, line, type Lines } from '../render/line.js';
import { waysToRun } from '../render/ways-to-run.js';
import { shownWorldLines, worldLines, worldListLines, worldStoryLines } from '../render/world.js';
import { answer, printRefused, refuseUsage, type Session, show, withArchive, withEngine } from '../session.js';
import type { CommandEntry } from './entry.js';
import { TRANSFER_COMMANDS } from './world-transfer.js';

export const WORLD_COMMANDS: readonly CommandEntry[] = [
  { name: 'world', says: 'Make worlds and look at them.' },
  {
    name: 'world create',
    says: 'Make a world from a scenario.',
    takes: [
      new Argument('<slug>', 'its name: lower-case letters and digits, joined by - or _'),
      pathOption(
        '--scenario <path|hash>',
        'a file or folder, which is stored, or the hash of a stored scenario',
      ).makeOptionMandatory(),
      ROOT,
    ],
    run: create,
  },
  {
    name: 'world list',
    says: 'List all worlds, and name their database.',
    run: (session) => show(session, listInDatabase, { json: (listed) => listed, lines: worldListLines }),
  },
  {
    name: 'world show',
    says: 'Show a world as it is now, or as it was after a turn.',
    takes: [SLUG, wholeOption('--turn <n>', 'as it was at the end of this turn; 0 is its start', [0])],
    run: (session, world_slug: string, turn: { readonly turn?: number }) =>
      show(session, (archive) => lookAtWorld(archive, { world_slug, ...turn }), { lines: shownWorldLines }),
  },
  {
    name: 'world diff',
    says: 'Show what changed from one turn of a world to another, or how two worlds differ.',
    takes: [
      new Argument('<a>', 'a world, with two turns after it; or a world at a turn: SLUG@N'),
      new Argument('<b>', 'the first turn; or another world at a turn'),
      new Argument('[c]', 'the second turn'),
      new Option('--blame', 'name the patch, the call and the exact model text behind each change'),
      new Option('--entity <id>', 'only changes of this entity'),
      new Option('--subject <id>', 'only changes in which this subject took part'),
    ],
    async run(session, a: string, b: string, c: string | undefined, options: DiffOptions) {
      const request = toDiff([a, b, c], options);
      return show(session, (archive) => diffPlaces(archive, request), {
        lines: (found) => viewLines(diff.view(found, asOperator())),
      });
    },
  },
  {
    name: 'world story',
    says: 'Print the turns of a world as prose.',
    takes: [
      SLUG,
      wholeOption('--from <n>', 'the first turn', [1]),
      wholeOption('--to <n>', 'the last turn', [1]),
      new Option('--entity <id>', 'only patches of this entity, or that touched it'),
      new Option('--subject <id>', 'only patches of this subject'),
    ],
    run: (session, world_slug: string, wanted: Omit<StoryRequest, 'world_slug'>) =>
      show(session, (archive) => readStory(archive, { world_slug, ...wanted }), { lines: worldStoryLines }),
  },
  {
    name: 'world fork',
    says: 'Make a world that shares the turns of another up to one of them, and continues on its own.',
    takes: [
      new Argument('<slug>', 'the name of the world to fork'),
      wholeOption('--at <n>', 'the last turn that both worlds share; 0 is the start', [0]).makeOptionMandatory(),
      new Option('--as <slug>', 'the name of the new world').makeOptionMandatory(),
      editedScenarioOption('continue with these documents, in place of those of turn N'),
      new Option('--reason <text>', 'why; the record keeps it'),
      ROOT,
    ],
    run: fork,
  },
  {
    name: 'world delete',
    says: 'Delete a world with all that is recorded of it, for good. Its documents stay.',
    takes: [
      SLUG,
      new Option('--yes', 'delete it without asking'),
      new Option('--reason <text>', 'why; the record keeps it'),
    ],
    run: deleteOne,
  },
  ...TRANSFER_COMMANDS,
];

/** The worlds, and where they are: in another folder there is another embedded database. */
async function listInDatabase(archive: Archive) {
  const listed = await listWorlds(archive);
  return listed.ok ? succeed({ database: archive.store.database.description, worlds: listed.value }) : listed;
}

interface DiffOptions extends Pick<DiffRequest, 'entity' | 'subject'> {
  readonly blame?: boolean;
}

/** Two turns of one world may be written as `SLUG A B`. */
function toDiff(
  [a, b, c]: readonly [string, string, string | undefined],
  { blame = false, ...only }: DiffOptions,
): DiffRequest {
  const from = toWorldPlace(c === undefined ? a : `${a}@${b}`);
  const to = toWorldPlace(c === undefined ? b : `${a}@${c}`);
  return { from, to, blame, ...only };
}

interface ScenarioOptions extends RootOptions {
  readonly scenario: string;
}

async function create(session: Session, world_slug: string, options: ScenarioOptions) {
  const made = await withEngine(session, async (engine) => {
    const scenario = await findNamed(engine, { scenario: options.scenario, place: toPlace(session, options) });
    if (!scenario.ok) return scenario;
    return toMade(engine, await createWorld(engine, { world_slug, ...scenario.value }));
  });
  return answer(session, made, { json: ({ world }) => world, lines: madeLines });
}

/** A new world, and whether its database is there when the command has ended. */
interface Made {
  readonly world: WorldSnapshot;
  readonly is_kept: boolean;
  /** Its origin, in a sentence. */
  readonly origin?: string;
}

function toMade({ store }: Engine, made: Outcome<WorldSnapshot>, origin?: string): Outcome<Made> {
  return made.ok ? succeed(present({ world: made.value, is_kept: store.database.is_kept, origin })) : made;
}

function madeLines({ world, is_kept, origin }: Made): Lines {
  const shown = [worldLines(world), EMPTY, origin !== undefined && hanging(0, origin)];
  if (!is_kept) return [shown, line('The database was in memory: the world is lost when this command ends.')];
  return [shown, line('Run it:'), waysToRun(world.world_slug)];
}

interface ForkOptions extends RootOptions {
  readonly at: number;
  readonly as: string;
  readonly scenario?: string;
  readonly reason?: string;
}

async function fork(session: Session, world_slug: string, { at: at_turn, as, scenario, reason, root }: ForkOptions) {
  const named = scenario === undefined ? undefined : { scenario, place: toPlace(session, present({ root })) };
  const here = async (engine: Engine) => {
    const request = { world_slug, at_turn, as, ...present({ named }) };
    const forked = await forkByHand(engine, request, personHere(reason));
    return forked.ok ? toMade(engine, succeed(forked.value.world), forked.value.origin) : forked;
  };
  // The server knows stored scenarios alone.
  const isKnownThere = named === undefined || isWholeHash(named);
  const input = isKnownThere ? { world_slug, at_turn, as, ...present({ scenario }) } : undefined;
  return answer(session, await actHereOrThere(session.composition, forkWorld, input, reason, here), {
    json: (done) => ('accepted' in done ? done.made : done.world),
    lines: (done) => ('accepted' in done ? acknowledgementLines(done) : madeLines(done)),
  });
}

interface DeleteOptions {
  readonly yes?: boolean;
  readonly reason?: string;
}

async function deleteOne(session: Session, world_slug: string, { yes = false, reason }: DeleteOptions) {
  const { ask } = session.terminal;
  if (!yes && (ask === undefined || session.as_json)) {
    const message = `Deleting ${JSON.stringify(world_slug)} has to be confirmed, and there is no terminal to ask at.`;
    return refuseUsage(session, message, 'Add --yes to delete it.');
  }
  // A world that is looked up first makes no database for its deletion.
  const turns = await countTurns(session, world_slug);
  if (typeof turns !== 'string') return printRefused(session, turns);
  const question = `Delete ${world_slug} and ${turns} for good? [y/N] `;
  if (!yes && !/^y(es)?$/i.test((await ask?.(question))?.trim() ?? ''))
    return answer(session, succeed(undefined), { lines: () => [line('Nothing was deleted.')] });
  const here = (engine: Engine) => make(engine, deleteWorld, { world_slug }, personHere(reason));
  return answer(session, await actHereOrThere(session.composition, deleteWorld, { world_slug }, reason, here), {
    json: (done) => ('accepted' in done ? done.made : done),
    lines: () => [line(`Deleted ${world_slug}.`)],
  });
}

/** The turns of a world, in words; a server that holds the database does not tell their number. */
async function countTurns(session: Session, world_slug: string): Promise<string | Refused> {
  const found = await withArchive(session, async (archive) => {
    const world = await archive.store.worlds.find(world_slug);
    return world === undefined ? unknownWorld(archive, world_slug) : succeed(world);
  });
  if (found.ok) return `its ${found.value.turn} turns`;
  return found.problems.some(({ code }) => code === 'DATABASE_LOCKED') ? 'all its turns' : found;
}

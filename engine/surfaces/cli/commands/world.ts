import type { Command } from 'commander';
import type { Done, Engine } from '../../../operations/engine.js';
import { type Deleted, deleteWorld } from '../../../operations/delete-world.js';
import { diffPlaces, type DiffRequest } from '../../../operations/diff-worlds.js';
import { forkWorld } from '../../../operations/fork-world.js';
import { findNamed, placeRefusal } from '../../../operations/change-scenario.js';
import { createWorld, listWorlds, lookAtWorld } from '../../../operations/worlds.js';
import { type StoryRequest, tellWorld } from '../../../operations/tell-world.js';
import type { WorldRecord, WorldSnapshot } from '../../../ports/worlds.js';
import {
  atOption,
  editedScenarioOption,
  entityOption,
  rootOption,
  subjectOption,
  toPath,
  toWorldPlace,
  turnBoundOption,
  turnOption,
  slugArgument,
} from '../arguments.js';
import { diffLines } from '../render/diff.js';
import { command, commandLines, EMPTY, type Line, line } from '../render/line.js';
import { toStandIns } from '../render/run.js';
import { shownWorldLines, worldLines, worldListLines, worldStoryLines } from '../render/world.js';
import { answer, type Perform, printProblem, type Session, show, withEngine } from '../session.js';
import { addTransfer } from './world-transfer.js';
import { type RootOptions, toPlace } from '../place.js';

interface ScenarioOptions extends RootOptions {
  readonly scenario: string;
}

interface ForkOptions extends RootOptions {
  readonly at: number;
  readonly as: string;
  readonly scenario?: string;
}

export function addWorld(program: Command, perform: Perform): void {
  const world = program.command('world').description('Make worlds and look at them.');
  addCreate(world, perform);
  addListAndShow(world, perform);
  addDiff(world, perform);
  addStory(world, perform);
  addFork(world, perform);
  addDelete(world, perform);
  addTransfer(world, perform);
}

function addCreate(world: Command, perform: Perform): void {
  world
    .command('create')
    .argument('<slug>', 'its name: lower-case letters and digits, joined by - or _')
    .requiredOption(
      '--scenario <path|hash>',
      'a file or folder, which is stored with it, or the hash of a stored scenario',
      toPath,
    )
    .addOption(rootOption())
    .description('Make a world from a scenario.')
    .action((slug: string, options: ScenarioOptions) => perform((session) => create(session, slug, options)));
}

function addListAndShow(world: Command, perform: Perform): void {
  world
    .command('list')
    .description('List all worlds.')
    .action(() =>
      perform((session) => show(session, listWorlds, { json: (worlds) => ({ worlds }), lines: worldListLines })),
    );
  world
    .command('show')
    .addArgument(slugArgument())
    .addOption(turnOption())
    .description('Show a world as it is now, or as it was after a turn.')
    .action((slug: string, options: { readonly turn?: number }) =>
      perform((session) =>
        show(session, (archive) => lookAtWorld(archive, { world_slug: slug, ...options }), { lines: shownWorldLines }),
      ),
    );
}

function addDiff(world: Command, perform: Perform): void {
  world
    .command('diff')
    .argument('<a>', 'a world, with two turns after it; or a world at a turn: SLUG@N')
    .argument('<b>', 'the first turn; or another world at a turn')
    .argument('[c]', 'the second turn')
    .option('--blame', 'name the patch, the call and the exact model text behind each change')
    .addOption(entityOption('only what changed of this entity'))
    .addOption(subjectOption('only what this subject has had a part in'))
    .description('Show what changed from one turn of a world to another, or how two worlds differ.')
    .action((a: string, b: string, c: string | undefined, options: DiffOptions) =>
      perform((session) => {
        const request = toDiff([a, b, c], options);
        return show(session, (archive) => diffPlaces(archive, request), { lines: diffLines });
      }),
    );
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

function addStory(world: Command, perform: Perform): void {
  world
    .command('story')
    .addArgument(slugArgument())
    .addOption(turnBoundOption('--from', 'the first turn'))
    .addOption(turnBoundOption('--to', 'the last turn'))
    .addOption(entityOption('only what touched this entity, or what it did'))
    .addOption(subjectOption('only what this subject did'))
    .description('Retell the turns of a world as prose.')
    .action((slug: string, { from, to, ...only }: StoryOptions) =>
      perform(async (session) => {
        const turns = {
          ...(from === undefined ? {} : { from_turn: from }),
          ...(to === undefined ? {} : { to_turn: to }),
        };
        return show(session, (archive) => tellWorld(archive, { world_slug: slug, ...turns, ...only }), {
          lines: worldStoryLines,
        });
      }),
    );
}

interface StoryOptions extends Pick<StoryRequest, 'entity' | 'subject'> {
  readonly from?: number;
  readonly to?: number;
}

function addDelete(world: Command, perform: Perform): void {
  world
    .command('delete')
    .addArgument(slugArgument())
    .option('--yes', 'delete it without asking')
    .description('Delete a world with all that is recorded of it, for good. Its documents stay.')
    .action((slug: string, { yes = false }: { readonly yes?: boolean }) =>
      perform(async (session) => {
        const { ask } = session.terminal;
        if (!yes && (ask === undefined || session.as_json)) {
          const message = `Deleting ${JSON.stringify(slug)} has to be confirmed, and there is no terminal to ask at.`;
          return printProblem(session, { code: 'USAGE', message, repair: 'Add --yes to delete it.' });
        }
        const confirm = async ({ turn }: WorldRecord): Promise<boolean> =>
          yes || /^y(es)?$/i.test((await ask?.(`Delete ${slug} and its ${turn} turns for good? [y/N] `))?.trim() ?? '');
        return show(session, (archive) => deleteWorld(archive, slug, confirm), { lines: deletedLines });
      }),
    );
}

function deletedLines(deleted: Deleted): readonly Line[] {
  return [line(deleted === undefined ? 'Nothing was deleted.' : `Deleted ${deleted.world}.`)];
}

function addFork(world: Command, perform: Perform): void {
  world
    .command('fork')
    .argument('<slug>', 'the name of the world to leave')
    .addOption(atOption())
    .requiredOption('--as <slug>', 'the name of the new world')
    .addOption(editedScenarioOption('go on by edited documents'))
    .addOption(rootOption())
    .description('Make a world that shares the turns of another up to one of them, and continues on its own.')
    .action((slug: string, options: ForkOptions) => perform((session) => fork(session, slug, options)));
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
}

function toMade({ store }: Engine, made: Done<WorldSnapshot>): Done<Made> {
  return made.ok ? { ok: true, value: { world: made.value, is_kept: store.database.is_kept } } : made;
}

function madeLines({ world, is_kept }: Made): readonly Line[] {
  if (!is_kept)
    return [...worldLines(world), EMPTY, line('The database was in memory: the world is gone with this command.')];
  const run = ['run', world.world_slug];
  const ways = [[command(...run), 'asks the models of its sources'] as const, ...toStandIns(run)];
  return [...worldLines(world), EMPTY, line('Run it:'), ...commandLines('  ', ways)];
}

async function fork(session: Session, source_slug: string, options: ForkOptions) {
  const request = { source_slug, at_turn: options.at, world_slug: options.as };
  const made = await withEngine(session, async (engine) => {
    if (options.scenario === undefined) return toMade(engine, await forkWorld(engine, request));
    const named = { scenario: options.scenario, place: toPlace(session, options) };
    const scenario = await findNamed(engine, named);
    if (!scenario.ok) return scenario;
    const forked = await forkWorld(engine, { ...request, scenario: scenario.value });
    return forked.ok ? toMade(engine, forked) : placeRefusal(engine, named, forked);
  });
  return answer(session, made, { json: ({ world }) => world, lines: madeLines });
}

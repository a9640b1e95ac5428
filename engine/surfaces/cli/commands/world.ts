import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { placeInScenario, readScenario } from '../../../operations/author.js';
import { getComponent, HASH_DIGITS_MIN, HASH_LENGTH } from '../../../operations/components.js';
import type { Done, Engine, Refused } from '../../../operations/engine.js';
import { diffTurns } from '../../../operations/diff-worlds.js';
import { forkWorld } from '../../../operations/fork-world.js';
import type { WantedScenario } from '../../../operations/load-program.js';
import { createWorld, listWorlds, lookAtWorld } from '../../../operations/worlds.js';
import type { WorldSnapshot } from '../../../ports/records.js';
import { atOption, rootOption, toPath, turnArgument, turnOption } from '../arguments.js';
import { diffLines } from '../render/diff.js';
import { accent, type Line, line, verbatim } from '../render/line.js';
import { shownWorldLines, worldLines, worldListLines } from '../render/world.js';
import { answer, type Perform, type Session, withArchive, withEngine } from '../session.js';
import { addTransfer } from './world-transfer.js';
import { type RootOptions, toPlace } from '../place.js';

interface CreateOptions extends RootOptions {
  readonly scenario: string;
}

interface ForkOptions extends RootOptions {
  readonly at: number;
  readonly as: string;
  readonly scenario?: string;
}

/** `chukwa world create`, `list`, `show`, `diff`, `fork`, `export` and `import` */
export function addWorld(program: Command, perform: Perform): void {
  const world = program.command('world').helpGroup('Worlds:').description('Make worlds and look at them.');
  addCreate(world, perform);
  addListAndShow(world, perform);
  addDiff(world, perform);
  addFork(world, perform);
  addTransfer(world, perform);
}

function addCreate(world: Command, perform: Perform): void {
  world
    .command('create')
    .helpGroup('Worlds:')
    .argument('<slug>', 'its name: lower-case letters and digits, joined by - or _')
    .requiredOption(
      '--scenario <path|hash>',
      'a file or folder, which is stored with it, or the hash of a stored scenario',
      toPath,
    )
    .addOption(rootOption())
    .description('Make a world from a scenario.')
    .action((slug: string, options: CreateOptions) => perform((session) => create(session, slug, options)));
}

function addListAndShow(world: Command, perform: Perform): void {
  world
    .command('list')
    .helpGroup('Worlds:')
    .description('List all worlds.')
    .action(() =>
      perform(async (session) =>
        answer(session, await withArchive(session, listWorlds), {
          json: (worlds) => ({ worlds }),
          lines: worldListLines,
        }),
      ),
    );
  world
    .command('show')
    .helpGroup('Worlds:')
    .argument('<slug>', 'the name of the world')
    .addOption(turnOption())
    .description('Show a world as it stands, or as it stood at a turn.')
    .action((slug: string, options: { readonly turn?: number }) => perform((session) => show(session, slug, options)));
}

function addDiff(world: Command, perform: Perform): void {
  world
    .command('diff')
    .helpGroup('Worlds:')
    .argument('<slug>', 'the name of the world')
    .addArgument(turnArgument('a', 'a turn; 0 is its start'))
    .addArgument(turnArgument('b', 'another turn'))
    .option('--blame', 'name the patch, the call and the exact model text behind each change')
    .description('Show what changed in a world from turn A to turn B, and what brought it about.')
    .action((slug: string, a: number, b: number, options: { readonly blame?: boolean }) =>
      perform(async (session) => {
        const request = { world_slug: slug, from_turn: a, to_turn: b, blame: options.blame ?? false };
        const diff = await withArchive(session, (archive) => diffTurns(archive, request));
        return answer(session, diff, { json: (found) => found, lines: diffLines });
      }),
    );
}

function addFork(world: Command, perform: Perform): void {
  world
    .command('fork')
    .helpGroup('Worlds:')
    .argument('<slug>', 'the name of the world to leave')
    .addOption(atOption())
    .requiredOption('--as <slug>', 'the name of the new world')
    .option('--scenario <path|hash>', 'go on by edited workflows: a scenario of the same time and roster', toPath)
    .addOption(rootOption())
    .description('Make a world that shares the turns of another up to one, and goes on by itself.')
    .action((slug: string, options: ForkOptions) => perform((session) => fork(session, slug, options)));
}

async function create(session: Session, world_slug: string, options: CreateOptions) {
  const made = await withEngine(session, async (engine) => {
    const scenario = await findScenario(session, engine, options);
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
  const next = is_kept
    ? verbatim('Run it: ', accent(`npx chukwa run ${world.world_slug}`))
    : line('The database was in memory: the world is gone with this command.');
  return [...worldLines(world), verbatim(), next];
}

async function fork(session: Session, source_slug: string, options: ForkOptions) {
  const request = { source_slug, at_turn: options.at, world_slug: options.as };
  const made = await withEngine(session, async (engine) => {
    if (options.scenario === undefined) return toMade(engine, await forkWorld(engine, request));
    const named = { ...options, scenario: options.scenario };
    const scenario = await findScenario(session, engine, named);
    if (!scenario.ok) return scenario;
    const forked = await forkWorld(engine, { ...request, scenario: scenario.value });
    return forked.ok ? toMade(engine, forked) : placeRefusal(session, engine, named, forked);
  });
  return answer(session, made, { json: ({ world }) => world, lines: madeLines });
}

/** What keeps a scenario from being gone on by stands in its file, where a file was named. */
async function placeRefusal(
  session: Session,
  { authoring }: Engine,
  options: CreateOptions,
  refused: Refused,
): Promise<Refused> {
  if (isHash(session, options)) return refused;
  const paths = { place: toPlace(session, options), paths: [options.scenario] };
  return { ...refused, problems: await placeInScenario(authoring, paths, refused.problems) };
}

async function findScenario(session: Session, engine: Engine, options: CreateOptions): Promise<Done<WantedScenario>> {
  if (!isHash(session, options)) {
    const read = await readScenario(engine, options.scenario, toPlace(session, options));
    return read.ok ? { ok: true, value: { usable: read.value } } : read;
  }
  if (options.scenario.length === HASH_LENGTH) return { ok: true, value: { scenario_hash: options.scenario } };
  const found = await getComponent(engine, { kind: 'scenario', hash: options.scenario });
  return found.ok ? { ok: true, value: { scenario_hash: found.value.hash } } : found;
}

/** The digits of a hash, of which the first will do, are a path where there is one. */
function isHash({ terminal }: Session, { scenario }: Pick<CreateOptions, 'scenario'>): boolean {
  const isDigits = /^[0-9a-f]+$/.test(scenario) && scenario.length >= HASH_DIGITS_MIN;
  return isDigits && !existsSync(resolve(terminal.working_folder, scenario));
}

async function show(session: Session, world_slug: string, { turn }: { readonly turn?: number }) {
  const request = { world_slug, ...(turn === undefined ? {} : { turn }) };
  const world = await withArchive(session, (archive) => lookAtWorld(archive, request));
  return answer(session, world, { json: (shown) => shown, lines: shownWorldLines });
}

import type { Command } from 'commander';
import { putScenario } from '../../../operations/author.js';
import type { Done, Engine } from '../../../operations/engine.js';
import { createWorld, listWorlds, showWorld } from '../../../operations/worlds.js';
import { rootOption, turnOption } from '../arguments.js';
import { accent, verbatim } from '../render/line.js';
import { worldLines, worldListLines } from '../render/world.js';
import { answer, type Perform, type Session, withEngine } from '../session.js';
import { type RootOptions, toPlace } from '../place.js';

interface CreateOptions extends RootOptions {
  readonly scenario: string;
}

const HASH = /^[0-9a-f]{64}$/;

/** `chukwa world create`, `list` and `show` */
export function addWorld(program: Command, perform: Perform): void {
  const world = program.command('world').helpGroup('Worlds:').description('Make worlds and look at them.');
  world
    .command('create')
    .helpGroup('Worlds:')
    .argument('<slug>', 'its name: lower-case letters and digits, joined by - or _')
    .requiredOption('--scenario <path|hash>', 'a file or folder, which is put first, or the hash of a stored scenario')
    .addOption(rootOption())
    .description('Make a world from a scenario.')
    .action((slug: string, options: CreateOptions) => perform((session) => create(session, slug, options)));
  world
    .command('list')
    .helpGroup('Worlds:')
    .description('List all worlds.')
    .action(() =>
      perform(async (session) =>
        answer(session, await withEngine(session, listWorlds), {
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

async function create(session: Session, world_slug: string, options: CreateOptions) {
  const made = await withEngine(session, async (engine) => {
    const scenario = await findScenario(session, engine, options);
    return scenario.ok ? createWorld(engine, { world_slug, scenario_hash: scenario.value }) : scenario;
  });
  return answer(session, made, {
    json: (world) => world,
    lines: (world) => [
      ...worldLines(world),
      verbatim(),
      verbatim('Run it: ', accent(`npx chukwa run ${world.world_slug}`)),
    ],
  });
}

async function findScenario(session: Session, engine: Engine, options: CreateOptions): Promise<Done<string>> {
  const { scenario } = options;
  return HASH.test(scenario) ? { ok: true, value: scenario } : putScenario(engine, scenario, toPlace(session, options));
}

async function show(session: Session, world_slug: string, { turn }: { readonly turn?: number }) {
  const request = { world_slug, ...(turn === undefined ? {} : { turn }) };
  const world = await withEngine(session, (engine) => showWorld(engine, request));
  return answer(session, world, { json: (shown) => shown, lines: worldLines });
}

import type pg from 'pg';
import { catchUpWhole } from '../../../engine/operations/browse/search.js';
import { WORLD_TABLES } from '../../../engine/store/transfer/tables.js';
import { copyRows } from '../copies.js';
import { say } from '../measures.js';
import { type Scene, writeScene } from '../scene.js';
import { startServices } from '../services.js';
import { connect, makeFolder, onStage } from '../stage.js';
import { openWorlds } from '../worlds.js';

const CALLS = 1_000_000;
const TURNS = 100;
/** A turn has 19 calls. */
const SCENE: Scene = { places: ['room'], tool_calls: 9 };
const LONG_ATTEMPT_CALLS = 10_000;
/** The world with so long an attempt. */
export const LONG = 'copy-0';
/** Every copy of a text has a word of its own. */
const RARE_WORD = `'number' || copy || 'x' || original.turn || 'x' || original.entry_seq`;

/** Fills a database with a million calls: a world is played, and copied. */
export async function fill(url: string): Promise<void> {
  await onStage(async (stage) => {
    const services = await startServices(stage, SCENE);
    const variables = { ...services.variables, CHUKWA_DATABASE_URL: url };
    const played = await writeScene(await makeFolder(stage), SCENE);
    const { engine, turn } = await openWorlds(stage, variables, played, ['played', 'long']);
    say(`playing ${TURNS} turns`);
    for (let count = 0; count < TURNS; count += 1) await turn('played');
    await turn('long');
    await catchUpWhole(engine);
  });
  await onStage(async (stage) => copyWorlds(await connect(stage, url)));
}

async function copyWorlds(database: pg.Client): Promise<void> {
  const countCalls = async (world_slug: string): Promise<number> => {
    const text = 'SELECT count(*)::int AS count FROM source_invocations WHERE world_slug = $1';
    return (await database.query<{ count: number }>(text, [world_slug])).rows[0]?.count ?? Number.NaN;
  };
  say('copying it until there are a million calls');
  const worlds = Math.ceil(CALLS / (await countCalls('played')));
  await copyRows(database, 'played', WORLD_TABLES, [1, worlds], {
    'search_entries.text': `original.text || ' ' || ${RARE_WORD}`,
    'search_entries.words': `original.words || to_tsvector('simple', ${RARE_WORD})`,
  });
  // Pages of a document show the latest attempts, and the long one is none of them: its copy is the oldest.
  await copyRows(database, 'long', WORLD_TABLES, [0, 0]);
  // Within an attempt, the copies of a call are further rounds.
  const copies = Math.ceil(LONG_ATTEMPT_CALLS / (await countCalls(LONG)));
  await copyRows(database, LONG, ['source_invocations', 'llm_calls', 'llm_chunks'], [1, copies], {
    world_slug: 'original.world_slug',
    attempt_id: 'original.attempt_id',
    invocation_seq: 'original.invocation_seq + 100 * copy',
    command_key: "replace(original.command_key, '/round-', '/round-' || copy)",
  });
  await database.query('VACUUM ANALYZE');
}

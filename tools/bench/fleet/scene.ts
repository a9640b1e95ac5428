import { join } from 'node:path';
import pg from 'pg';
import { compose } from '../../../engine/main.js';
import { putScenario } from '../../../engine/operations/author.js';
import type { Engine } from '../../../engine/operations/engine.js';
import { must } from '../turns/must.js';

/** A database with many worlds in which nothing is to be done. */
export interface Scene {
  readonly engine: Engine;
  readonly worlds: readonly string[];
  /** A connection that is not the engine's. */
  readonly outside: pg.Client;
  /** Forgets all that was queued. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

const WORLDS = 1_000;

/** Makes the worlds. */
export async function openScene(url: string): Promise<Scene> {
  const composition = await compose({ CHUKWA_DATABASE_URL: url });
  const engine = must(await composition.openEngine());
  const workflows = join(composition.package_root, 'workflows');
  const place = { working_folder: workflows, root: workflows };
  const scenario_hash = must(await putScenario(engine, join(workflows, 'simple', 'scenario.json'), place));
  const worlds = Array.from({ length: WORLDS }, (_none, index) => `idle-${index}`);
  const about = { scenario_hash, start_time: '2026-05-01T09:00:00.000Z', created_at: Date.now() };
  for (const world_slug of worlds) await engine.store.worlds.create({ world_slug, ...about });
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  await outside.query('ALTER TABLE agent_inbox DISABLE TRIGGER rows_stay');
  return {
    engine,
    worlds,
    outside,
    empty: async () => void (await outside.query('DELETE FROM agent_inbox')),
    close: async () => {
      await outside.end();
      await engine.close();
    },
  };
}

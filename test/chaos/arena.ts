import { join } from 'node:path';
import { putScenario } from '../../engine/operations/authoring/author.js';
import type { Engine } from '../../engine/operations/engine.js';
import { type RunReport, runTurns } from '../../engine/operations/running/run-turns.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import type { Store } from '../../engine/store/open-store.js';
import { toStore } from '../../engine/store/open-store.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { type DatabaseKind, openTestDatabase, type TestDatabase } from '../support/databases.js';
import { loadScript, must, openParkStage, type ParkStage, ROOT } from '../support/park-stage.js';
import { Died, type Life, type MortalEngine, mortalEngine } from './mortal-driver.js';

/** Services, a model and a database that outlive the drivers which die on them. */
export interface Arena {
  readonly stage: ParkStage;
  readonly database: TestDatabase;
  /** A store as a process of its own would have it. */
  freshStore(): Store;
  /** An engine on such a store. */
  freshEngine(): Engine;
  /** An engine on such a store whose driver dies. */
  mortalEngine(life: Life): MortalEngine;
  /** A fresh world of a scenario, with services and model as freshly started. */
  makeWorld(scenario: string, staged?: Staged): Promise<string>;
  /** Runs turns by a driver of its own, which dies. */
  play(world_slug: string, life: Life, turns?: number): Promise<Played>;
  close(): Promise<void>;
}

/** The place of a scenario that does not ship, and its model's answers. */
export interface Staged {
  readonly workflows: string;
  readonly says: Answers;
}

export interface Played {
  /** How many steps the driver took. */
  readonly steps: number;
  /** Left out where it died. */
  readonly report?: RunReport;
}

/** Opens an arena. Close it. */
export async function openArena(kind: DatabaseKind): Promise<Arena> {
  const stage = await openParkStage('PostgreSQL');
  const database = await openTestDatabase(kind);
  const freshStore = (): Store => toStore(database.database, []);
  const freshEngine = (): Engine => ({ ...mortalEngine(stage.engine, freshStore(), Infinity).engine });
  const mortal = (life: Life): MortalEngine => mortalEngine(stage.engine, freshStore(), life);
  let worlds = 0;
  return {
    stage,
    database,
    freshStore,
    freshEngine,
    mortalEngine: mortal,
    makeWorld: async (scenario, staged) => {
      stage.toys.reset();
      stage.model.reset();
      stage.model.setScript(staged?.says ?? (await loadScript(scenario)));
      const root = staged?.workflows ?? join(ROOT, 'workflows');
      return makeWorld(freshEngine(), join(root, scenario, 'scenario.json'), `${scenario}-${(worlds += 1)}`);
    },
    play: (world_slug, life, turns = 1) => play(mortal(life), world_slug, turns),
    close: async () => {
      await stage.close();
      await database.close();
    },
  };
}

async function makeWorld(engine: Engine, scenario: string, world_slug: string): Promise<string> {
  const root = join(scenario, '../..');
  const put = await putScenario(engine, scenario, { working_folder: root, root });
  must(await createWorld(engine, { world_slug, scenario_hash: must(put) }));
  return world_slug;
}

async function play(
  { engine, done }: ReturnType<typeof mortalEngine>,
  world_slug: string,
  turns: number,
): Promise<Played> {
  const { signal } = new AbortController();
  try {
    const report = must(await runTurns(engine, { world_slug, turns, signal, onProgress: () => {} }));
    return { steps: done(), report };
  } catch (error) {
    if (error instanceof Died) return { steps: done() };
    throw error;
  }
}

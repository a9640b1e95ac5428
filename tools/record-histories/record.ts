import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RENDERER_VERSION } from '../../engine/core/prompt/renderer-version.js';
import type { Recorded } from '../../engine/core/turn/refold.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { loadScenario } from '../../engine/operations/running/load-program.js';
import { simulationTime } from '../../engine/core/world/simulation-time.js';
import type { Scenario } from '../../engine/generated/scenario.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import { toRecorded } from '../../engine/runtime/event-of.js';
import { listRecordedCalls } from '../../engine/store/attempts/recorded-calls.js';
import type { OpenDatabase } from '../../engine/store/database.js';
import { openInFolder } from '../../engine/store/embedded.js';
import { readWorld } from '../../engine/store/world-snapshot.js';
import { openParkStage } from '../../test/support/park-stage.js';
import { startUnreliableService } from '../../test/support/unreliable-service.js';
import { type AttemptResult, foldCalls, toRecordedAudit } from './fold.js';
import {
  asJson,
  fromRecordedWorld,
  type History,
  type HistorySet,
  type RecordedDocument,
  toRecordedWorld,
} from './history.js';
import { type Played, SCENES, toStage } from './scenes.js';
import { must } from '../must.js';

const DURATION_MS = 1;
/** The deadline of each pending call: 2030-01-01. */
const DEADLINE = 1_893_456_000_000;

interface PlayedAttempt extends Played {
  readonly scenario: Scenario;
  readonly program: Program;
}

/**
 * Plays every scene with the real engine on an embedded database, against services on this machine, and reads the
 * durable record. Two recordings by the same code are equal.
 */
export async function recordHistories(): Promise<HistorySet> {
  const data_dir = await mkdtemp(join(tmpdir(), 'chukwa-histories-'));
  const removals: (() => unknown)[] = [() => rm(data_dir, { recursive: true, force: true })];
  try {
    const { played, documents } = await playScenes(data_dir, (remove) => removals.push(remove));
    const database = must(await openInFolder(data_dir, undefined));
    const histories = new Map<string, History>();
    for (const one of played) histories.set(one.name, await readHistory(database, one));
    await database.close();
    return { renderer_version: RENDERER_VERSION, documents, histories };
  } finally {
    for (const remove of removals) await remove();
  }
}

async function playScenes(data_dir: string, after: (remove: () => unknown) => unknown) {
  let weather_url = '';
  const weather = await startUnreliableService(() => weather_url);
  const park = await openParkStage('embedded', ({ CHUKWA_TOY_WEATHER_URL = '' }) => {
    weather_url = CHUKWA_TOY_WEATHER_URL;
    return { CHUKWA_DATABASE_URL: '', CHUKWA_DATA_DIR: data_dir, CHUKWA_TOY_WEATHER_URL: weather.url };
  });
  const { engine, toys, model } = park;
  const stage = toStage(park, weather, { after: (remove) => void after(remove) });
  try {
    const played: PlayedAttempt[] = [];
    const documents = new Map<string, RecordedDocument>();
    for (const scene of SCENES) {
      toys.reset();
      model.reset();
      for (const one of await scene(stage)) {
        const { scenario_hash } = one.attempt;
        played.push({ ...one, ...must(await loadScenario(engine, scenario_hash)) });
        for (const { kind, hash, content } of await engine.store.components.closure('scenario', scenario_hash))
          documents.set(hash, { kind, hash, content });
      }
    }
    return { played, documents: [...documents.values()].toSorted(byHash) };
  } finally {
    await park.close();
    await weather.close();
  }
}

const byHash = (left: RecordedDocument, right: RecordedDocument): number => (left.hash < right.hash ? -1 : 1);

async function readHistory(
  database: OpenDatabase,
  { shows, attempt, scenario, program }: PlayedAttempt,
): Promise<History> {
  const { world_slug, attempt_id, attempted_turn, scenario_hash } = attempt;
  const { calls } = await listRecordedCalls(database, { world_slug, attempt_id });
  const place = { world_slug, turn: attempted_turn - 1, event_turns: program.event_turns };
  const world = toRecordedWorld(await readWorld(database, place));
  const simulation_time = new Date(simulationTime(scenario, attempted_turn) ?? 0).toISOString();
  const began = { kind: 'turn_began', world: fromRecordedWorld(world), simulation_time } as const;
  const records = calls.map((call) => withoutTime(toRecorded(call)));
  const { used, steps, result: folded } = foldCalls(program, began, records);
  const unused = calls.length - used.length;
  assert.equal(unused, 0, `${unused} calls of ${world_slug} are never asked for`);
  const result = toResult(attempt);
  assert.deepEqual(folded, result, `the fold of ${world_slug} and its record differ`);
  return asJson({ shows, scenario_hash, simulation_time, world, calls: used, result, steps }) as unknown as History;
}

function toResult({ status, failure_class, patches, audit }: AttemptRecord): AttemptResult {
  return {
    status,
    failure_class,
    patches: patches.map(({ source_invocation_id: _call, llm_call_id: _generation, origins: _origins, ...patch }) => ({
      ...patch,
      effects: patch.effects.map(({ sources: _sources, ...effect }) => effect),
    })),
    audit: audit.map((entry) => toRecordedAudit(entry)),
  };
}

/** Replaces values that differ between recordings. */
function withoutTime({ key, request_hash, effect, repeatable, event }: Recorded): Recorded {
  const recorded = { key, request_hash, effect, repeatable };
  if (event === undefined) return recorded;
  if (event.kind === 'call_pended') return { ...recorded, event: { ...event, deadline: DEADLINE } };
  if (event.kind === 'call_refused') return { ...recorded, event };
  return { ...recorded, event: { ...event, duration_ms: event.duration_ms === undefined ? 0 : DURATION_MS } };
}

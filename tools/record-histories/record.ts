import assert from 'node:assert/strict';
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
import { openServer } from '../../engine/store/server.js';
import { readWorld } from '../../engine/store/world-snapshot.js';
import { openParkStage, type ParkStage } from '../../test/support/park-stage.js';
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

/**
 * Plays every scene with the real engine against services on this machine, and reads the durable record. Two recordings by
 * the same code are equal.
 */
export async function recordHistories(): Promise<HistorySet> {
  const ends: (() => unknown)[] = [];
  try {
    const weather = await startUnreliableService(() => park.toys.weather.url);
    const park: ParkStage = await openParkStage('PostgreSQL', () => ({ CHUKWA_TOY_WEATHER_URL: weather.url }));
    const database = must(await openServer(park.variables['CHUKWA_DATABASE_URL'] ?? ''));
    ends.push(weather.close, park.close, database.close);
    const stage = toStage(park, weather, { after: (remove) => void ends.push(remove) });
    const documents = new Map<string, RecordedDocument>();
    const histories = new Map<string, History>();
    for (const scene of SCENES) {
      park.toys.reset();
      park.model.reset();
      for (const played of await scene(stage)) {
        const { scenario_hash } = played.attempt;
        const loaded = must(await loadScenario(park.engine, scenario_hash));
        histories.set(played.name, await readHistory(database, played, loaded));
        for (const { kind, hash, content } of await park.engine.store.components.closure('scenario', scenario_hash))
          documents.set(hash, { kind, hash, content });
      }
    }
    const inOrder = [...documents.values()].toSorted((left, right) => (left.hash < right.hash ? -1 : 1));
    return { renderer_version: RENDERER_VERSION, documents: inOrder, histories };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function readHistory(
  database: OpenDatabase,
  { shows, attempt }: Played,
  { scenario, program }: { readonly scenario: Scenario; readonly program: Program },
): Promise<History> {
  const { world_slug, attempt_id, attempted_turn, scenario_hash } = attempt;
  const { calls } = await listRecordedCalls(database, { world_slug, attempt_id });
  const place = { world_slug, turn: attempted_turn - 1, event_turns: program.event_turns };
  const world = toRecordedWorld(await readWorld(database, place));
  const simulation_time = new Date(simulationTime(scenario, attempted_turn) ?? 0).toISOString();
  const began = { kind: 'turn_began', world: fromRecordedWorld(world), simulation_time } as const;
  const records = calls.map((call) => withoutChance(toRecorded(call)));
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
function withoutChance({ key, request_hash, effect, repeatable, event }: Recorded): Recorded {
  const recorded = { key, request_hash, effect, repeatable };
  if (event === undefined) return recorded;
  if (event.kind === 'call_pended') return { ...recorded, event: { ...event, deadline: DEADLINE } };
  if (event.kind === 'call_refused') return { ...recorded, event };
  const timed = { ...event, duration_ms: event.duration_ms === undefined ? 0 : DURATION_MS };
  if (timed.kind !== 'call_failed') return { ...recorded, event: timed };
  // Failures name the port of a service and the id of their call.
  const message = timed.message
    .replace(/(?<=127\.0\.0\.1):\d+/g, '')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
  return { ...recorded, event: { ...timed, message } };
}

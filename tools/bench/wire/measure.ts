import pg from 'pg';
import { showAttempt } from '../../../engine/operations/records.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import type { BenchStage } from '../stage/stage.js';
import { type EngineArm, openEngineArm, PARK } from '../turns/engine-arm.js';
import { must } from '../turns/must.js';
import { countTrips, type TripCount } from './count-trips.js';
import { type CountingProxy, openCountingProxy } from './counting-proxy.js';

const LONG_TURN = 3;

/** Database round trips, counted on their way between the engine and a PostgreSQL server. */
export async function measureRoundTrips(
  url: string,
  stage: BenchStage,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  progress.say('counting round trips');
  const proxy = await openCountingProxy(url);
  try {
    const arm = await openEngineArm({ CHUKWA_DATABASE_URL: proxy.url }, stage.variables, { scenario: PARK });
    try {
      await stage.speak(LONG_TURN);
      await countTurn(arm, proxy);
      const short = await countTurn(arm, proxy);
      const long = await countTurn(arm, proxy);
      return [toCallRow(short), toFlushRow(long, await countFlushes(url, long.attempt_id))];
    } finally {
      await stage.speak(null);
      await stage.takeCalls();
      await arm.close();
    }
  } finally {
    await proxy.close();
  }
}

interface CountedTurn extends TripCount {
  readonly attempt_id: string;
  readonly calls: number;
}

async function countTurn({ engine, turn }: EngineArm, proxy: CountingProxy): Promise<CountedTurn> {
  proxy.take();
  const { attempt_id } = await turn();
  const trips = countTrips(proxy.take());
  const { invocations } = must(await showAttempt(engine, attempt_id));
  return { ...trips, attempt_id, calls: invocations.length };
}

function toCallRow({ of_calls, of_flushes, calls, before_calls, after_calls }: CountedTurn): Row {
  return toRow({
    id: 'round_trips_per_call',
    what: 'database round trips per source call',
    value: (of_calls - of_flushes) / calls,
    unit: 'trips',
    goal: { kind: 'at_most', value: 2 },
    note: `${calls} calls; ${before_calls} before the first, ${after_calls} after the last`,
  });
}

function toFlushRow({ of_flushes, calls }: CountedTurn, flushes: number): Row {
  if (flushes === 0) throw new Error('the long stream was not flushed while it streamed: make it longer');
  return toRow({
    id: 'round_trips_per_flush',
    what: 'round trips per flush of a long stream',
    value: of_flushes / flushes,
    unit: 'trips',
    goal: { kind: 'exactly', value: 1 },
    note: `${flushes} flushes in a turn of ${calls} calls`,
  });
}

/** The batches of an attempt's streams that were written before their call's finish. */
async function countFlushes(url: string, attempt_id: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ flushes: number }>(
      `SELECT count(*)::int AS flushes FROM llm_chunks JOIN llm_calls USING (world_slug, llm_call_id)
       WHERE attempt_id = $1`,
      [attempt_id],
    );
    return rows[0]?.flushes ?? 0;
  } finally {
    await client.end();
  }
}

import pg from 'pg';
import type { Store } from '../../../engine/store/open-store.js';
import type { ProgressLine } from '../progress.js';
import type { Curve, Point } from './curve.js';
import { measureTimes } from './measure-times.js';
import { openRoom } from './room.js';

const CALLS = [1_000, 10_000, 100_000, 1_000_000, 5_000_000];
/** Of the world whose calls are copied: one a turn. */
const FIRST_CALLS = 10;
/** Fresh rows are not in memory yet, and their pages are still to be written. */
const WARM_UP = 20;
const MEASURED = 31;

/** The cost of a turn and of a list of its calls, over how many calls the database holds. */
export async function traceStored(url: string, progress: ProgressLine): Promise<readonly Curve[]> {
  const room = await openRoom(url, 'stored');
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  const turns: Point[] = [];
  const lists: Point[] = [];
  try {
    for (let turn = 0; turn < FIRST_CALLS; turn += 1) await room.turn();
    let stored = FIRST_CALLS;
    for (const x of CALLS) {
      progress.say(`storing ${x.toLocaleString('en')} calls`);
      await copyCalls(outside, stored, x);
      stored = x;
      await outside.query('ANALYZE');
      await outside.query('CHECKPOINT');
      await measureTimes(outside, WARM_UP, () => room.turn());
      turns.push({ x, ...(await measureTimes(outside, MEASURED, () => room.turn())) });
      lists.push({ x, ...(await measureTimes(outside, MEASURED, () => timeList(room.engine.store))) });
    }
  } finally {
    await outside.end();
    await room.close();
  }
  const over = { over: 'calls in the database', unit: 'ms' } as const;
  return [
    { id: 'stored_turn', title: 'a turn', ...over, points: turns },
    { id: 'stored_list', title: 'the newest fifty calls', ...over, points: lists },
  ];
}

async function timeList(store: Store): Promise<number> {
  const began = performance.now();
  await store.browse.invocations({ limit: 50 });
  return performance.now() - began;
}

/**
 * Copies the calls of the first world, with their attempts, into worlds that are not there otherwise. Triggers and foreign
 * keys are left out: only the size of tables and indexes is measured.
 */
async function copyCalls(outside: pg.Client, from: number, to: number): Promise<void> {
  await outside.query("SET session_replication_role = 'replica'");
  for (const table of ['attempts', 'source_invocations', 'llm_calls']) {
    const { rows } = await outside.query<{ columns: string }>(COLUMNS, [table]);
    const columns = rows[0]?.columns ?? '';
    await outside.query(toCopy(table, columns), [from / FIRST_CALLS, to / FIRST_CALLS - 1]);
  }
  await outside.query("SET session_replication_role = 'origin'");
}

const COLUMNS = `
  SELECT string_agg(quote_ident(attname), ', ') AS columns
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;

/** Each copy has a world of its own; its ids are those of the first with the copy's number in their first digits. */
function toCopy(table: string, columns: string): string {
  const values = columns
    .split(', ')
    .map((column) => {
      if (column === 'world_slug') return "'copy-' || copy";
      if (['attempt_id', 'source_invocation_id', 'llm_call_id'].includes(column))
        return `overlay(${column}::text PLACING lpad(to_hex(copy), 8, '0') FROM 1 FOR 8)::uuid`;
      return `original.${column}`;
    })
    .join(', ');
  return `INSERT INTO ${table} (${columns})
    SELECT ${values} FROM ${table} original, generate_series($1::int, $2::int) copy
    WHERE world_slug = 'stored' AND attempt_id IN (
      SELECT attempt_id FROM attempts WHERE world_slug = 'stored' AND attempted_turn <= ${FIRST_CALLS})`;
}

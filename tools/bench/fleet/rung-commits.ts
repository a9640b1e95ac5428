import pg from 'pg';
import { openBell, WAKEUP_CHANNEL } from '../../../engine/store/doorbell/bell.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';

const WRITERS = [1, 4, 16];
const BLOCK_MS = 400;
const BLOCKS = 9;

/** When a commit that makes something due notifies. `within`: in its own transaction, as the engine does not. */
const WAYS = ['silent', 'after', 'within'] as const;
type Way = (typeof WAYS)[number];

/** The cost of notifying for commits, over how many connections commit at a time. A listener receives all of it. */
export async function measureRungCommits(url: string, progress: ProgressLine): Promise<readonly Row[]> {
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  await outside.query(`LISTEN ${WAKEUP_CHANNEL}`);
  await outside.query('CREATE TABLE bench_commits (writer int, made bigint)');
  try {
    const rows: Row[] = [];
    for (const writers of WRITERS) {
      progress.say(`committing over ${writers} connections`);
      rows.push(await compareWays(url, writers));
    }
    return rows;
  } finally {
    await outside.query('DROP TABLE bench_commits');
    await outside.end();
  }
}

/** Runs the ways turn about. */
async function compareWays(url: string, writers: number): Promise<Row> {
  const pool = new pg.Pool({ connectionString: url, max: writers + 1 });
  // The database is dropped at the end, perhaps while a session of this pool still closes.
  pool.on('error', () => {});
  const rounds: Readonly<Record<Way, number>>[] = [];
  try {
    for (let block = 0; block <= BLOCKS; block += 1) {
      const round: Record<Way, number> = { silent: 0, after: 0, within: 0 };
      for (const way of WAYS) round[way] = await countCommits(pool, writers, way);
      if (block > 0) rounds.push(round);
    }
  } finally {
    await pool.end();
  }
  const share = (way: Way): number => median(rounds.map((round) => round[way] / round.silent));
  const silent = (median(rounds.map(({ silent }) => silent)) * 1000) / BLOCK_MS;
  return toRow({
    id: `rung_commits_${writers}`,
    what: `commits that notify afterwards over commits that do not, ${writers} at a time`,
    value: share('after'),
    unit: 'x',
    goal: { kind: 'at_least', value: 0.85 },
    note: `${silent.toFixed(0)} commits/s that do not; ${share('within').toFixed(2)} x where each notifies within its transaction`,
  });
}

/** @returns how many commits there were in a block */
async function countCommits(pool: pg.Pool, writers: number, way: Way): Promise<number> {
  const bell = openBell(pool);
  const until = performance.now() + BLOCK_MS;
  let made = 0;
  const notify = way === 'within' ? `, pg_notify('${WAKEUP_CHANNEL}', 'world-' || $1::text)` : '';
  const text = `WITH written AS (INSERT INTO bench_commits VALUES ($1::int, $2::bigint)) SELECT 1${notify}`;
  const write = async (writer: number): Promise<void> => {
    while (performance.now() < until) {
      await pool.query({ name: way, text, values: [writer, made] });
      made += 1;
      if (way === 'after') bell.ring([`world-${writer}`]);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_none, writer) => write(writer)));
  await bell.close();
  return made;
}

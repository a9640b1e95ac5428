import type pg from 'pg';
import { estimateTokens } from '../../../engine/core/protocol/token-counts.js';
import { sealEntries } from '../../../engine/core/ledger/seal.js';
import { toMessage } from '../../../engine/core/prompt/message.js';
import { writeLedger } from '../../../engine/core/ledger/write-ledger.js';
import { verifyClaim } from '../../../engine/core/evidence/claim.js';
import { gatherClaim } from '../../../engine/operations/evidence/gather.js';
import { loadSigningKey } from '../../../engine/operations/evidence/signing-key.js';
import { readPlanned } from '../../../engine/operations/ledger/read-ledger.js';
import { verifyWorld } from '../../../engine/operations/ledger/verify.js';
import { must } from '../../must.js';
import { withClient, withDatabases } from '../databases.js';
import { inFolder } from '../documents.js';
import { median, say, spendCpu } from '../measures.js';
import { renderNumber, type Row, toRow } from '../row.js';
import { withStage } from '../stage.js';
import { openWorlds, PARK, type Variables, type Worlds } from '../worlds.js';

const WORLD = `proofs-${process.pid}`;
const ENTRIES = 10_000;
const TIMES = 30;

/** What seals, their verification, proofs and estimates cost. */
export async function measureProofs(): Promise<readonly Row[]> {
  return [
    ...measureEstimates(),
    ...(await inFolder((folder) =>
      inWorld('the embedded database', { CHUKWA_DATA_DIR: `${folder}/data` }, async (worlds) => [
        await measureVerification(worlds, 'the embedded database', spendHere),
        ...(await measureProof(worlds, folder)),
      ]),
    )),
    ...(await withDatabases(async (make) => {
      const url = await make('proofs');
      return inWorld('PostgreSQL', { CHUKWA_DATABASE_URL: url }, (worlds, turns_ms) =>
        withClient(url, async (client) => [
          await measureVerification(worlds, 'PostgreSQL', async (work) => {
            const { value, spent } = await spendCpu(client, [], work);
            return { value, ms: spent.own + spent.database };
          }),
          ...(await measureSeals(worlds, client, turns_ms)),
        ]),
      );
    })),
  ];
}

/** Plays turns of the park until they have enough entries. @param task is given how long each turn took */
function inWorld(
  where: string,
  database: Variables,
  task: (worlds: Worlds, turns_ms: readonly number[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  return withStage(async (stage) => {
    const worlds = await openWorlds(database, stage.first, { ...PARK, world_slugs: [WORLD] });
    try {
      const turns_ms: number[] = [];
      let turns = 1;
      for (let turn = 0; turn < turns; turn += 1) {
        say(`running turn ${turn + 1} of ${turns} on ${where}`);
        const begun = performance.now();
        await worlds.turn();
        turns_ms.push(performance.now() - begun);
        if (turn === 0) turns = Math.ceil(ENTRIES / (await countEntries(worlds)));
      }
      return await task(worlds, turns_ms);
    } finally {
      await worlds.close();
    }
  });
}

/** The entries of the first turn; those after it have as many. */
async function countEntries({ engine }: Worlds): Promise<number> {
  const [seal] = await engine.store.ledger.seals(WORLD);
  return (seal?.leaf_hashes.length ?? 0) / 32;
}

/** Does something, and says how much CPU that took. */
type Spend = <Value>(work: () => Promise<Value>) => Promise<{ readonly value: Value; readonly ms: number }>;

/** The CPU of this process, which is also that of the embedded database. */
const spendHere: Spend = async (work) => {
  const cpu = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, ms: (user + system) / 1000 };
};

async function measureVerification({ engine }: Worlds, where: string, spend: Spend): Promise<Row> {
  say(`verifying the world on ${where}`);
  const begun = performance.now();
  const { value, ms } = await spend(() => verifyWorld(engine, WORLD));
  const seconds = (performance.now() - begun) / 1000;
  const found = must(value);
  if (!found.ok) throw new Error(found.says);
  return toRow({
    id: `verify, ${where}`,
    what: `verification of a world on ${where}: CPU`,
    value: ms / 1000,
    unit: 's',
    goal: { kind: 'at_most', value: 2 },
    note: `${found.entries} entries of ${found.attempts} attempts, in a process that has verified none before; it took ${renderNumber(seconds)} s`,
  });
}

/** A proof is gathered, with a checkpoint that is signed; and it is verified. */
async function measureProof({ engine }: Worlds, folder: string): Promise<readonly Row[]> {
  say('proving claims');
  const key = must(await loadSigningKey(`${folder}/key`));
  const gathered: number[] = [];
  const verified: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const wanted = { world_slug: WORLD, entity_id: 'bob', redact: [], now: Date.now() };
    const { value, ms } = await spendHere(() => gatherClaim(engine, { key, anchor: undefined }, wanted));
    gathered.push(ms);
    const { text } = must(value);
    const begun = performance.now();
    must(verifyClaim(text, key));
    verified.push(performance.now() - begun);
  }
  return [
    toRow({
      id: 'proof_gathered',
      what: 'proof of one claim on the embedded database, gathered: CPU',
      value: median(gathered),
      unit: 'ms',
      goal: { kind: 'at_most', value: 50 },
      note: `the median of ${TIMES}, each with a signed checkpoint over all seals of the world`,
    }),
    toRow({
      id: 'proof_verified',
      what: 'proof of one claim, verified',
      value: median(verified),
      unit: 'ms',
      goal: { kind: 'at_most', value: 50 },
      note: `the median of ${TIMES}, with nothing but its file`,
    }),
  ];
}

/** A seal is what the driver computes of its facts, and one row. The row is written once more by itself, and taken back. */
async function measureSeals(
  { engine }: Worlds,
  client: pg.Client,
  turns_ms: readonly number[],
): Promise<readonly Row[]> {
  say('sealing');
  const attempt_id = (await engine.store.ledger.ended(WORLD)).at(-1)?.attempt_id ?? '';
  const { plan, facts } = must(await readPlanned(engine, attempt_id));
  const computed: number[] = [];
  for (let time = 0; time < 10 * TIMES; time += 1) {
    const begun = performance.now();
    sealEntries(writeLedger(plan, facts));
    computed.push(performance.now() - begun);
  }
  const written: number[] = [];
  const logged: number[] = [];
  const readPosition = async (): Promise<number> => {
    const { rows } = await client.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`);
    return Number(rows[0]?.bytes);
  };
  for (let time = 0; time < TIMES; time += 1) {
    await client.query('BEGIN');
    // The statement that ends an attempt has locked both before it seals.
    await client.query('SELECT FROM worlds JOIN attempts USING (world_slug) WHERE world_slug = $1 FOR UPDATE', [WORLD]);
    const before = await readPosition();
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { 'Execution Time': number }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) INSERT INTO seals
       SELECT world_slug, seal_seq + 1, attempt_id, source_invocation_id, leaf_hashes, root, root, sealed_at FROM seals
       WHERE world_slug = $1 ORDER BY seal_seq DESC LIMIT 1`,
      [WORLD],
    );
    logged.push((await readPosition()) - before);
    await client.query('ROLLBACK');
    written.push(rows[0]?.['QUERY PLAN'][0]?.['Execution Time'] ?? Number.NaN);
  }
  const turn = median(turns_ms.slice(-10 * TIMES));
  const sealing = median(computed) + median(written);
  return [
    toRow({
      id: 'seal_time',
      what: 'turn of the park on PostgreSQL, over the same without its seal: time',
      value: turn / (turn - sealing),
      unit: 'x',
      goal: { kind: 'at_most', value: 1.05 },
      note: `of ${renderNumber(turn)} ms: ${renderNumber(median(computed))} ms for both ledgers and their hashes, ${renderNumber(median(written))} ms for the row, written by itself`,
    }),
    toRow({
      id: 'seal_log',
      what: 'write-ahead log of the seal of a turn of the park on PostgreSQL',
      value: median(logged) / 1000,
      unit: 'KB',
      goal: { kind: 'at_most', value: 1 },
      note: `the median of ${TIMES} rows, written by themselves after the locks of their statement, without whole pages`,
    }),
  ];
}

/** Each prompt is new, as the first of a conversation is: a message is counted once. */
function measureEstimates(): readonly Row[] {
  say('estimating prompts');
  return [4, 19, 80].map((kilobytes) => {
    const times = Array.from({ length: 10 * TIMES }, (_none, time) => {
      const line = `- [turn ${time}] Ant Alpha carries the crumb to the “colony”, slowly.\n`;
      const text = line.repeat(Math.floor((kilobytes * 1000) / Buffer.byteLength(line)));
      const messages = [toMessage('user', [{ origin: 'world', text }])];
      const begun = performance.now();
      estimateTokens(messages, '');
      return performance.now() - begun;
    });
    return toRow({
      id: `estimate, ${kilobytes} KB`,
      what: `estimate of a prompt of ${kilobytes} KB before its call`,
      value: median(times),
      unit: 'ms',
      goal: { kind: 'at_most', value: 0.1 },
      note: `the median of ${times.length}, each of a prompt not seen before; no provider counted them, so the estimate itself is not judged`,
    });
  });
}

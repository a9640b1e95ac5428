import type pg from 'pg';
import { verifyClaim } from '../../engine/core/evidence/claim.js';
import { sealEntries } from '../../engine/core/ledger/seal.js';
import { writeLedger } from '../../engine/core/ledger/write-ledger.js';
import { toMessage } from '../../engine/core/prompt/message.js';
import { estimateTokens } from '../../engine/core/protocol/token-counts.js';
import { gatherClaim } from '../../engine/operations/evidence/gather.js';
import { loadSigningKey } from '../../engine/operations/evidence/signing-key.js';
import { readPlanned } from '../../engine/operations/ledger/read-ledger.js';
import { verifyWorld } from '../../engine/operations/ledger/verify.js';
import { must } from '../must.js';
import { renderNumber, type Row, toRow } from './figures.js';
import { median, readLogBytes, say, spend, spendOften } from './measures.js';
import { startServices } from './services.js';
import { connect, makeFolder, onStage, openServer, type Stage, type Variables } from './stage.js';
import { openWorlds, PARK, type Worlds } from './worlds.js';

const WORLD = 'proofs';
const ENTRIES = 10_000;
const TIMES = 30;

/** What seals, their verification, proofs and estimates cost. */
export async function measureProofs(): Promise<readonly Row[]> {
  return [
    await measureEstimates(),
    ...(await onStage(async (stage) => {
      const folder = await makeFolder(stage);
      const { worlds } = await playPark(stage, { CHUKWA_DATA_DIR: `${folder}/data` });
      return [await verify(worlds, 'embedded'), ...(await measureProof(worlds, folder))];
    })),
    ...(await onStage(async (stage) => {
      const url = await (await openServer(stage))('proofs');
      const { worlds, turns_ms } = await playPark(stage, { CHUKWA_DATABASE_URL: url });
      const database = await connect(stage, url);
      return [await verify(worlds, 'served', database), ...(await measureSeals(worlds, database, turns_ms))];
    })),
  ];
}

/** Plays turns of the park until they have enough entries. @returns how long each took, too */
async function playPark(
  stage: Stage,
  database: Variables,
): Promise<{ readonly worlds: Worlds; readonly turns_ms: readonly number[] }> {
  const services = await startServices(stage);
  const worlds = await openWorlds(stage, { ...services.variables, ...database }, PARK, [WORLD]);
  const turns_ms = [(await spend(() => worlds.turn(WORLD))).ms];
  // The turns after the first have as many entries.
  const [seal] = await worlds.engine.store.ledger.seals(WORLD);
  const turns = Math.ceil(ENTRIES / ((seal?.leaf_hashes.length ?? 0) / 32));
  while (turns_ms.length < turns) {
    say(`running turn ${turns_ms.length + 1} of ${turns}`);
    turns_ms.push((await spend(() => worlds.turn(WORLD))).ms);
  }
  return { worlds, turns_ms };
}

async function verify({ engine }: Worlds, where: 'embedded' | 'served', database?: pg.Client): Promise<Row> {
  const { value, ms, cpu_ms, database_ms } = await spend(() => verifyWorld(engine, WORLD), 1, { database });
  const found = must(value);
  if (!found.ok) throw new Error(found.says);
  const what = `${found.entries} entries of ${found.attempts} attempts`;
  const note = `${what}, in a process that has verified none before; it took ${renderNumber(ms / 1000)} s`;
  return toRow(`verify_${where}`, (cpu_ms + database_ms) / 1000, note);
}

/** A proof is gathered, with a checkpoint that is signed; and it is verified. */
async function measureProof({ engine }: Worlds, folder: string): Promise<readonly Row[]> {
  const key = must(await loadSigningKey(`${folder}/key`));
  const gather = async (): Promise<string> => {
    const wanted = { world_slug: WORLD, entity_id: 'bob', redact: [], now: Date.now() };
    return must(await gatherClaim(engine, { key, anchor: undefined }, wanted)).text;
  };
  const gathered = await spendOften(TIMES, gather);
  const text = await gather();
  const verified = await spendOften(TIMES, () => must(verifyClaim(text, key)));
  const note = `the median of ${TIMES}`;
  return [
    toRow('proof_gathered', gathered.cpu_ms, `${note}, each with a signed checkpoint over all seals of the world`),
    toRow('proof_verified', verified.ms, `${note}, with nothing but its file`),
  ];
}

/** A seal is what the driver computes of its facts, and one row. The row is written once more by itself, and taken back. */
async function measureSeals(
  { engine }: Worlds,
  database: pg.Client,
  turns_ms: readonly number[],
): Promise<readonly Row[]> {
  const attempt_id = (await engine.store.ledger.ended(WORLD)).at(-1)?.attempt_id ?? '';
  const { plan, facts } = must(await readPlanned(engine, attempt_id));
  const computed = await spendOften(10 * TIMES, () => sealEntries(writeLedger(plan, facts)));
  const [written, logged]: [number[], number[]] = [[], []];
  for (let time = 0; time < TIMES; time += 1) {
    await database.query('BEGIN');
    // The statement that ends an attempt has locked both before it seals.
    await database.query(
      `SELECT FROM worlds JOIN attempts USING (world_slug) WHERE world_slug = '${WORLD}' FOR UPDATE`,
    );
    const before = await readLogBytes(database);
    const { rows } = await database.query<{ 'QUERY PLAN': readonly { 'Execution Time': number }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) INSERT INTO seals
       SELECT world_slug, seal_seq + 1, attempt_id, source_invocation_id, leaf_hashes, root, root, sealed_at FROM seals
       WHERE world_slug = '${WORLD}' ORDER BY seal_seq DESC LIMIT 1`,
    );
    logged.push((await readLogBytes(database)) - before);
    await database.query('ROLLBACK');
    written.push(rows[0]?.['QUERY PLAN'][0]?.['Execution Time'] ?? Number.NaN);
  }
  const turn = median(turns_ms.slice(-10 * TIMES));
  const [ledgers, row] = [renderNumber(computed.ms), renderNumber(median(written))];
  const parts = `${ledgers} ms for both ledgers and their hashes, ${row} ms for the row, written by itself`;
  const rows = `the median of ${TIMES} rows, written by themselves after the locks of their statement`;
  return [
    toRow('seal_time', turn / (turn - computed.ms - median(written)), `of ${renderNumber(turn)} ms: ${parts}`),
    toRow('seal_log', median(logged) / 1000, `${rows}, without whole pages`),
  ];
}

/** Each prompt is new, as the first of a conversation is: a message is counted once. */
async function measureEstimates(): Promise<Row> {
  const prompts = Array.from({ length: 10 * TIMES }, (_none, time) => {
    const line = `- [turn ${time}] Ant Alpha carries the crumb to the “colony”, slowly.\n`;
    return [toMessage('user', [{ origin: 'world', text: line.repeat(Math.floor(80_000 / Buffer.byteLength(line))) }])];
  });
  const { ms } = await spendOften(prompts.length, () => estimateTokens(prompts.pop() ?? [], ''));
  return toRow('estimate', ms, `the median of ${10 * TIMES}; no provider counted them, so the estimate is not judged`);
}

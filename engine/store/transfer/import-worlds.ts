import type { PoolClient } from 'pg';
import type { FindDocumentFault, Imported } from '../../ports/transfer.js';
import { COMPONENT_TABLES, KINDS } from '../component-tables.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { lastMigration } from './export-worlds.js';
import type { Migration } from '../migrations.js';
import { completeRow, isBeforeBaseline } from './before-baseline.js';
import { describeTables, findUnfit, insertLines, type MovedTable, ROW_FAULTS, selectLines } from './tables.js';
import { type FileEnd, type FileHead, type FileRow, FORM_VERSION, openDigest, parseLine } from './world-file.js';

/** The size of one statement: so many rows, or so many characters, whichever comes first. */
const ROWS_MAX = 500;
const CHARACTERS_MAX = 4_000_000;

/** Rolls back what has been written, and is answered with. */
class Refusal extends Error {
  readonly outcome: Exclude<Imported, { readonly kind: 'imported' }>;
  constructor(outcome: Refusal['outcome']) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/**
 * Takes in exported worlds: one transaction, in which rows are checked against each other at the end.
 * @param migrations those of this program: a file of an earlier one is carried forward by the later ones
 * @param findFault what keeps a document from being stored, beside its hash
 */
export async function importWorlds(
  database: Pick<OpenDatabase, 'pool'>,
  lines: AsyncIterable<string>,
  migrations: readonly Migration[],
  findFault: FindDocumentFault,
): Promise<Imported> {
  try {
    return await inTransaction(database.pool, (client) => readAll(client, lines, migrations, findFault));
  } catch (error) {
    if (error instanceof Refusal) return error.outcome;
    if (isContentFault(error)) return { kind: 'damaged', reason: toReason(error) };
    throw error;
  }
}

async function readAll(
  client: PoolClient,
  lines: AsyncIterable<string>,
  migrations: readonly Migration[],
  findFault: FindDocumentFault,
): Promise<Imported> {
  await client.query('SET CONSTRAINTS ALL DEFERRED');
  const digest = openDigest();
  let tables: ReadonlyMap<string, MovedTable> = new Map();
  let head: FileHead | undefined;
  let earlier: EarlierSchema | undefined;
  let end: FileEnd | undefined;
  let batch: Batch | undefined;
  let existing: string | undefined;
  let number = 0;
  let rows = 0;
  for await (const line of lines) {
    number += 1;
    const parsed = parseLine(line);
    if (parsed === undefined || end !== undefined) throw damaged(`line ${number} is none of an export`);
    if ('sha256' in parsed) {
      end = parsed;
      continue;
    }
    digest.add(line);
    if ('format' in parsed) {
      if (head !== undefined) throw damaged('it has two beginnings');
      head = parsed;
      existing = await findExisting(client, head);
      earlier = await openEarlier(client, head, migrations);
      const described = await describeTables(client, earlier === undefined ? undefined : null);
      tables = new Map(described.map((table) => [table.name, table]));
      continue;
    }
    if (head === undefined) throw damaged('it does not begin as an export does');
    const table = tables.get(parsed.table);
    if (table === undefined) throw damaged(`line ${number}: there is no table ${JSON.stringify(parsed.table)}`);
    demandOwn(parsed, head);
    const kind = KINDS.find((one) => COMPONENT_TABLES[one] === table.name);
    const fault = kind && findFault(kind, parsed.row);
    if (fault !== undefined) throw damaged(`line ${number}: ${table.name}.${fault}`);
    rows += 1;
    // The rest is read all the same: a file that is damaged is reported as such.
    if (existing !== undefined) continue;
    if (batch !== undefined && (batch.table !== table || isFull(batch))) {
      await insert(client, batch);
      batch = undefined;
    }
    batch = addTo(batch, { table, line: isBeforeBaseline(head.migration) ? completeRow(parsed) : line, number });
  }
  if (batch !== undefined) await insert(client, batch);
  if (head === undefined || end === undefined) throw damaged('it is cut off');
  if (end.rows !== rows || end.sha256 !== digest.close()) throw damaged('its digest is not that of its lines');
  if (existing !== undefined) throw new Refusal({ kind: 'world_exists', world_slug: existing });
  await complete(client, head.worlds, earlier);
  return { kind: 'imported', worlds: head.worlds, rows };
}

/** All rows are there: they are carried forward where they come from an earlier version, and checked together. */
async function complete(client: PoolClient, worlds: FileHead['worlds'], earlier?: EarlierSchema): Promise<void> {
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  if (earlier !== undefined) await carryForward(client, earlier, worlds);
  for (const { reason, text } of ROW_FAULTS)
    if ((await client.query(text, [worlds])).rowCount !== 0) throw damaged(reason);
  for (const table of await describeTables(client)) await raiseNumbers(client, table, worlds);
}

/** A schema as an earlier version had it, beside the database's own and within the transaction. */
interface EarlierSchema {
  /** The search path of the session. */
  readonly path: string;
  readonly later: readonly Migration[];
}

const EARLIER = 'chukwa_import';

/** Makes the tables that a file of an earlier version fits. @returns undefined where the file is of this version */
async function openEarlier(
  client: PoolClient,
  head: FileHead,
  migrations: readonly Migration[],
): Promise<EarlierSchema | undefined> {
  const expected = await lastMigration(client);
  const refuse = (found: string): Refusal => {
    return new Refusal({ kind: 'other_version', found, expected, is_later: head.migration > expected });
  };
  if (head.version !== FORM_VERSION) throw refuse(`format ${head.version}`);
  const found = isBeforeBaseline(head.migration) ? migrations[0]?.name : head.migration;
  if (found === expected) return undefined;
  const count = migrations.findIndex(({ name }) => name === found) + 1;
  if (count === 0) throw refuse(head.migration);
  const { rows } = await client.query<{ path: string }>(`SELECT current_setting('search_path') AS path`);
  await client.query(`CREATE SCHEMA ${EARLIER}`);
  await setPath(client, EARLIER);
  for (const { text } of migrations.slice(0, count)) await client.query(text);
  return { path: rows[0]?.path ?? '', later: migrations.slice(count) };
}

async function setPath(client: PoolClient, path: string): Promise<void> {
  await client.query(`SELECT set_config('search_path', $1, true)`, [path]);
}

/** Brings rows of an earlier version up to date, as a migration of their database does, and moves them into the tables. */
async function carryForward(
  client: PoolClient,
  { path, later }: EarlierSchema,
  worlds: readonly string[],
): Promise<void> {
  for (const { text } of later) await client.query(text);
  await client.query('SET CONSTRAINTS ALL DEFERRED');
  for (const table of await describeTables(client)) {
    await client.query(`DECLARE carried NO SCROLL CURSOR FOR ${selectLines(table)}`, [worlds]);
    await setPath(client, path);
    for (;;) {
      const { rows } = await client.query<{ line: string }>(`FETCH ${ROWS_MAX} FROM carried`);
      if (rows.length === 0) break;
      await insert(client, { table, lines: rows.map(({ line }) => line), characters: 0 });
    }
    await client.query('CLOSE carried');
    await setPath(client, EARLIER);
  }
  await setPath(client, path);
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  await client.query(`DROP SCHEMA ${EARLIER} CASCADE`);
}

/** A world of the file that is there already. */
async function findExisting(client: PoolClient, head: FileHead): Promise<string | undefined> {
  const { rows } = await client.query<{ world_slug: string }>(
    'SELECT world_slug FROM worlds WHERE world_slug = ANY ($1) ORDER BY world_slug',
    [head.worlds],
  );
  return rows[0]?.world_slug;
}

/** A file may add to the worlds that it brings, and to none that is there. */
function demandOwn({ row, table }: FileRow, { worlds }: FileHead): void {
  for (const member of ['world_slug', 'root_world_slug', 'ancestor_slug']) {
    const slug = row[member];
    if (slug === undefined || (typeof slug === 'string' && worlds.includes(slug))) continue;
    throw damaged(`a row of ${table} is of the world ${JSON.stringify(slug)}, which the file does not bring`);
  }
}

interface Batch {
  readonly table: MovedTable;
  readonly lines: string[];
  readonly characters: number;
  /** The number of its first line in the file; absent where the lines are not those of the file. */
  readonly first?: number;
}

function isFull({ lines, characters }: Batch): boolean {
  return lines.length >= ROWS_MAX || characters >= CHARACTERS_MAX;
}

function addTo(
  batch: Batch | undefined,
  { table, line, number }: { readonly table: MovedTable; readonly line: string; readonly number: number },
): Batch {
  if (batch === undefined) return { table, lines: [line], characters: line.length, first: number };
  batch.lines.push(line);
  return { ...batch, characters: batch.characters + line.length };
}

/** Inserts rows. @throws Refusal where one does not fit, with its line and its member */
async function insert(client: PoolClient, batch: Batch): Promise<void> {
  const { table, lines } = batch;
  const fault = await tryTo(client, async () => {
    const check = findUnfit(table);
    const unfit = check === '' ? undefined : (await client.query<Unfit>(check, [lines])).rows[0];
    if (unfit !== undefined) throw damagedAt(batch, unfit);
    await client.query(insertLines(table), [lines]);
  });
  if (fault === undefined) return;
  for (const [index, line] of lines.entries()) {
    const found = await tryTo(client, () => client.query(insertLines(table), [[line]]));
    if (found === undefined) continue;
    const member = await findMember(client, table, line);
    const place = member === undefined ? `a row of ${table.name}` : `${table.name}.${member}`;
    throw damagedAt(batch, { index, reason: `${place}: ${toReason(found)}` });
  }
  throw fault;
}

interface Unfit {
  readonly index: number;
  readonly reason: string;
}

function damagedAt({ first }: Batch, { index, reason }: Unfit): Refusal {
  return damaged(first === undefined ? reason : `line ${first + index}: ${reason}`);
}

/** The first member of a row whose value its column cannot hold. */
async function findMember(client: PoolClient, { name }: MovedTable, line: string): Promise<string | undefined> {
  const { row } = JSON.parse(line) as FileRow;
  for (const [member, value] of Object.entries(row)) {
    const read = `SELECT json_populate_record(NULL::${name}, $1::json)`;
    if ((await tryTo(client, () => client.query(read, [JSON.stringify({ [member]: value })]))) !== undefined)
      return member;
  }
  return undefined;
}

/** Does what may fail over the content of rows. @returns the fault, after which the transaction goes on */
async function tryTo(client: PoolClient, work: () => Promise<unknown>): Promise<Error | undefined> {
  await client.query('SAVEPOINT rows');
  try {
    await work();
    await client.query('RELEASE SAVEPOINT rows');
    return undefined;
  } catch (error) {
    if (!isContentFault(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT rows');
    return error;
  }
}

/** Raises the sequences, so that later rows have higher numbers than the imported ones. */
async function raiseNumbers(
  client: PoolClient,
  { name, sequence, sequence_column }: MovedTable,
  worlds: readonly string[],
): Promise<void> {
  if (sequence === null || sequence_column === null) return;
  await client.query(
    `SELECT setval('${sequence}', brought.last)
     FROM (
       SELECT greatest(
         (SELECT max(${sequence_column}) FROM ${name} WHERE world_slug = ANY ($1)),
         (SELECT max(committed_event_id) FROM turns WHERE world_slug = ANY ($1)),
        (SELECT max(began_event_id) FROM attempts WHERE world_slug = ANY ($1)),
        (SELECT max(audit_entry_id) FROM audit_entries WHERE world_slug = ANY ($1)),
         (SELECT max(greatest(started_event_id, ended_event_id)) FROM source_invocations
          WHERE world_slug = ANY ($1))) AS last) AS brought, ${sequence} AS here
     WHERE brought.last > here.last_value`,
    [worlds],
  );
}

function damaged(reason: string): Refusal {
  return new Refusal({ kind: 'damaged', reason });
}

/** The database's error about values or rows that do not fit it: of data, of rules, of types and of limits. */
function isContentFault(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(0A|22|23|54|428|P0)/.test(String(error.code));
}

const REASON_LENGTH_MAX = 300;

/** The database quotes what it refuses, however long that is. */
function toReason(error: Error): string {
  const is_misnamed = 'constraint' in error && error.constraint === 'named_by_content';
  return is_misnamed ? 'it is not what its hash says' : error.message.slice(0, REASON_LENGTH_MAX);
}

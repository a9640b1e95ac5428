import type { PoolClient } from 'pg';
import type { Imported } from '../../ports/transfer.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { lastMigration } from './export-worlds.js';
import { countMisnamed, describeTables, insertLines, type MovedTable, ROW_FAULTS } from './tables.js';
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

/** Takes in exported worlds: one transaction, in which rows are checked against each other at the end. */
export async function importWorlds(
  database: Pick<OpenDatabase, 'pool'>,
  lines: AsyncIterable<string>,
): Promise<Imported> {
  try {
    return await inTransaction(database.pool, (client) => readAll(client, lines));
  } catch (error) {
    if (error instanceof Refusal) return error.outcome;
    const reason = findContentFault(error);
    if (reason !== undefined) return { kind: 'damaged', reason };
    throw error;
  }
}

async function readAll(client: PoolClient, lines: AsyncIterable<string>): Promise<Imported> {
  await client.query('SET CONSTRAINTS ALL DEFERRED');
  const tables = new Map((await describeTables(client)).map((table) => [table.name, table]));
  const digest = openDigest();
  let head: FileHead | undefined;
  let end: FileEnd | undefined;
  let batch: Batch | undefined;
  let existing: string | undefined;
  let rows = 0;
  for await (const line of lines) {
    const parsed = parseLine(line);
    if (parsed === undefined || end !== undefined) throw damaged(`line ${rows + 2} is none of an export`);
    if ('sha256' in parsed) {
      end = parsed;
      continue;
    }
    digest.add(line);
    if ('format' in parsed) {
      if (head !== undefined) throw damaged('it has two beginnings');
      head = await openFile(client, parsed);
      existing = await findExisting(client, head);
      continue;
    }
    if (head === undefined) throw damaged('it does not begin as an export does');
    const table = tables.get(parsed.table);
    if (table === undefined) throw damaged(`there is no table ${parsed.table}`);
    demandOwn(parsed, head);
    rows += 1;
    // The rest is read all the same: a file that is damaged is reported as such.
    if (existing !== undefined) continue;
    if (batch !== undefined && (batch.table !== table || isFull(batch))) {
      await insert(client, batch);
      batch = undefined;
    }
    batch = addTo(batch, table, line);
  }
  if (batch !== undefined) await insert(client, batch);
  if (head === undefined || end === undefined) throw damaged('it is cut off');
  if (end.rows !== rows || end.sha256 !== digest.close()) throw damaged('its digest is not that of its lines');
  if (existing !== undefined) throw new Refusal({ kind: 'world_exists', world_slug: existing });
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  for (const { reason, text } of ROW_FAULTS)
    if ((await client.query(text, [head.worlds])).rowCount !== 0) throw damaged(reason);
  for (const table of tables.values()) await raiseNumbers(client, table, head.worlds);
  return { kind: 'imported', worlds: head.worlds, rows };
}

async function openFile(client: PoolClient, head: FileHead): Promise<FileHead> {
  const expected = await lastMigration(client);
  if (head.version !== FORM_VERSION)
    throw new Refusal({ kind: 'other_version', found: `format ${head.version}`, expected });
  if (head.migration !== expected) throw new Refusal({ kind: 'other_version', found: head.migration, expected });
  return head;
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
}

function isFull({ lines, characters }: Batch): boolean {
  return lines.length >= ROWS_MAX || characters >= CHARACTERS_MAX;
}

function addTo(batch: Batch | undefined, table: MovedTable, line: string): Batch {
  if (batch === undefined) return { table, lines: [line], characters: line.length };
  batch.lines.push(line);
  return { ...batch, characters: batch.characters + line.length };
}

async function insert(client: PoolClient, { table, lines }: Batch): Promise<void> {
  const check = countMisnamed(table);
  if (check !== undefined) {
    const { rows } = await client.query<{ misnamed: number }>(check, [lines]);
    if (rows[0]?.misnamed !== 0) throw damaged(`a row of ${table.name} is not what its hash says`);
  }
  await client.query(insertLines(table), [lines]);
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

/** The database's error about values or rows that do not fit. */
function findContentFault(error: unknown): string | undefined {
  const isContent = error instanceof Error && 'code' in error && /^(22|23)/.test(String(error.code));
  return isContent ? error.message : undefined;
}

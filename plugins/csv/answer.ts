import type { Json, SourceFailureClass } from 'chukwa/plugin';

/** The row of a key, or the reason why a table has none. */
export type Row =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure_class: SourceFailureClass; readonly message: string };

/** Finds the one row whose value in a column is a certain text, as an object of texts by column. */
export function readRow(body: Uint8Array, key: string, wanted: string): Row {
  const text = decode(body);
  const table = text === undefined ? undefined : parseTable(text);
  if (table === undefined) return broken('the file is no CSV in UTF-8: a quote is not closed, or stands within a text');
  const [columns = [], ...rows] = table;
  const at = columns.indexOf(key);
  if (at === -1) return broken(`the table has no column ${key}`);
  if (new Set(columns).size < columns.length) return broken('two columns have one name');
  const found = rows.filter((row) => row[at] === wanted);
  const [row] = found;
  if (row === undefined) return { ok: false, failure_class: 'tool_error', message: `no row has the ${key} ${wanted}` };
  if (found.length > 1) return broken(`${found.length} rows have the ${key} ${wanted}`);
  if (row.length !== columns.length)
    return broken(`the row of ${wanted} has ${row.length} values, and the table ${columns.length} columns`);
  return { ok: true, value: Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])) };
}

function broken(message: string): Row {
  return { ok: false, failure_class: 'non_json', message };
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** One value with what ends it: a comma, the end of a line, or that of the file. A quote within quotes is doubled. */
const VALUE = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** The values of each line by RFC 4180, without empty lines. @returns undefined where a quote is out of its place */
export function parseTable(text: string): readonly (readonly string[])[] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    VALUE.lastIndex = at;
    const found = VALUE.exec(text);
    if (found === null) return undefined;
    const [whole, quoted, plain = '', end] = found;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    at += whole.length;
    if (end === ',' && at < text.length) continue;
    if (end === ',') row.push('');
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase, type OutsideView } from '../support/databases.js';

interface Reference {
  readonly to: string;
  readonly columns: readonly string[];
  readonly types: readonly string[];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

forEachDatabase('checks of references', (open) => {
  test('find the row by itself, even by a plan made while its table was empty', async () => {
    const { outside } = await open();
    const references = await listReferences(outside);
    assert.ok(references.length > 5);
    for (const reference of references) {
      const { 'Node Type': kind, 'Index Name': index, Filter: filter = '' } = await planOfCheck(outside, reference);
      const place = `${reference.to} (${reference.columns.join(', ')}) by ${index ?? kind}`;
      assert.equal(kind, 'Index Scan', place);
      // A filter on the rest of an id is no matter; one on anything else means that all rows of a world are read.
      const filtered = reference.columns.filter((column) => new RegExp(`\\b${column}\\b`).test(filter));
      assert.deepEqual(
        filtered.filter((column) => column !== 'world_slug'),
        [],
        `${place} filters by ${filter}`,
      );
    }
  });
});

/** The targets of foreign keys, each once. */
function listReferences(outside: OutsideView): Promise<readonly Reference[]> {
  return outside.query<Reference>(`
    SELECT DISTINCT confrelid::regclass::text AS to,
      (SELECT json_agg(attname ORDER BY place) FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
        JOIN pg_attribute ON attrelid = confrelid AND attnum = number)::jsonb AS columns,
      (SELECT json_agg(format_type(atttypid, atttypmod) ORDER BY place)
        FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
        JOIN pg_attribute ON attrelid = confrelid AND attnum = number)::jsonb AS types
    FROM pg_constraint WHERE contype = 'f' ORDER BY 1`);
}

/** How the database looks a referred row up; the values are unknown to its planner, as in a check. */
async function planOfCheck(outside: OutsideView, { to, columns, types }: Reference): Promise<Plan> {
  const conditions = columns.map((column, index) => `"${column}" = (SELECT NULL::${types[index] ?? ''})`);
  const [row] = await outside.query<{
    'QUERY PLAN': readonly { readonly Plan: Plan }[];
  }>(`EXPLAIN (FORMAT JSON) SELECT 1 FROM ONLY ${to} AS referred WHERE ${conditions.join(' AND ')} FOR KEY SHARE`);
  const found = flatten(row?.['QUERY PLAN'][0]?.Plan).find(({ 'Node Type': kind }) => kind.includes('Scan'));
  assert.ok(found, `${to} is not scanned`);
  return found;
}

function flatten(plan: Plan | undefined): readonly Plan[] {
  return plan === undefined ? [] : [plan, ...(plan.Plans ?? []).flatMap(flatten)];
}

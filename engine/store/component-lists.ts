import type { ListPart } from '../ports/browse.js';
import type { ComponentSummary, ComponentUses, StoredComponent } from '../ports/components.js';
import type { ComponentKind } from '../ports/validation.js';
import { COMPONENT_TABLES, ofEachKind } from './component-tables.js';
import { type Building, query } from './queries.js';
import { prepare, run, type Runner } from './statement.js';

const OWN_NAMES = `content->>'label', content->>'title', content->>'$id'`;
const FIRST_LINE = `split_part(content->>'text', E'\\n', 1)`;

/** A document's own name; a schema has no label, and a prompt has the first words of its first line. */
const LABEL = `coalesce(${OWN_NAMES}, CASE WHEN length(${FIRST_LINE}) <= 60 THEN ${FIRST_LINE}
  ELSE regexp_replace(left(${FIRST_LINE}, 60), '\\s+\\S*$', '') || ' …' END)`;

/** The documents of a table as a list shows them. All kinds have the same columns. */
const selectDocuments = ({ from, sql }: Building, table: (typeof COMPONENT_TABLES)[ComponentKind]) =>
  from(table).select(['kind', 'hash', sql.raw<string | null>(LABEL).as('label'), 'created_at']);

const LIST = ofEachKind((table) =>
  query((building) =>
    selectDocuments(building, table)
      .orderBy('label', (by) => by.nullsLast())
      .orderBy('hash'),
  ),
);

/** All documents of one kind, by label and hash. */
export function listComponents(runner: Runner, kind: ComponentKind): Promise<readonly StoredComponent[]> {
  return LIST[kind](runner, {});
}

/** The sort key of a list; each table has an index on it. */
const PLACE = `(left(coalesce(${OWN_NAMES}, left(${FIRST_LINE}, 60), hash::text), 200) COLLATE "C")`;

const LIST_AFTER = ofEachKind((table) =>
  query((building, { after, limit }: ListPart) => {
    const { from, sql } = building;
    const place = sql.raw<string>(PLACE);
    const documents = selectDocuments(building, table).orderBy(place).orderBy('hash').limit(limit);
    if (after === undefined) return documents;
    const shown = from(table).select(place.as('place')).where('hash', '=', after);
    return documents.where(sql<boolean>`(${place}, hash) > (coalesce((${shown}), ''), ${after})`);
  }),
);

/** Documents of one kind by label, after one of them. */
export function listComponentsAfter(
  runner: Runner,
  kind: ComponentKind,
  part: ListPart,
): Promise<readonly StoredComponent[]> {
  return LIST_AFTER[kind](runner, part);
}

const readCounts = query(({ from }) =>
  from('components')
    .select((eb) => ['kind', eb.fn.countAll<number>().as('count')])
    .groupBy('kind'),
);

/** How many documents there are of each kind that has any. */
export async function countComponents(runner: Runner): Promise<ReadonlyMap<ComponentKind, number>> {
  return new Map((await readCounts(runner, {})).map(({ kind, count }) => [kind, count]));
}

/** The rows of a CTE `chosen (kind, hash)` with their labels. Each table is searched for its own hashes. */
const LABELLED = Object.values(COMPONENT_TABLES)
  .map((table) => `SELECT chosen.kind, chosen.hash, ${LABEL} AS label FROM chosen JOIN ${table} USING (kind, hash)`)
  .join(' UNION ALL ')
  .concat(' ORDER BY kind, label NULLS LAST, hash');

const STARTING_WITH = prepare(
  'components_starting_with',
  // No digit is after f, so every hash that begins so is before the prefix with a g.
  `WITH chosen AS (
     SELECT kind, hash FROM components
     WHERE kind = ANY (enum_range(NULL::component_kind)) AND hash >= :digits AND hash < :digits || 'g'
     ORDER BY hash, kind LIMIT 20)
   ${LABELLED}`,
);

/** Documents of any kind whose hash begins with these digits, at most 20. */
export function findStartingWith(runner: Runner, digits: string): Promise<readonly ComponentSummary[]> {
  return run<ComponentSummary>(runner, STARTING_WITH, { digits });
}

/** The documents at one end of references, by the document at the other end. */
const selectEnds = (end: 'from' | 'to', other: 'from' | 'to'): string =>
  `WITH chosen AS (
     SELECT ${end}_kind AS kind, ${end}_hash AS hash FROM component_references
     WHERE ${other}_kind = :kind::component_kind AND ${other}_hash = :hash)
   ${LABELLED}`;

const REFERS_TO = prepare('component_refers_to', selectEnds('to', 'from'));
const USED_BY = prepare('component_used_by', selectEnds('from', 'to'));

const readWorlds = query(({ from }, { hash }: { readonly hash: string }) =>
  from('world_scenarios').select('world_slug').distinct().where('scenario_hash', '=', hash).orderBy('world_slug'),
);

/** Finds the documents that name a document, and those that it names: one step in each direction. */
export async function findUses(runner: Runner, kind: ComponentKind, hash: string): Promise<ComponentUses> {
  const refers_to = await run<ComponentSummary>(runner, REFERS_TO, { kind, hash });
  const used_by = await run<ComponentSummary>(runner, USED_BY, { kind, hash });
  const worlds = kind === 'scenario' ? await readWorlds(runner, { hash }) : [];
  return { refers_to, used_by, worlds: worlds.map(({ world_slug }) => world_slug) };
}

import type { ListPart } from '../ports/browse.js';
import type { ComponentSummary, ComponentUses, StoredComponent } from '../ports/components.js';
import type { ComponentKind } from '../ports/validation.js';
import { COMPONENT_TABLES } from './component-tables.js';
import type { OpenDatabase } from './database.js';
import { type HotStatement, prepare, run } from './statement.js';

const KINDS = Object.keys(COMPONENT_TABLES) as readonly ComponentKind[];

const OWN_NAMES = `content->>'label', content->>'title', content->>'$id'`;
const FIRST_LINE = `split_part(content->>'text', E'\\n', 1)`;

/** A document's own name; a schema has no label, and a prompt has the first words of its first line. */
const LABEL = `coalesce(${OWN_NAMES}, CASE WHEN length(${FIRST_LINE}) <= 60 THEN ${FIRST_LINE}
  ELSE regexp_replace(left(${FIRST_LINE}, 60), '\\s+\\S*$', '') || ' …' END)`;

const LISTS = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    prepare(
      `list_${COMPONENT_TABLES[kind]}`,
      `SELECT kind, hash, ${LABEL} AS label, created_at FROM ${COMPONENT_TABLES[kind]} ORDER BY label NULLS LAST, hash`,
    ),
  ]),
) as Readonly<Record<ComponentKind, HotStatement>>;

/** All documents of one kind, by label and hash. */
export function listComponents(database: OpenDatabase, kind: ComponentKind): Promise<readonly StoredComponent[]> {
  return run<StoredComponent>(database, LISTS[kind], {});
}

/** The sort key of a list; each table has an index on it. */
const PLACE = `(left(coalesce(${OWN_NAMES}, left(${FIRST_LINE}, 60), hash::text), 200) COLLATE "C")`;

const PARTS = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    prepare(
      `browse_${COMPONENT_TABLES[kind]}`,
      `SELECT kind, hash, ${LABEL} AS label, created_at FROM ${COMPONENT_TABLES[kind]}
       WHERE (${PLACE}, hash) > (
         coalesce((SELECT ${PLACE} FROM ${COMPONENT_TABLES[kind]} WHERE hash = :after), ''), coalesce(:after::text, ''))
       ORDER BY ${PLACE}, hash LIMIT :limit`,
    ),
  ]),
) as Readonly<Record<ComponentKind, HotStatement>>;

/** Documents of one kind by label, after one of them. */
export function listComponentsAfter(
  database: OpenDatabase,
  kind: ComponentKind,
  { after, limit }: ListPart,
): Promise<readonly StoredComponent[]> {
  return run<StoredComponent>(database, PARTS[kind], { after: after ?? null, limit });
}

const COUNT = prepare('count_components', 'SELECT kind, count(*) AS count FROM components GROUP BY kind');

/** How many documents there are of each kind that has any. */
export async function countComponents(database: OpenDatabase): Promise<ReadonlyMap<ComponentKind, number>> {
  const rows = await run<{ kind: ComponentKind; count: number }>(database, COUNT, {});
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}

/** Those of `chosen` with their labels. Each table is searched for its own hashes. */
function withLabels(chosen: string): string {
  const labelled = KINDS.map(
    (kind) =>
      `SELECT ${chosen}.kind, ${chosen}.hash, ${LABEL} AS label FROM ${chosen} JOIN ${COMPONENT_TABLES[kind]} USING (kind, hash)`,
  );
  return `${labelled.join(' UNION ALL ')} ORDER BY kind, label NULLS LAST, hash`;
}

const STARTING_WITH = prepare(
  'components_starting_with',
  // No digit is after f, so every hash that begins so is before the prefix with a g.
  `WITH chosen AS (
     SELECT kind, hash FROM components
     WHERE kind = ANY (enum_range(NULL::component_kind)) AND hash >= :digits AND hash < :digits || 'g'
     ORDER BY hash, kind LIMIT 20)
   ${withLabels('chosen')}`,
);

/** Documents of any kind whose hash begins with these digits, at most 20. */
export function findStartingWith(database: OpenDatabase, digits: string): Promise<readonly ComponentSummary[]> {
  return run<ComponentSummary>(database, STARTING_WITH, { digits });
}

const REFERS_TO = prepare(
  'component_refers_to',
  `WITH chosen AS (
     SELECT to_kind AS kind, to_hash AS hash FROM component_references
     WHERE from_kind = :kind::component_kind AND from_hash = :hash)
   ${withLabels('chosen')}`,
);

const USED_BY = prepare(
  'component_used_by',
  `WITH chosen AS (
     SELECT from_kind AS kind, from_hash AS hash FROM component_references
     WHERE to_kind = :kind::component_kind AND to_hash = :hash)
   ${withLabels('chosen')}`,
);

const WORLDS = prepare(
  'worlds_of_scenario',
  'SELECT DISTINCT world_slug FROM world_scenarios WHERE scenario_hash = :hash ORDER BY world_slug',
);

/** Finds the documents that name a document, and those that it names: one step in each direction. */
export async function findUses(database: OpenDatabase, kind: ComponentKind, hash: string): Promise<ComponentUses> {
  const place = { kind, hash };
  const refers_to = await run<ComponentSummary>(database, REFERS_TO, place);
  const used_by = await run<ComponentSummary>(database, USED_BY, place);
  const worlds = kind === 'scenario' ? await run<{ world_slug: string }>(database, WORLDS, { hash }) : [];
  return { refers_to, used_by, worlds: worlds.map(({ world_slug }) => world_slug) };
}

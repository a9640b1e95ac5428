import type { JsonObject } from '../contract/json.js';
import { canonicalText } from '../core/content/canonical.js';
import type { ComponentRecord, ComponentStore, ComponentToStore } from '../ports/records.js';
import type { ComponentKind } from '../ports/validation.js';
import { countComponents, findStartingWith, findUses, listComponents } from './component-lists.js';
import { COMPONENT_TABLES } from './component-tables.js';
import { inTransaction, type OpenDatabase } from './database.js';
import { type HotStatement, prepare, run, type Runner } from './statement.js';

const KINDS = Object.keys(COMPONENT_TABLES) as readonly ComponentKind[];

/** Documents by the hash of their canonical form. */
export function componentStore(database: OpenDatabase): ComponentStore {
  return {
    put: (components) => inTransaction(database.pool, (client) => putAll(client, components)),
    find: (kind, hash) => find(database, kind, hash),
    closure: (kind, hash) => closure(database, kind, hash),
    list: (kind) => listComponents(database, kind),
    count: () => countComponents(database),
    startingWith: (digits) => findStartingWith(database, digits),
    uses: (kind, hash) => findUses(database, kind, hash),
  };
}

const PUT_REGISTER = prepare(
  'put_components',
  `WITH new AS (
     INSERT INTO components (kind, hash)
     SELECT DISTINCT kind::component_kind, hash FROM unnest(:kinds::text[], :hashes::text[]) AS row (kind, hash)
     ORDER BY 1, 2
     ON CONFLICT DO NOTHING RETURNING 1)
   SELECT count(*) AS added FROM new`,
);

const PUT_REFERENCES = prepare(
  'put_component_references',
  `INSERT INTO component_references (from_kind, from_hash, to_kind, to_hash)
   SELECT DISTINCT from_kind::component_kind, from_hash, to_kind::component_kind, to_hash
   FROM unnest(:from_kinds::text[], :from_hashes::text[], :to_kinds::text[], :to_hashes::text[])
     AS row (from_kind, from_hash, to_kind, to_hash)
   ON CONFLICT DO NOTHING`,
);

const PUT_PROFILES = prepare(
  'put_cognition_profiles',
  `INSERT INTO cognition_profiles (hash, content, workflow_hash, tool_policy_hash)
   SELECT hash, content::json, workflow_hash, tool_policy_hash
   FROM unnest(:hashes::text[], :contents::text[], :workflow_hashes::text[], :tool_policy_hashes::text[])
     AS row (hash, content, workflow_hash, tool_policy_hash)
   ON CONFLICT DO NOTHING`,
);

const PUT_CONTENT = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    prepare(
      `put_${COMPONENT_TABLES[kind]}`,
      `INSERT INTO ${COMPONENT_TABLES[kind]} (hash, content)
       SELECT hash, content::json FROM unnest(:hashes::text[], :contents::text[]) AS row (hash, content)
       ON CONFLICT DO NOTHING`,
    ),
  ]),
);

async function putAll(client: Runner, components: readonly ComponentToStore[]): Promise<number> {
  if (components.length === 0) return 0;
  const [row] = await run<{ added: number }>(client, PUT_REGISTER, {
    kinds: components.map(({ kind }) => kind),
    hashes: components.map(({ hash }) => hash),
  });
  for (const kind of KINDS) await putContent(client, kind, components);
  await putReferences(client, components);
  return row?.added ?? 0;
}

async function putContent(client: Runner, kind: ComponentKind, components: readonly ComponentToStore[]): Promise<void> {
  const chosen = components.filter((component) => component.kind === kind);
  const statement = PUT_CONTENT[kind];
  if (chosen.length === 0 || !statement) return;
  const rows = {
    hashes: chosen.map(({ hash }) => hash),
    contents: chosen.map(({ content }) => canonicalText(content)),
  };
  if (kind !== 'cognition_profile') {
    await run(client, statement, rows);
    return;
  }
  const named = (wanted: ComponentKind) => chosen.map((profile) => findReference(profile, wanted));
  await run(client, PUT_PROFILES, {
    ...rows,
    workflow_hashes: named('cognition_workflow'),
    tool_policy_hashes: named('tool_policy'),
  });
}

function findReference(component: ComponentToStore, kind: ComponentKind): string | null {
  return component.refers_to.find((reference) => reference.kind === kind)?.hash ?? null;
}

async function putReferences(client: Runner, components: readonly ComponentToStore[]): Promise<void> {
  const references = components.flatMap((from) => from.refers_to.map((to) => ({ from, to })));
  if (references.length === 0) return;
  await run(client, PUT_REFERENCES, {
    from_kinds: references.map(({ from }) => from.kind),
    from_hashes: references.map(({ from }) => from.hash),
    to_kinds: references.map(({ to }) => to.kind),
    to_hashes: references.map(({ to }) => to.hash),
  });
}

const FIND = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    prepare(`find_${COMPONENT_TABLES[kind]}`, `SELECT content FROM ${COMPONENT_TABLES[kind]} WHERE hash = :hash`),
  ]),
) as Readonly<Record<ComponentKind, HotStatement>>;

async function find(database: OpenDatabase, kind: ComponentKind, hash: string): Promise<ComponentRecord | undefined> {
  const [row] = await run<{ content: JsonObject }>(database, FIND[kind], { hash });
  return row && { kind, hash, content: row.content };
}

const CLOSURE = prepare(
  'component_closure',
  `WITH RECURSIVE reached (kind, hash) AS (
     SELECT kind, hash FROM components WHERE kind = :kind::component_kind AND hash = :hash
     UNION
     SELECT named.to_kind, named.to_hash
     FROM reached JOIN component_references named ON named.from_kind = reached.kind AND named.from_hash = reached.hash)
   ${KINDS.map((kind) => `SELECT reached.kind, hash, content FROM reached JOIN ${COMPONENT_TABLES[kind]} USING (kind, hash)`).join(' UNION ALL ')}`,
);

async function closure(database: OpenDatabase, kind: ComponentKind, hash: string): Promise<readonly ComponentRecord[]> {
  return run<ComponentRecord>(database, CLOSURE, { kind, hash });
}

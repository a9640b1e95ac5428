import type { JsonObject } from '../contract/json.js';
import { canonicalText } from '../core/content/canonical.js';
import type { ComponentRecord, ComponentToStore } from '../ports/components.js';
import type { ComponentKind } from '../ports/validation.js';
import { COMPONENT_TABLES, KINDS, ofEachKind } from './component-tables.js';
import { inTransaction, type OpenDatabase } from './database.js';
import { prepare, run, type Runner } from './statement.js';

const PUT_REGISTER = prepare(
  'put_components',
  `WITH new AS (
     INSERT INTO components (kind, hash)
     SELECT DISTINCT kind, hash FROM json_to_recordset(:rows::json) AS row (kind component_kind, hash text)
     ORDER BY 1, 2
     ON CONFLICT DO NOTHING RETURNING 1)
   SELECT count(*) AS added FROM new`,
);

const PUT_REFERENCES = prepare(
  'put_component_references',
  `INSERT INTO component_references (from_kind, from_hash, to_kind, to_hash)
   SELECT DISTINCT from_kind, from_hash, to_kind, to_hash
   FROM json_to_recordset(:rows::json)
     AS row (from_kind component_kind, from_hash text, to_kind component_kind, to_hash text)
   ON CONFLICT DO NOTHING`,
);

/** Columns of a kind's table beside the document's hash and content. */
const REFERRING: Partial<Record<ComponentKind, string>> = { cognition_profile: ', workflow_hash, tool_policy_hash' };

const PUT_CONTENT = ofEachKind((table, kind) =>
  prepare(
    `put_${table}`,
    `INSERT INTO ${table} (hash, content${REFERRING[kind] ?? ''})
     SELECT hash, content${REFERRING[kind] ?? ''}
     FROM json_to_recordset(:rows::json) AS row (hash text, content json, workflow_hash text, tool_policy_hash text)
     ON CONFLICT DO NOTHING`,
  ),
);

/** Stores documents by the hash of their canonical form: one transaction, idempotent, in any order. @returns how many were new */
export function putComponents(
  { pool }: Pick<OpenDatabase, 'pool'>,
  components: readonly ComponentToStore[],
): Promise<number> {
  return inTransaction(pool, (client) => putAll(client, components));
}

async function putAll(client: Runner, components: readonly ComponentToStore[]): Promise<number> {
  if (components.length === 0) return 0;
  const registered = components.map(({ kind, hash }) => ({ kind, hash }));
  const [row] = await run<{ added: number }>(client, PUT_REGISTER, { rows: canonicalText(registered) });
  for (const kind of KINDS) {
    const rows = components.filter((component) => component.kind === kind).map(toContentRow);
    if (rows.length > 0) await run(client, PUT_CONTENT[kind], { rows: canonicalText(rows) });
  }
  const references = components.flatMap((from) =>
    from.refers_to.map((to) => ({ from_kind: from.kind, from_hash: from.hash, to_kind: to.kind, to_hash: to.hash })),
  );
  if (references.length > 0) await run(client, PUT_REFERENCES, { rows: canonicalText(references) });
  return row?.added ?? 0;
}

function toContentRow(component: ComponentToStore): JsonObject {
  const { hash, content } = component;
  const workflow_hash = findReference(component, 'cognition_workflow');
  return { hash, content, workflow_hash, tool_policy_hash: findReference(component, 'tool_policy') };
}

function findReference(component: ComponentToStore, kind: ComponentKind): string | null {
  return component.refers_to.find((reference) => reference.kind === kind)?.hash ?? null;
}

const FIND = ofEachKind((table) => prepare(`find_${table}`, `SELECT content FROM ${table} WHERE hash = :hash`));

export async function findComponent(
  runner: Runner,
  kind: ComponentKind,
  hash: string,
): Promise<ComponentRecord | undefined> {
  const [row] = await run<{ content: JsonObject }>(runner, FIND[kind], { hash });
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

/** A document and everything that it refers to, directly or not. */
export function listClosure(runner: Runner, kind: ComponentKind, hash: string): Promise<readonly ComponentRecord[]> {
  return run<ComponentRecord>(runner, CLOSURE, { kind, hash });
}

import { EVENT_SEQUENCE } from './attempts/event-numbers.js';
import type { OpenDatabase } from './database.js';

/** Tables whose rows change. Those of all others are only added, and a trigger sees to that. */
export const CHANGING_TABLES: readonly string[] = [
  'agent_inbox',
  'agent_state_heads',
  'approval_grants',
  'approvals',
  'attempts',
  'budget_reservations',
  'budgets',
  'llm_calls',
  'memory_words',
  'operator_actions',
  'pending_calls',
  'search_progress',
  'source_invocations',
  'worlds',
];

/**
 * Finds the reason why a database would refuse migrations or statements, as far as it shows without a change. Objects
 * of other programs in the same database are not considered.
 * @returns the reason; undefined where nothing is known to be refused
 */
export async function findRefusal(
  database: Pick<OpenDatabase, 'query'>,
  { applied, pending }: { readonly applied: readonly string[]; readonly pending: readonly string[] },
): Promise<string | undefined> {
  const { rows } = await database.query<Surroundings>(SURROUNDINGS);
  const { is_read_only = false, schema = null, user_name = '', may_create = false } = rows[0] ?? {};
  if (is_read_only) return 'its transactions may only read';
  if (schema === null) return 'its search_path names no schema that is there';
  if (pending.length > 0 && !may_create) return `its user ${user_name} may not create tables in the schema ${schema}`;
  if (applied.length === 0) return undefined;
  if (pending.length > 0) {
    // The tables of an earlier version are not known here. Their owner may migrate them, and may do the rest.
    const { rows: owners } = await database.query<{ owner: string }>(FOREIGN_OWNER);
    const owner = owners[0]?.owner;
    return owner && `its tables belong to ${owner}, who alone may migrate them, and not to ${user_name}`;
  }
  const lacking = await database.query<{ what: string }>(LACKING, [CHANGING_TABLES, EVENT_SEQUENCE]);
  return lacking.rows[0] && `its user ${user_name} lacks ${lacking.rows[0].what}`;
}

interface Surroundings {
  readonly is_read_only: boolean;
  readonly schema: string | null;
  readonly user_name: string;
  readonly may_create: boolean | null;
}

const SURROUNDINGS = `
  SELECT current_setting('transaction_read_only')::boolean AS is_read_only, current_schema()::text AS schema,
    current_user::text AS user_name, has_schema_privilege(current_schema()::text, 'CREATE') AS may_create`;

const FOREIGN_OWNER = `
  SELECT pg_get_userbyid(relowner)::text AS owner FROM pg_class
  WHERE oid = 'worlds'::regclass AND NOT pg_has_role(relowner, 'USAGE')`;

const LACKING = `
  SELECT format('%s on the table %s', privilege, relname) AS what
  FROM pg_class CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS needed (privilege)
  WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'worlds'::regclass) AND relkind = 'r'
    AND (relname = ANY ($1::text[])
      OR privilege <> 'UPDATE' AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgname = 'append_only'))
    AND NOT has_any_column_privilege(pg_class.oid, privilege)
  UNION ALL
  SELECT format('USAGE on the sequence %s', $2::text)
  WHERE NOT has_sequence_privilege($2::text, 'USAGE')
  ORDER BY what LIMIT 1`;

import { COMPONENT_TABLES } from '../component-tables.js';
import type { Runner } from '../statement.js';

// Which tables an export holds is written here and nowhere else; their columns and keys are read from the database.

/** Of a world's own tables, all rows go with it. */
const OF_WORLDS = [
  'adopted_calls',
  'agent_state_heads',
  'approvals',
  'attempt_events',
  'attempts',
  'audit_entries',
  'call_settlements',
  'entity_memories',
  'entity_states',
  'environment_contents',
  'llm_calls',
  'llm_chunks',
  'memory_purges',
  'operator_actions',
  'pending_calls',
  'seals',
  'source_invocations',
  'turns',
  'world_lineage',
  'world_patches',
  'world_scenarios',
  'worlds',
] as const;

/**
 * Searchable texts are on record elsewhere; the world's new database indexes them anew. A task is of who began it, at its
 * own database, and so are what a budget has spent, and what was granted for calls to come.
 */
const UNEXPORTED = [
  'approval_grants',
  'assistant_tasks',
  'budgets',
  'indexed_memories',
  'memory_words',
  'search_entries',
  'search_progress',
] as const;

/** All tables that hold rows of one world. */
export const WORLD_TABLES: readonly string[] = [...OF_WORLDS, 'agent_inbox', ...UNEXPORTED];

const DOCUMENTS = Object.values(COMPONENT_TABLES);

/** The documents to which scenarios of the worlds refer: former scenarios as well. */
const CLOSURE = `
  WITH RECURSIVE closure (kind, hash) AS (
    SELECT 'scenario'::component_kind, scenario_hash::text COLLATE "C"
    FROM (
      SELECT scenario_hash FROM world_scenarios WHERE world_slug = ANY ($1)
      UNION
      SELECT scenario_hash FROM attempts WHERE world_slug = ANY ($1)) AS played
    UNION
    SELECT 'response_source', source_hash::text COLLATE "C" FROM source_invocations WHERE world_slug = ANY ($1)
    UNION
    SELECT to_kind, to_hash::text COLLATE "C" FROM closure JOIN component_references ON from_kind = kind AND from_hash = hash)`;

const MESSAGES = 'SELECT message_hash FROM llm_conversation_messages WHERE world_slug = ANY ($1)';

/** Of tables that worlds share, the rows that these worlds refer to. */
const SHARED: Readonly<Record<string, string>> = {
  components: '(kind, hash::text) IN (SELECT kind, hash FROM closure)',
  component_references: '(from_kind, from_hash::text) IN (SELECT kind, hash FROM closure)',
  ...Object.fromEntries(DOCUMENTS.map((table) => [table, '(kind, hash::text) IN (SELECT kind, hash FROM closure)'])),
  llm_messages: `message_hash IN (${MESSAGES})`,
  llm_segments: `segment_hash IN (
    SELECT unnest(segment_hashes) FROM llm_messages WHERE message_hash IN (${MESSAGES}))`,
  offered_schemas: `hash IN (
    SELECT unnest(ARRAY[output_schema_hash, delivered_schema_hash]) FROM llm_calls WHERE world_slug = ANY ($1))`,
};

const ROWS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OF_WORLDS.map((table) => [table, 'world_slug = ANY ($1)'])),
  // Unfinished work is not exported.
  agent_inbox: `world_slug = ANY ($1) AND status = 'consumed'`,
  ...SHARED,
};

/** The log is its database's own, and outlives its worlds; so are its studies, and the reservations of its drivers. */
const OF_DATABASE = [
  'budget_reservations',
  'checkpoints',
  'log_leaves',
  'schema_migrations',
  'studies',
  'study_worlds',
] as const;

/** Tables that no export holds. */
export const LEFT_OUT: readonly string[] = [...OF_DATABASE, ...UNEXPORTED];

export const EXPORTED_TABLES: readonly string[] = Object.keys(ROWS).toSorted();

/** A lease, the files of a scenario and the address of an operator belong to one machine: they do not move. */
const STAYING = ['lease_attempt_id', 'lease_host', 'lease_pid', 'lease_until', 'files', 'address'];

/** A table as it moves between databases. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly key: readonly string[];
  /** The number generator of its events, where it has one. */
  readonly sequence: string | null;
  readonly sequence_column: string | null;
}

const DESCRIBE = `
  SELECT relname::text AS name,
    (SELECT json_agg(json_build_object('name', attname, 'type',
       (SELECT coalesce(nullif(typbasetype, 0), oid)::regtype FROM pg_type WHERE oid = atttypid)) ORDER BY attnum)
     FROM pg_attribute
     WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
    (SELECT json_agg(attname ORDER BY array_position(conkey, attnum))
     FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
     WHERE conrelid = pg_class.oid AND contype = 'p') AS key,
    pg_get_serial_sequence(relname, identity.name) AS sequence, identity.name AS sequence_column
  FROM pg_class LEFT JOIN LATERAL (
      SELECT attname::text AS name FROM pg_attribute WHERE attrelid = pg_class.oid AND attidentity <> '') AS identity ON true
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND ($1::text[] IS NULL OR relname = ANY ($1))
  ORDER BY relname COLLATE "C"`;

/** The tables of an export as the database has them, by name. @param names all of its tables where it is null */
export async function describeTables(
  runner: Runner,
  names: readonly string[] | null = EXPORTED_TABLES,
): Promise<readonly MovedTable[]> {
  const { rows } = await runner.query<MovedTable>(DESCRIBE, [names]);
  return rows.map((table) => ({ ...table, columns: table.columns.filter(({ name }) => !STAYING.includes(name)) }));
}

/** Gives the lines of the rows that worlds `$1` have in a table, in the order of its key. */
export function selectLines({ name, columns, key }: MovedTable): string {
  const members = columns.map((column, place) => `(${place}, '${column.name}', to_json(${name}.${column.name})::text)`);
  // An absent member means NULL, since a JSON column may hold null. A line break can only be white space here.
  return `${CLOSURE}
    SELECT translate('{"table":"${name}","row":{' || (
        SELECT string_agg('"' || member || '":' || value, ',' ORDER BY place)
        FROM (VALUES ${members.join(', ')}) AS row (place, member, value)) || '}}', E'\\n\\r', '  ') AS line
    FROM ${name} WHERE ${ROWS[name]} ORDER BY ${key.join(', ')}`;
}

const INCOMING = (name: string): string =>
  `FROM unnest($1::json[]) AS incoming (line), LATERAL json_populate_record(NULL::${name}, line->'row') AS row`;

/** Inserts the rows of lines `$1`; rows that worlds share may be there already. */
export function insertLines({ name, columns }: MovedTable): string {
  const values = columns.map((column) =>
    column.type === 'json' ? `line->'row'->'${column.name}'` : `row.${column.name}`,
  );
  return `INSERT INTO ${name} (${columns.map((column) => column.name).join(', ')}) OVERRIDING SYSTEM VALUE
    SELECT ${values.join(', ')} ${INCOMING(name)} ${name in SHARED ? 'ON CONFLICT DO NOTHING' : ''}`;
}

// Numbers up to here are exact in the program, and leave as many for later events.
const NUMBER_MAX = 2 ** 52;

/** What a column of a type holds in the program and on its pages; the type itself may hold more. */
const BOUNDS: Readonly<Record<string, string>> = {
  bigint: `BETWEEN -${NUMBER_MAX} AND ${NUMBER_MAX}`,
  'timestamp with time zone': `BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00'`,
};

/** A message that waits for no moment has an infinite one. */
const MAY_BE_INFINITE = 'next_retry_at';

const isOf = (type: string) => (value: string) => `json_typeof(${value}) = '${type}'`;
const holdsTexts = (kind: 'array' | 'object', each: string) => (value: string) =>
  `CASE json_typeof(${value})
  WHEN '${kind}' THEN NOT EXISTS (
    SELECT FROM ${kind === 'array' ? 'json_array_elements' : 'json_each'}(${value}) AS item (${kind === 'array' ? '' : 'name, '}value)
    WHERE (json_typeof(value) = 'string' AND ${each}) IS NOT TRUE)
  ELSE ${value}::text = '"all"' AND '${kind}' = 'array' END`;

/** What readers take for granted of JSON columns. */
const SHAPES: Readonly<Record<string, (value: string) => string>> = {
  details: isOf('object'),
  origins: isOf('object'),
  payload: isOf('object'),
  plugin_versions: holdsTexts('object', 'true'),
  redaction: holdsTexts('array', `value#>>'{}' ~ '^(/|$)'`),
  response_headers: holdsTexts('object', 'true'),
};

/** Finds the first of lines `$1` that holds what the program cannot: its index and the reason. */
export function findUnfit({ name, columns }: MovedTable): string {
  const bounds = columns.flatMap((column) => {
    const bound = BOUNDS[column.type];
    const value = column.name === MAY_BE_INFINITE ? `nullif(row.${column.name}, 'infinity')` : `row.${column.name}`;
    return bound === undefined ? [] : [[`${name}.${column.name} is out of bounds`, `${value} ${bound}`] as const];
  });
  const shaped = columns.flatMap((column) => {
    const shape = column.type === 'json' ? SHAPES[column.name] : undefined;
    const value = `(line->'row'->'${column.name}')`;
    const holds = `${value} IS NULL OR ${shape?.(value)}`;
    return shape === undefined ? [] : [[`${name}.${column.name} is of another shape`, holds] as const];
  });
  const rules = [...bounds, ...shaped];
  if (rules.length === 0) return '';
  const values = rules.map(([reason, condition]) => `('${reason}', ${condition})`);
  return `SELECT place::int - 1 AS index, rules.reason
    FROM unnest($1::json[]) WITH ORDINALITY AS incoming (line, place),
      LATERAL json_populate_record(NULL::${name}, line->'row') AS row, LATERAL (VALUES ${values.join(', ')}) AS rules (reason, holds)
    WHERE NOT rules.holds ORDER BY place LIMIT 1`;
}

/** A foreign key: the columns, and what they refer to. */
interface Reference {
  readonly from: string;
  readonly columns: readonly string[];
  readonly to: string;
  /** The columns there; those of the same names where it says nothing. */
  readonly key?: readonly string[];
}

/** References without a foreign key: the statements of a turn hold or write themselves what these refer to. */
const REFERENCES: readonly Reference[] = [
  { from: 'attempts', columns: ['world_slug'], to: 'worlds' },
  { from: 'attempts', columns: ['scenario_hash'], to: 'scenarios', key: ['hash'] },
  { from: 'worlds', columns: ['world_slug', 'turn'], to: 'turns' },
  { from: 'turns', columns: ['world_slug'], to: 'worlds' },
  { from: 'turns', columns: ['world_slug', 'attempt_id'], to: 'attempts' },
  { from: 'source_invocations', columns: ['world_slug', 'attempt_id'], to: 'attempts' },
  { from: 'llm_calls', columns: ['world_slug', 'source_invocation_id'], to: 'source_invocations' },
  { from: 'source_invocations', columns: ['world_slug', 'llm_call_id'], to: 'llm_calls' },
  { from: 'llm_chunks', columns: ['world_slug', 'llm_call_id'], to: 'llm_calls' },
  { from: 'world_patches', columns: ['world_slug', 'turn'], to: 'turns' },
];

/** A statement that finds rows of worlds `$1` which no turn would have written, and the reason to report. */
interface RowFault {
  readonly reason: string;
  readonly text: string;
}

/** Values of turns that the world has not reached would stand in the way of its next turn. */
const TOO_LATE: readonly RowFault[] = ['turns', 'entity_states', 'entity_memories', 'environment_contents'].map(
  (from) => ({
    reason: `a row of ${from} is of a later turn than its world has reached in worlds`,
    text: `SELECT FROM ${from} AS value JOIN worlds USING (world_slug)
      WHERE world_slug = ANY ($1) AND value.turn > worlds.turn LIMIT 1`,
  }),
);

const DANGLING: readonly RowFault[] = REFERENCES.map(({ from, columns, to, key = columns }) => {
  const found = columns.map((column, place) => `referred.${key[place]} = ${from}.${column}`);
  return {
    reason: dangling(from, to),
    text: `SELECT FROM ${from} WHERE world_slug = ANY ($1) AND num_nulls(${columns.join(', ')}) = 0
      AND NOT EXISTS (SELECT FROM ${to} AS referred WHERE ${found.join(' AND ')}) LIMIT 1`,
  };
});

/** Values that a turn left name the effect that they are of; those of the scenario name none. */
const WITHOUT_EFFECT: readonly RowFault[] = ['entity_states', 'entity_memories', 'environment_contents'].map(
  (from) => ({
    reason: dangling(from, 'patch_effects'),
    text: `SELECT FROM ${from} AS value WHERE world_slug = ANY ($1) AND num_nulls(patch_seq, effect_index) < 2
    AND NOT EXISTS (
      SELECT FROM patch_effects AS effect
      WHERE effect.world_slug = ANY ($1) AND effect.world_slug = value.world_slug AND effect.turn = value.turn
        AND effect.patch_seq = value.patch_seq AND effect.effect_index = value.effect_index) LIMIT 1`,
  }),
);

function dangling(from: string, to: string): string {
  return `a row of ${from} refers to one of ${to} that is not there`;
}

/** Rules that no constraint of the database checks. A statement that cannot read a JSON value throws. */
export const ROW_FAULTS: readonly RowFault[] = [
  {
    reason: 'an effect in world_patches is incomplete, or not of exactly one entity or environment',
    text: `SELECT FROM patch_effects WHERE world_slug = ANY ($1) AND (
        num_nulls(effect_index, op, state_after) > 0 OR effect_index < 0
        OR (entity_id::entity_id_text IS NULL) = (environment_label::human_id_text IS NULL)) LIMIT 1`,
  },
  {
    reason: 'two effects of one row of world_patches have the same effect_index',
    text: `SELECT FROM patch_effects WHERE world_slug = ANY ($1)
      GROUP BY world_slug, turn, patch_seq, effect_index HAVING count(*) > 1 LIMIT 1`,
  },
  {
    reason: 'an artifact in llm_calls lacks its kind or its value',
    text: `SELECT FROM llm_calls, json_array_elements(artifacts) AS artifact WHERE world_slug = ANY ($1)
      AND (json_typeof(artifact->'kind') = 'string' AND artifact->'value' IS NOT NULL) IS NOT TRUE LIMIT 1`,
  },
  {
    reason: 'a row of entity_memories has another origin than its effect says',
    text: `SELECT FROM entity_memories WHERE world_slug = ANY ($1) AND (origin = 'patch') <> (effect_index IS NOT NULL) LIMIT 1`,
  },
  ...DANGLING,
  ...WITHOUT_EFFECT,
  ...TOO_LATE,
];

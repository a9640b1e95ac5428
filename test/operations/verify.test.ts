import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { leafHash, rootOf, toHex } from '../../engine/core/evidence/merkle.js';
import { sealRoot, sealText } from '../../engine/core/evidence/seal-text.js';
import { makeSigningKey } from '../support/evidence-files.js';
import type { ExportedSeal, ExportScope } from '../../engine/core/ledger/exported-ledger.js';
import type { LedgerEntry } from '../../engine/core/ledger/ledger-entry.js';
import { sealEntries } from '../../engine/core/ledger/seal.js';
import { traceHashOf } from '../../engine/core/ledger/write-ledger.js';
import { makeCheckpoint } from '../../engine/operations/evidence/checkpoint.js';
import { exportLedger, EXPORT_FILES, verifyExport, writeExport } from '../../engine/operations/ledger/export-ledger.js';
import { listLedger } from '../../engine/operations/ledger/list-ledger.js';
import { listOrders, showOrder } from '../../engine/operations/ledger/orders.js';
import { readLedger, sealStatement } from '../../engine/operations/ledger/read-ledger.js';
import { type Verification, verifyAttempt, verifyWorld } from '../../engine/operations/ledger/verify.js';
import { must } from '../../tools/must.js';
import { type LivedWorlds, serveLivedWorlds } from '../support/lived-worlds.js';
import type { OutsideView } from '../support/databases.js';

const SEALED_TABLES = [
  'seals',
  'source_invocations',
  'approvals',
  'llm_calls',
  'llm_messages',
  'llm_segments',
  'world_patches',
  'attempts',
  'turns',
  'entity_states',
  'entity_memories',
  'environment_contents',
  'attempt_events',
  'worlds',
  'world_scenarios',
  'log_leaves',
  'offered_schemas',
  'scenarios',
];

/** Another value of a column, as SQL. */
function otherValue(column: string, type: string, base: string): string {
  if (type === 'sha256_hex') return `encode(sha256(${column}::text::bytea), 'hex')`;
  if (base === 'uuid') return 'gen_random_uuid()';
  if (base === 'boolean') return `NOT ${column}`;
  if (base === 'json') return column === 'effects' ? `'[]'` : `'{"changed":true}'`;
  if (base === 'bytea') return column === 'leaf_hashes' ? `${column} || ${column}` : `sha256(${column})`;
  if (base === 'timestamp with time zone') return `${column} + interval '1 hour'`;
  if (base.endsWith('int') || base === 'integer') return `${column} + 1000`;
  if (base.endsWith('[]')) return `${column} || ${column}`;
  if (base === 'text') return `${column} || 'x'`;
  return `(SELECT value FROM unnest(enum_range(NULL::${type})) AS value WHERE value <> ${column} LIMIT 1)`;
}

/** What is not sealed, as docs/ledgers.md lists it. A new column is sealed, or stands here and there. */
const UNSEALED: Readonly<Record<string, 'all' | readonly string[]>> = {
  attempts: [
    'epoch',
    'take_overs',
    'holder_host',
    'holder_pid',
    'adopts',
    'began_event_id',
    'handed_over',
    'is_transient',
    'resume_deadline',
    'inbox_id',
  ],
  llm_calls: [
    'artifacts',
    'attempt_id',
    'source_invocation_id',
    'ended_at',
    'finish_reason',
    'last_pieces',
    'max_output_tokens',
    'new_messages',
    'normalised_text',
    'retrieved',
    'started_at',
    'status',
  ],
  log_leaves: ['world_slug', 'seal_seq', 'attempt_id', 'log_index'],
  source_invocations: [
    'attempted_turn',
    'http_status',
    'input_schema_hash',
    'output_schema_hash',
    'redaction',
    'response_body',
    'response_headers',
    'tool_call_id',
    'tool_loop_round',
    'validation_status',
    'answered',
    'pending_deadline_ms',
    'started_event_id',
    'ended_event_id',
    'repeatable',
    'outcome_unknown',
    'retry_after_ms',
    'may_be_followed',
  ],
  turns: ['committed_event_id'],
  worlds: [
    // A world of another name is another world: nothing is found under the old one.
    'world_slug',
    'root_world_slug',
    'lease_epoch',
    'lease_attempt_id',
    'lease_host',
    'lease_pid',
    'lease_until',
    'created_at',
    'adoptable_attempt_id',
    'request_mark',
  ],
  world_scenarios: ['chosen_at', 'files', 'scenario_seq'],
  world_lineage: ['ancestor_slug', 'until_turn', 'world_slug'],
  agent_inbox: 'all',
  agent_state_heads: 'all',
  approval_grants: 'all',
  approvals: ['binding_hash', 'policy_hash'],
  assistant_tasks: 'all',
  attempt_events: 'all',
  audit_entries: 'all',
  budgets: 'all',
  budget_reservations: 'all',
  operator_actions: 'all',
  pending_calls: 'all',
  indexed_memories: 'all',
  memory_words: 'all',
  search_entries: 'all',
  search_progress: 'all',
  llm_chunks: 'all',
  memory_purges: 'all',
  // What a study set out to do: its own seal says whether it has changed, and its worlds say what happened.
  study_worlds: 'all',
};

const WRONG_ROOT = (line: number) => ({ file: 'seals', line, why: 'root_wrong' });

/** A seal over other hashes, with the root that fits. */
function forge({ tiers, ...seal }: ExportedSeal, leaf_hashes: readonly string[]): ExportedSeal {
  const { leaf_hashes: _, root: __, ...header } = seal;
  const said = { ...header, entries: leaf_hashes.length };
  const tree = rootOf(leaf_hashes.map((hash) => Buffer.from(hash, 'hex')));
  const source_invocation_id = seal.source_invocation_id ?? '';
  const root = sealRoot({ ...said, source_invocation_id, previous_root: seal.previous_root ?? '' }, tree);
  return { ...seal, tiers, leaf_hashes, root: toHex(root) };
}

describe('the ledgers of lived worlds', () => {
  let lived: LivedWorlds;
  let outside: OutsideView;
  before(async () => {
    lived = await serveLivedWorlds();
    assert.ok(lived.stage.outside);
    outside = lived.stage.outside;
    const key = makeSigningKey('chukwa/test');
    must(await makeCheckpoint(lived.stage.engine, { key, anchor: undefined }, Date.now()));
  });
  after(() => lived.close());

  const verify = async (slug: string): Promise<Verification> => must(await verifyWorld(lived.stage.engine, slug));

  const writeLedgerOf = async (named: string, folder: string, working_folder: string): Promise<void> => {
    const exported = must(await exportLedger(lived.stage.engine, named));
    must(await writeExport(exported, { folder, working_folder }));
  };

  /** Does something as a superuser whom no trigger stops, looks, and puts everything back. */
  const tamper = async (
    statements: readonly string[],
    look: () => Promise<void>,
    tables: readonly string[] = SEALED_TABLES,
  ): Promise<void> => {
    await outside.query("SET session_replication_role = 'replica'");
    for (const table of tables) await outside.query(`CREATE TEMP TABLE kept_${table} AS TABLE ${table}`);
    try {
      for (const statement of statements) await outside.query(statement);
      await look();
    } finally {
      for (const table of tables) {
        await outside.query(`DELETE FROM ${table}`);
        const columns = await outside.query<{ list: string }>(
          `SELECT string_agg(quote_ident(attname), ', ') AS list FROM pg_attribute
           WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
        );
        const list = columns[0]?.list ?? '';
        await outside.query(`INSERT INTO ${table} (${list}) OVERRIDING SYSTEM VALUE SELECT ${list} FROM kept_${table}`);
        await outside.query(`DROP TABLE kept_${table}`);
      }
      await outside.query("SET session_replication_role = 'origin'");
    }
  };

  it('every attempt that ended is as its driver sealed it, whatever happened in it', async () => {
    const worlds = await lived.stage.engine.store.worlds.list();
    const found = await Promise.all(worlds.map(({ world_slug }) => verify(world_slug)));
    assert.deepEqual(
      found.flatMap(({ findings }) => findings.map(({ message }) => message)),
      [],
    );
    const statuses = await outside.query<{ status: string }>(
      'SELECT DISTINCT status FROM attempts WHERE ended_at IS NOT NULL',
    );
    assert.deepEqual(statuses.map(({ status }) => status).toSorted(), ['committed', 'failed']);
    assert.ok(
      found.some(({ seals, attempts }) => seals > attempts),
      'a settlement has a seal of its own',
    );
  });

  it('each order that was dispatched is executed once and ends once, with its cost', async () => {
    const attempts = await outside.query<{ attempt_id: string }>(
      'SELECT attempt_id FROM attempts WHERE ended_at IS NOT NULL',
    );
    for (const { attempt_id } of attempts) {
      const entries = must(await readLedger(lived.stage.engine, attempt_id));
      const idsOf = (...events: readonly LedgerEntry['event_type'][]) =>
        entries.flatMap(({ event_type, wo_id }) => (events.includes(event_type) && wo_id !== undefined ? [wo_id] : []));
      assert.deepEqual(idsOf('WO_EXECUTING'), idsOf('WO_DISPATCHED'));
      assert.deepEqual(idsOf('WO_COMPLETED', 'WO_FAILED'), idsOf('WO_PLANNED'));
      for (const entry of entries) {
        const { parent_event_id, root_event_id } = entry.metadata.relational;
        for (const id of [parent_event_id, root_event_id])
          assert.ok(id === undefined || entries.some(({ entry_id }) => entry_id === id), `${entry.event_type} ${id}`);
        if (entry.event_type === 'WO_COMPLETED' || entry.event_type === 'WO_FAILED') assert.ok(entry.details['cost']);
      }
      for (const closing of entries.filter(({ event_type }) => event_type === 'WO_CHAIN_COMPLETE')) {
        const root = closing.metadata.relational.root_event_id;
        const done = entries.filter((entry) => entry.metadata.relational.root_event_id === root);
        assert.equal(closing.metadata.context_fingerprint?.context_hash, traceHashOf(done));
      }
      assert.equal(new Set(entries.map(({ entry_id }) => entry_id)).size, entries.length);
    }
  });

  it('what an attempt cost is the sum of what its orders cost', async () => {
    const [attempt] = await outside.query<{ attempt_id: string }>(
      `SELECT attempt_id FROM attempts WHERE world_slug = '${lived.park}' AND status = 'committed' ORDER BY epoch LIMIT 1`,
    );
    const orders = must(await listOrders(lived.stage.engine, attempt?.attempt_id ?? '', { limit: 100 }));
    const [sum] = await outside.query<{ tokens: string }>(
      `SELECT sum(input_tokens + output_tokens) AS tokens FROM llm_calls WHERE attempt_id = '${attempt?.attempt_id}'`,
    );
    assert.equal(
      orders.reduce((total, { cost }) => total + cost.total_tokens, 0),
      Number(sum?.tokens),
    );
    const [first] = orders;
    const shown = must(await showOrder(lived.stage.engine, first?.wo_id.toLowerCase() ?? ''));
    assert.equal(shown.attempt_id, attempt?.attempt_id);
    assert.ok(shown.calls.length > 0);
  });

  const AT_PARK = (): string => `world_slug = '${lived.park}'`;
  const CALL = (): string =>
    `(SELECT source_invocation_id FROM source_invocations WHERE ${AT_PARK()} AND attempted_turn = 1 AND llm_call_id IS NOT NULL ORDER BY invocation_seq LIMIT 1)`;
  const manipulations: Readonly<
    Record<string, { readonly code: string; readonly statements: () => readonly string[] }>
  > = {
    'the tokens of a call': {
      code: 'ENTRY_ALTERED',
      statements: () => [
        `UPDATE llm_calls SET output_tokens = output_tokens + 1 WHERE source_invocation_id = ${CALL()}`,
      ],
    },
    'the answer of a model': {
      code: 'ENTRY_ALTERED',
      statements: () => [`UPDATE llm_calls SET last_text = last_text || ' ' WHERE source_invocation_id = ${CALL()}`],
    },
    'the answer of a service': {
      code: 'ENTRY_ALTERED',
      statements: () => [
        `UPDATE source_invocations SET response_json = '{"changed": true}' WHERE ${AT_PARK()} AND invocation_seq = 1 AND attempted_turn = 1`,
      ],
    },
    'the request to a service': {
      code: 'CONTENT_ALTERED',
      statements: () => [
        `UPDATE source_invocations SET request_json = '{"changed": true}' WHERE ${AT_PARK()} AND invocation_seq = 1 AND attempted_turn = 1`,
      ],
    },
    'a text of a prompt': {
      code: 'CONTENT_ALTERED',
      statements: () => [
        `ALTER TABLE llm_messages DISABLE TRIGGER ALL`,
        `ALTER TABLE llm_messages DROP CONSTRAINT named_by_content`,
        `UPDATE llm_messages SET texts = array_replace(texts, texts[1], texts[1] || ' '::bytea) WHERE texts[1] IS NOT NULL`,
      ],
    },
    'the origins of a piece of a prompt': {
      code: 'CONTENT_ALTERED',
      statements: () => [
        `WITH sent AS (
           SELECT llm_messages.*, array_fill('author'::text, ARRAY[cardinality(origins)]) AS forged
           FROM llm_calls JOIN llm_messages ON message_hash = ANY (new_messages)
           WHERE source_invocation_id = ${CALL()} AND role = 'user'),
         other AS (
           INSERT INTO llm_messages (message_hash, role, content_hash, origins, texts, segment_hashes, segment_origins)
           SELECT name_of_message(role, origins, texts, segment_hashes, forged), role, content_hash, origins, texts,
             segment_hashes, forged FROM sent RETURNING content_hash, message_hash)
         UPDATE llm_calls SET new_messages = array_replace(new_messages, sent.message_hash, other.message_hash)
         FROM sent JOIN other USING (content_hash) WHERE sent.message_hash = ANY (new_messages)`,
      ],
    },
    'the hash of those origins': {
      code: 'ENTRY_ALTERED',
      statements: () => [
        `UPDATE source_invocations SET argument_origins = (argument_origins::jsonb - 'pieces')::json
         WHERE source_invocation_id = ${CALL()}`,
      ],
    },
    'a call that was made': {
      code: 'ENTRY_REMOVED',
      statements: () => [`DELETE FROM source_invocations WHERE source_invocation_id = ${CALL()}`],
    },
    'a call that was never made': {
      code: 'ENTRY_INSERTED',
      statements: () => [
        `CREATE TEMP TABLE forged AS SELECT * FROM source_invocations WHERE ${AT_PARK()} AND attempted_turn = 1 AND llm_call_id IS NULL ORDER BY invocation_seq LIMIT 1`,
        `UPDATE forged SET source_invocation_id = gen_random_uuid(), invocation_seq = 900, command_key = 'forged'`,
        `INSERT INTO source_invocations SELECT * FROM forged`,
        `DROP TABLE forged`,
      ],
    },
    'the order of two calls': {
      code: 'ENTRY_ALTERED',
      statements: () => [
        `UPDATE source_invocations SET invocation_seq = 3 - invocation_seq + 1000 WHERE ${AT_PARK()} AND attempted_turn = 1 AND invocation_seq IN (1, 2)`,
        `UPDATE source_invocations SET invocation_seq = invocation_seq - 1000 WHERE ${AT_PARK()} AND attempted_turn = 1 AND invocation_seq > 1000`,
      ],
    },
    'what a patch said': {
      code: 'ENTRY_ALTERED',
      statements: () => [
        `UPDATE world_patches SET narration = narration || '!' WHERE ${AT_PARK()} AND turn = 1 AND patch_seq = 1`,
      ],
    },
    'a state of the world': {
      code: 'VALUE_NOT_OF_PATCH',
      statements: () => [`UPDATE entity_states SET state = state || '!' WHERE ${AT_PARK()} AND patch_seq IS NOT NULL`],
    },
    'why an attempt failed': {
      code: 'ENTRY_ALTERED',
      statements: () => [
        `UPDATE attempts SET failure_message = 'all was well' WHERE ${AT_PARK()} AND status = 'failed'`,
      ],
    },
    'the seal of an attempt': {
      code: 'SEAL_BROKEN',
      statements: () => [`UPDATE seals SET root = sha256('x') WHERE ${AT_PARK()} AND seal_seq = 1`],
    },
    'a seal that is gone': {
      code: 'SEAL_BROKEN',
      statements: () => [`DELETE FROM seals WHERE ${AT_PARK()} AND seal_seq = 1`],
    },
  };
  const LAST = (): string => `(SELECT max(turn) FROM turns WHERE ${AT_PARK()})`;
  const AT_LAST = (): string => `${AT_PARK()} AND turn = ${LAST()}`;
  const OF_TURN_1 = (): string => `${AT_PARK()} AND attempted_turn = 1`;
  Object.assign(manipulations, {
    'an attempt that is opened again, and its turn taken back': {
      code: 'ATTEMPT_REOPENED',
      statements: () => [
        `UPDATE attempts SET status = 'running', ended_at = NULL WHERE ${AT_PARK()} AND status = 'committed' AND attempted_turn = ${LAST()}`,
        ...['world_patches', 'entity_states', 'entity_memories', 'environment_contents', 'turns'].map(
          (table) => `DELETE FROM ${table} WHERE ${AT_PARK()} AND turn = (SELECT turn FROM worlds WHERE ${AT_PARK()})`,
        ),
        `UPDATE worlds SET turn = turn - 1 WHERE ${AT_PARK()}`,
      ],
    },
    'an attempt that is opened again': {
      code: 'ATTEMPT_REOPENED',
      statements: () => [`UPDATE attempts SET status = 'running', ended_at = NULL WHERE ${OF_TURN_1()}`],
    },
    'an attempt that is gone': {
      code: 'SEAL_BROKEN',
      statements: () => [`DELETE FROM attempts WHERE ${OF_TURN_1()}`],
    },
    'a turn that is taken back': {
      code: 'TURN_NOT_OF_ATTEMPT',
      statements: () => [`UPDATE worlds SET turn = turn - 1 WHERE ${AT_PARK()}`],
    },
    'a turn that is gone': {
      code: 'TURN_NOT_OF_ATTEMPT',
      statements: () => [`DELETE FROM turns WHERE ${AT_PARK()} AND turn = 1`],
    },
    'the scenarios of a world': {
      code: 'TURN_NOT_OF_ATTEMPT',
      statements: () => [`DELETE FROM world_scenarios WHERE ${AT_PARK()}`],
    },
    'a state that no patch left': {
      code: 'VALUE_NOT_OF_PATCH',
      statements: () => [
        `UPDATE entity_states SET state = 'EVIL', patch_seq = NULL, effect_index = NULL WHERE ${AT_PARK()} AND turn = (SELECT max(turn) FROM entity_states WHERE ${AT_PARK()})`,
      ],
    },
    'a state that is gone': {
      code: 'VALUE_NOT_OF_PATCH',
      statements: () => [`DELETE FROM entity_states WHERE ${AT_PARK()} AND turn > 0`],
    },
    'a memory that is gone': {
      code: 'VALUE_NOT_OF_PATCH',
      statements: () => [`DELETE FROM entity_memories WHERE ${AT_PARK()} AND turn > 0`],
    },
    'a memory that nobody had': {
      code: 'VALUE_NOT_OF_PATCH',
      statements: () => [
        `INSERT INTO entity_memories (world_slug, entity_id, turn, memory_seq, content, origin) SELECT world_slug, entity_id, 0, 77, 'forged', 'scenario' FROM entity_states WHERE ${AT_PARK()} AND turn = 0 LIMIT 1`,
      ],
    },
    'a state of the beginning': {
      code: 'VALUE_NOT_OF_PATCH',
      statements: () => [`UPDATE entity_states SET state = 'EVIL' WHERE ${AT_PARK()} AND turn = 0`],
    },
    'an environment of the beginning': {
      code: 'VALUE_NOT_OF_PATCH',
      statements: () => [`UPDATE environment_contents SET content = 'EVIL' WHERE ${AT_PARK()} AND turn = 0`],
    },
    'a document': {
      code: 'DOCUMENT_ALTERED',
      statements: () => [
        `ALTER TABLE scenarios DROP CONSTRAINT named_by_content`,
        `UPDATE scenarios SET content = (left(content::text, -1) || ',"zzz":1}')::json WHERE hash = (SELECT scenario_hash FROM worlds WHERE ${AT_PARK()})`,
      ],
    },
    'a schema that a model was offered': {
      code: 'CONTENT_ALTERED',
      statements: () => [
        `ALTER TABLE offered_schemas DROP CONSTRAINT IF EXISTS named_by_content`,
        `UPDATE offered_schemas SET content = '{"type":"object"}'`,
      ],
    },
    'the request of a generation': {
      code: 'CONTENT_ALTERED',
      statements: () => [`UPDATE source_invocations SET request_json = '{}' WHERE source_invocation_id = ${CALL()}`],
    },
    'a leaf of the log, after a seal was written anew': {
      code: 'SEAL_BROKEN',
      statements: () => [
        `UPDATE log_leaves SET seal = replace(seal, '"entries":', '"entries":1') WHERE ${AT_PARK()} AND seal_seq = 1`,
      ],
    },
    'the moment of a seal': {
      code: 'SEAL_BROKEN',
      statements: () => [
        `UPDATE seals SET sealed_at = sealed_at + interval '1 hour' WHERE ${AT_PARK()} AND seal_seq = 1`,
      ],
    },
    'the last seal and all that it sealed, where the log has it': {
      code: 'SEAL_BROKEN',
      statements: () => [
        ...['world_patches', 'entity_states', 'entity_memories', 'environment_contents'].map(
          (table) => `DELETE FROM ${table} WHERE ${AT_LAST()}`,
        ),
        `DELETE FROM attempts WHERE attempt_id = (SELECT attempt_id FROM turns WHERE ${AT_LAST()})`,
        `DELETE FROM seals WHERE attempt_id = (SELECT attempt_id FROM turns WHERE ${AT_LAST()})`,
        `DELETE FROM turns WHERE ${AT_LAST()}`,
        `UPDATE worlds SET turn = turn - 1 WHERE ${AT_PARK()}`,
      ],
    },
  });
  for (const [what, { code, statements }] of Object.entries(manipulations)) {
    it(`${what}: a change is found, and named ${code}`, async () => {
      await tamper(statements(), async () => {
        const found = await verify(lived.park);
        assert.equal(found.ok, false);
        assert.ok(
          found.findings.some((finding) => finding.code === code),
          JSON.stringify(found.findings),
        );
      });
      assert.equal((await verify(lived.park)).ok, true);
    });
  }

  /** Writes the seals of the park anew, as its record is now, and the log of seals. */
  const sealAnew = async (): Promise<void> => {
    const rest = new Map<string, readonly LedgerEntry[]>();
    let previous_root: Uint8Array | null = null;
    for (const seal of await lived.stage.engine.store.ledger.seals(lived.park)) {
      const { attempt_id, seal_seq } = seal;
      const entries = rest.get(attempt_id) ?? must(await readLedger(lived.stage.engine, attempt_id));
      const count = seal.leaf_hashes.length / 32;
      rest.set(attempt_id, entries.slice(count));
      const { leaf_hashes, tree_root } = sealEntries(entries.slice(0, count));
      const said = sealStatement({ ...seal, entries: count, root: tree_root, previous_root });
      const root = sealRoot(said, tree_root);
      const text = sealText({ ...said, root: toHex(root) });
      await outside.query(
        `UPDATE seals SET leaf_hashes = $1, root = $2, previous_root = $3 WHERE ${AT_PARK()} AND seal_seq = $4`,
        [Buffer.concat(leaf_hashes), root, previous_root, seal_seq],
      );
      await outside.query(`UPDATE log_leaves SET seal = $1, leaf_hash = $2 WHERE ${AT_PARK()} AND seal_seq = $3`, [
        text,
        leafHash(text),
        seal_seq,
      ]);
      previous_root = root;
    }
  };

  it('who alters an entry and writes all seals and the log anew is found by a checkpoint that is kept elsewhere', async () => {
    const { engine } = lived.stage;
    const working_folder = await mkdtemp(join(tmpdir(), 'chukwa-anchor-'));
    const anchor = { kind: 'file', file: join(working_folder, 'anchor.txt') } as const;
    const signer = { key: makeSigningKey('chukwa/anchored'), anchor };
    const check = () => makeCheckpoint(engine, signer, Date.now());
    must(await check());
    const refusalOf = async () => {
      const made = await check();
      return made.ok ? undefined : made.problems[0];
    };
    const tables = [...SEALED_TABLES, 'checkpoints'];
    const altered = `UPDATE llm_calls SET output_tokens = output_tokens + 1 WHERE source_invocation_id = ${CALL()}`;
    await tamper(
      [altered, 'DELETE FROM checkpoints'],
      async () => {
        await sealAnew();
        assert.deepEqual((await verify(lived.park)).findings, [], 'nothing in the database itself says so');
        const refused = await refusalOf();
        assert.equal(refused?.code, 'LOG_SHRUNK');
        assert.match(
          refused.message,
          /^The first \d+ seals of the log are not those of the last checkpoint at the anchor\./,
        );
      },
      tables,
    );
    const forged = `seal = replace(seal, '"entries":', '"entries":1')`;
    const replaced = [
      `UPDATE log_leaves SET ${forged} WHERE ${AT_PARK()} AND seal_seq = 1`,
      `UPDATE log_leaves SET leaf_hash = sha256('\\x00'::bytea || convert_to(seal, 'UTF8')) WHERE ${AT_PARK()}`,
    ];
    await tamper(
      replaced,
      async () => {
        const [finding] = (await verify(lived.park)).findings;
        assert.deepEqual([finding?.code, finding?.seal_seq], ['SEAL_BROKEN', 1]);
        assert.equal((await refusalOf())?.code, 'LOG_SHRUNK');
      },
      tables,
    );
    assert.equal(await refusalOf(), undefined);
    await rm(working_folder, { recursive: true });
  });

  it('each column that is sealed is compared, and each other one is known not to be', async () => {
    const columns = await outside.query<{ table: string; column: string; type: string; base: string }>(
      `SELECT relname AS table, attname AS column, format_type(atttypid, NULL) AS type,
         format_type(CASE WHEN typbasetype = 0 THEN atttypid ELSE typbasetype END, NULL) AS base
       FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid JOIN pg_type ON atttypid = pg_type.oid
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
         AND EXISTS (SELECT FROM pg_attribute AS own WHERE own.attrelid = attrelid AND own.attname = 'world_slug'
           AND own.attrelid = pg_class.oid)
       ORDER BY relname, attnum`,
    );
    const faults: string[] = [];
    for (const { table, column, type, base } of columns) {
      const open = UNSEALED[table];
      if (open === 'all' || open?.includes(column) === true) continue;
      const ended = columns.some((each) => each.table === table && each.column === 'attempt_id')
        ? 'AND attempt_id IN (SELECT attempt_id FROM attempts WHERE ended_at IS NOT NULL)'
        : '';
      const [row] = await outside.query<{ ctid: string; world_slug: string }>(
        `SELECT ctid::text, world_slug FROM ${table}
         WHERE ${column} IS NOT NULL AND world_slug IN (SELECT world_slug FROM worlds WHERE turn > 0) ${ended}
         ORDER BY world_slug <> '${lived.park}' LIMIT 1`,
      );
      if (row === undefined) continue;
      const changed = `UPDATE ${table} SET ${column} = (${otherValue(column, type, base)})::${type} WHERE ctid = '${row.ctid}'`;
      try {
        await tamper([changed], async () => {
          if ((await verify(row.world_slug)).ok) faults.push(`${table}.${column} is changed unseen`);
        }, [table]);
      } catch (error) {
        // A constraint of the database refuses it.
        if (!/violates check/.test(String(error))) faults.push(`${table}.${column}: ${String(error)}`);
      }
    }
    assert.equal(faults.join('\n'), '');
  });

  it('each entry of a turn that is changed beneath is the one that is named', async () => {
    const [attempt] = await outside.query<{ attempt_id: string }>(
      `SELECT attempt_id FROM attempts WHERE ${AT_PARK()} AND attempted_turn = 1`,
    );
    const attempt_id = attempt?.attempt_id ?? '';
    const entries = must(await readLedger(lived.stage.engine, attempt_id));
    for (const entry of entries) {
      const call = entry.details['source_invocation_id'];
      if (typeof call !== 'string') continue;
      const statement = `UPDATE source_invocations SET duration_ms = duration_ms + 1 WHERE source_invocation_id = '${call}'`;
      await tamper([statement], async () => {
        const found = must(await verifyAttempt(lived.stage.engine, attempt_id));
        assert.equal(found.findings[0]?.entry_id, entry.entry_id);
      });
    }
  });

  it('a traversal follows the links of entries', async () => {
    const { engine } = lived.stage;
    const listed = async (pattern: string, of: string) =>
      must(await listLedger(engine, { world_slug: lived.park, pattern, of }, { limit: 200 }));
    const all = must(await listLedger(engine, { world_slug: lived.park }, { limit: 200 }));
    const call = all.find(({ event_type }) => event_type === 'LLM_CALL');
    assert.deepEqual(
      (await listed('causal_chain', call?.entry_id ?? '')).map(({ event_type }) => event_type),
      ['LLM_CALL', 'WO_EXECUTING', 'WO_DISPATCHED', 'WO_PLANNED', 'SESSION_BEGAN'],
    );
    assert.ok((await listed('chain_scope', call?.entry_id ?? '')).length > 3);
    const failures = await listed('framework_failures', call?.metadata.provenance.framework_id ?? '');
    assert.ok(failures.every(({ outcome }) => outcome?.status === 'failure'));
    assert.ok((await listed('agent_history', 'bob')).length > 0);
    const contract = call?.metadata.relational.related_artifacts.find(({ type }) => type === 'framework');
    assert.ok((await listed('artifact_impact', contract?.id ?? '')).length > 0);
  });

  it('an export verifies without a database, and names the line that was changed', async () => {
    const working_folder = await mkdtemp(join(tmpdir(), 'chukwa-ledger-'));
    const folder = join(working_folder, 'ledger');
    await writeLedgerOf(lived.park, 'ledger', working_folder);
    assert.equal(must(await verifyExport(folder, folder)).fault, undefined);
    const rewrite = async (file: keyof typeof EXPORT_FILES, change: (lines: string[]) => readonly string[]) => {
      const path = join(folder, EXPORT_FILES[file]);
      const text = await readFile(path, 'utf8');
      await writeFile(path, `${change(text.trim().split('\n')).join('\n')}\n`);
      const { fault } = must(await verifyExport(folder, folder));
      await writeFile(path, text);
      return fault;
    };
    const altered = await rewrite('HO1', (lines) => lines.with(4, lines[4]?.replace('success', 'failure') ?? ''));
    assert.deepEqual(altered, { file: 'HO1', line: 5, why: 'altered' });
    const removed = await rewrite('HO2', (lines) => lines.toSpliced(2, 1));
    assert.deepEqual(removed, { file: 'HO2', line: 3, why: 'removed' });
    const inserted = await rewrite('HO1', (lines) => lines.toSpliced(3, 0, '{"forged":true}'));
    assert.deepEqual(inserted, { file: 'HO1', line: 4, why: 'inserted' });
    const swapped = await rewrite('HO1', (lines) => lines.with(0, lines[1] ?? '').with(1, lines[0] ?? ''));
    assert.deepEqual(swapped, { file: 'HO1', line: 1, why: 'reordered' });
    const cut = await rewrite('HO2', (lines) => lines.slice(0, -1));
    assert.equal(cut?.why, 'cut_off');
    const unchained = await rewrite('seals', (lines) => lines.toSpliced(1, 1));
    assert.deepEqual(unchained, { file: 'seals', line: 2, why: 'chain_broken' });
    const headless = await rewrite('seals', (lines) => lines.slice(1));
    assert.deepEqual(headless, { file: 'seals', line: 1, why: 'beginning_missing' });
    const { length } = await outside.query(`SELECT FROM seals WHERE ${AT_PARK()}`);
    const tailless = await rewrite('seals', (lines) => lines.slice(0, -2));
    assert.deepEqual(tailless, { file: 'seals', line: length - 1, why: 'end_missing' });
    const disguised = await rewrite('scope', ([line = '']) => [
      JSON.stringify({ ...JSON.parse(line), attempt_id: '01a2015a-0bd6-7667-b4f2-ff813afe9e27' }),
    ]);
    assert.deepEqual(disguised, { file: 'seals', line: 1, why: 'foreign' });
    await rm(working_folder, { recursive: true });
  });

  it('the last root of an export stands for all that comes before it', async () => {
    const working_folder = await mkdtemp(join(tmpdir(), 'chukwa-ledger-'));
    const folder = join(working_folder, 'ledger');
    await writeLedgerOf(lived.park, 'ledger', working_folder);
    const held = new Map<string, readonly string[]>();
    for (const path of Object.values(EXPORT_FILES))
      held.set(path, (await readFile(join(folder, path), 'utf8')).trim().split('\n'));
    const seals = (held.get(EXPORT_FILES.seals) ?? []).map((line) => JSON.parse(line) as ExportedSeal);
    const scope = JSON.parse(held.get(EXPORT_FILES.scope)?.[0] ?? '') as ExportScope;
    const faultOf = async (forged: {
      readonly seals?: readonly object[];
      readonly scope?: object;
      readonly HO1?: readonly string[];
      readonly HO2?: readonly string[];
    }) => {
      const files = {
        seals: forged.seals?.map((seal) => JSON.stringify(seal)),
        scope: forged.scope && [JSON.stringify(forged.scope)],
        HO1: forged.HO1,
        HO2: forged.HO2,
      };
      for (const [file, path] of Object.entries(EXPORT_FILES))
        await writeFile(join(folder, path), (files[file as keyof typeof files] ?? held.get(path) ?? []).join('\n'));
      return must(await verifyExport(folder, folder)).fault;
    };
    const [first, second] = [seals[0], seals[1]];
    assert.ok(first && second);
    const decisions = held.get(EXPORT_FILES.HO2) ?? [];
    const actions = held.get(EXPORT_FILES.HO1) ?? [];
    assert.equal(await faultOf({}), undefined);
    // Who changes an entry can compute its hash and the root anew, and then has to do so with all seals after it.
    const altered = decisions.with(0, decisions[0]?.replace('"attempted_turn":1', '"attempted_turn":9') ?? '');
    const resealed = forge(first, [toHex(leafHash(altered[0] ?? '')), ...first.leaf_hashes.slice(1)]);
    const chained = [resealed, { ...second, previous_root: resealed.root }, ...seals.slice(2)];
    const renamed = { ...scope, first_root: resealed.root };
    assert.deepEqual(await faultOf({ HO2: altered, seals: chained, scope: renamed }), WRONG_ROOT(2));
    for (const forged of [
      { attempt_id: second.attempt_id },
      { sealed_at: '2001-01-01T00:00:00.000Z' },
      { source_invocation_id: second.attempt_id },
    ])
      assert.deepEqual(await faultOf({ seals: seals.with(0, { ...first, ...forged }) }), WRONG_ROOT(1));
    const numbered = seals.with(0, { ...first, seal_seq: -7 });
    assert.deepEqual(await faultOf({ seals: numbered }), { file: 'seals', line: 1, why: 'unreadable' });
    const begun = seals.with(0, { ...first, previous_root: second.root });
    assert.equal((await faultOf({ seals: begun }))?.line, 1);
    const counted = { ...scope, entries: scope.entries + 1 };
    assert.deepEqual(await faultOf({ scope: counted }), { file: 'scope', line: 1, why: 'miscounted' });
    // Each entry says itself in which ledger, and in which session, it belongs.
    const moved = seals.map((seal) => ({ ...seal, tiers: seal.tiers.map(() => 'HO1') }));
    const texts = new Map([...decisions, ...actions].map((line) => [toHex(leafHash(line)), line]));
    const together = seals.flatMap(({ leaf_hashes }) => leaf_hashes.map((hash) => texts.get(hash) ?? ''));
    const elsewhere = await faultOf({ seals: moved, HO1: together, HO2: [] });
    assert.deepEqual(elsewhere, { file: 'HO1', line: 1, why: 'foreign' });
    await rm(working_folder, { recursive: true });
  });

  it('an export whose first seals are cut off with their lines is found, and one of an attempt says so', async () => {
    const working_folder = await mkdtemp(join(tmpdir(), 'chukwa-ledger-'));
    const folder = join(working_folder, 'ledger');
    const attempts = await outside.query<{ attempt_id: string; entries: number }>(
      `SELECT attempt_id, length(leaf_hashes) / 32 AS entries FROM seals WHERE ${AT_PARK()} ORDER BY seal_seq`,
    );
    const [first] = attempts;
    await writeLedgerOf(lived.park, 'ledger', working_folder);
    const session = (await readFile(join(folder, EXPORT_FILES.HO2), 'utf8')).split('\n')[0] ?? '';
    const { session_id } = JSON.parse(session) as { readonly session_id: string };
    for (const file of ['HO1', 'HO2', 'seals'] as const) {
      const path = join(folder, EXPORT_FILES[file]);
      const lines = (await readFile(path, 'utf8')).split('\n');
      const kept =
        file === 'seals' ? lines.slice(1) : lines.filter((line) => !line.includes(`"session_id":"${session_id}"`));
      await writeFile(path, kept.join('\n'));
    }
    const cut = must(await verifyExport(folder, folder));
    assert.deepEqual(cut.fault, { file: 'seals', line: 1, why: 'beginning_missing' });
    const attempt_id = attempts.at(-1)?.attempt_id ?? '';
    assert.notEqual(attempt_id, first?.attempt_id);
    await writeLedgerOf(attempt_id, 'one', working_folder);
    const one = must(await verifyExport(join(working_folder, 'one'), 'one'));
    assert.deepEqual([one.attempt_id, one.world_slug, one.fault], [attempt_id, lived.park, undefined]);
    await rm(working_folder, { recursive: true });
  });
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { SegmentOrigin } from '../../engine/core/prompt/message.js';
import type { ModelOutputKind } from '../../engine/core/protocol/verdict.js';
import type { EffectOperation } from '../../engine/core/world/world-patch.js';
import type { EffectClass } from '../../engine/core/protocol/program.js';
import type { AttemptStatus, AuditRecord, InvocationStatus, InvocationSummary } from '../../engine/ports/records.js';
import type { ComponentKind } from '../../engine/ports/validation.js';
import type * as stored from '../../engine/store/tables.js';
import { openTestDatabase } from '../support/databases.js';

const opened = openTestDatabase('embedded');
after(async () => (await opened).close());

/** Columns whose target the writing statement holds or writes itself. An import looks for it. */
const HELD = [
  'attempts.scenario_hash',
  'llm_calls.source_invocation_id',
  'source_invocations.attempt_id',
  'turns.attempt_id',
];

/** Columns copied from a row that is held, or that another foreign key demands. */
const COPIED = [
  'llm_calls.attempt_id',
  'log_leaves.attempt_id',
  'log_leaves.world_slug',
  'pending_calls.attempt_id',
  'seals.source_invocation_id',
  'source_invocations.llm_call_id',
  'world_patches.attempt_id',
];

/** Names of documents and offered schemas, which are stored before a call is made and never removed. */
const NAMES_OF_DOCUMENTS = [
  'approvals.source_hash',
  'llm_calls.output_schema_hash',
  'source_invocations.input_schema_hash',
  'source_invocations.output_schema_hash',
  'source_invocations.source_hash',
  'source_invocations.workflow_hash',
];

test('every column that refers to a row elsewhere is a foreign key, is held by its statement, a copy, or the name of a document', async () => {
  const { outside } = await opened;
  const loose = await outside.query<{ place: string }>(`
    SELECT format('%s.%s', attrelid::regclass, attname) AS place
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0
      AND (attname LIKE '%\\_invocation\\_id' OR attname IN ('attempt_id', 'llm_call_id', 'world_slug', 'workflow_hash',
        'cognition_workflow_hash', 'source_hash', 'response_source_hash', 'scenario_hash', 'segment_hash',
        'message_hash', 'output_schema_hash', 'input_schema_hash'))
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = attrelid AND contype IN ('f', 'p') AND attnum = ANY (conkey))
    ORDER BY 1`);
  assert.deepEqual(
    loose.map(({ place }) => place),
    [...HELD, ...COPIED, ...NAMES_OF_DOCUMENTS].toSorted(),
  );
});

// What outlives a world: the entry of the action that deleted it, its leaves in the log; and budgets are of days too.
test('every table of a world has the world in its key, but for those that outlive worlds', async () => {
  const { outside } = await opened;
  const others = await outside.query<{ name: string }>(`
    SELECT conrelid::regclass::text AS name
    FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attname = 'world_slug'
    WHERE contype = 'p' AND attnum <> ALL (conkey)`);
  assert.deepEqual(others.map(({ name }) => name).toSorted(), ['budgets', 'log_leaves', 'operator_actions']);
});

// The compiler holds these: a member that one side lacks makes the other side's list an error.
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;
const CLOSED_LISTS: readonly true[] = [
  true satisfies Same<SegmentOrigin, stored.SegmentOrigin>,
  true satisfies Same<ModelOutputKind, stored.ModelOutputKind>,
  true satisfies Same<EffectOperation, stored.EffectOperation>,
  true satisfies Same<EffectClass, stored.EffectClass>,
  true satisfies Same<ComponentKind, stored.ComponentKind>,
  true satisfies Same<AttemptStatus, stored.AttemptStatus>,
  true satisfies Same<InvocationStatus, stored.SourceInvocationStatus>,
  true satisfies Same<InvocationSummary['invocation_kind'], stored.SourceInvocationKind>,
  true satisfies Same<AuditRecord['audit_kind'], stored.AuditKind>,
];

test('the closed lists of the program are those of the database', () => {
  assert.equal(CLOSED_LISTS.length, 9);
});

import { present } from '../../contract/present.js';
import type { JsonObject } from '../../contract/json.js';
import { canonicalText } from '../../core/content/canonical.js';
import { effectsToStore } from '../../core/world/apply-patch.js';
import type { AppliedEffect } from '../../core/world/world-patch.js';
import type { AttemptLease, CommitTurn, Reserved, Written } from '../../ports/attempts.js';
import type { Claimed } from '../../ports/claim.js';
import { MOVES, HEADS_ARE_AS_BELIEVED, MOVED_HEADS, toMoves } from '../state-heads.js';
import { aftermathOfCommit, type CommitEnd } from '../inbox/aftermath.js';
import { type HotStatement, prepare, type Values, toTimestamp } from '../statement.js';
import { type EndedRow, endedRow, type Ending } from './ending.js';
import { DRAWN_EVENT_ID } from './event-numbers.js';
import { releasingFence } from './fence.js';
import { FINISHED, toFinished } from './finish-call.js';
import { sealRow, toSeal } from './seal.js';
import { atSlot } from './slots.js';

const PATCH_ROWS = `
  patches AS (
    INSERT INTO world_patches (world_slug, turn, patch_seq, attempt_id, source_invocation_id, workflow_node_id,
      workflow_subject_entity_id, touched_entities, narration, effects, origins)
    SELECT world_slug, :turn, patch_seq, :attempt_id::uuid, call_id, node_id, subject_id, touched::entity_id_text[],
      narration, effects, origins
    FROM fence, json_to_recordset(:patches::json) AS row (patch_seq int, call_id uuid, node_id text, subject_id text,
      narration text, touched text[], effects json, origins text[]))`;

const SEAL = sealRow('fence');

/** The effects whose values the turn leaves. */
const STORED_ROWS = `
  stored AS (
    SELECT * FROM json_to_recordset(:stored::json)
      AS row (stored_as text, patch_seq int, effect_index int, entity_id text, environment_label text, state_after text))`;

/** The rows that a turn changes, a table each. */
const VALUE_ROWS = {
  entity_state: `
  states AS (
    INSERT INTO entity_states (world_slug, entity_id, turn, state, patch_seq, effect_index)
    SELECT world_slug, entity_id, :turn, state_after, patch_seq, effect_index
    FROM fence, stored WHERE stored_as = 'entity_state')`,
  environment_content: `
  contents AS (
    INSERT INTO environment_contents (world_slug, environment_label, turn, content, patch_seq, effect_index)
    SELECT world_slug, environment_label, :turn, state_after, patch_seq, effect_index
    FROM fence, stored WHERE stored_as = 'environment_content')`,
  entity_memory: `
  memories AS (
    INSERT INTO entity_memories (world_slug, entity_id, turn, memory_seq, content, origin, patch_seq, effect_index)
    SELECT world_slug, entity_id, :turn,
      row_number() OVER (PARTITION BY entity_id ORDER BY patch_seq, effect_index), state_after, 'patch', patch_seq,
      effect_index
    FROM fence, stored WHERE stored_as = 'entity_memory')`,
} as const;

type StoredValue = keyof typeof VALUE_ROWS;

const STORED_VALUES = Object.keys(VALUE_ROWS) as readonly StoredValue[];

/** The end of the generation that gave the last patch. */
const ANSWER = FINISHED.generation.map((clause) => atSlot(clause, 1));

/** The parts that a commit writes besides its turn and patches, and whether its driver continues. */
interface Shape extends CommitEnd {
  readonly has_answer: boolean;
  readonly values: readonly StoredValue[];
}

/**
 * The statement of a commit. It has the clauses that the commit needs and no others: a server sets up each clause of a
 * statement anew whenever it runs, also where it finds nothing to write.
 */
function prepareCommit({ has_answer, values, ...end }: Shape): HotStatement {
  const answer = has_answer ? ANSWER : [];
  const stored = values.length === 0 ? [] : [STORED_ROWS, ...values.map((value) => VALUE_ROWS[value])];
  const aftermath = aftermathOfCommit(end);
  const where = `AND turn = :turn::bigint - 1 AND ${HEADS_ARE_AS_BELIEVED}`;
  return prepare(
    has_answer ? 'commit_turn_with_answer' : 'commit_turn',
    `WITH ${MOVES}, ${releasingFence({ set: 'turn = :turn,', where, returning: has_answer ? [DRAWN_EVENT_ID] : [] })},
   ${answer.map((clause) => `${clause},`).join('')}
   new_turn AS (
     INSERT INTO turns (world_slug, turn, attempt_id, simulation_time, committed_at)
     SELECT world_slug, :turn, :attempt_id::uuid, :simulation_time::timestamptz, :ended_at::timestamptz FROM fence),
   ended AS (
     UPDATE attempts
     SET status = 'committed', ended_at = :ended_at::timestamptz
     FROM fence
     WHERE attempts.world_slug = fence.world_slug AND attempts.attempt_id = :attempt_id::uuid
     RETURNING attempts.world_slug, attempts.attempt_id, attempts.status),
   ${[PATCH_ROWS, ...stored, SEAL, aftermath.clauses, MOVED_HEADS].join(',')}
   SELECT ${has_answer ? 'EXISTS (SELECT FROM call_1) AS is_whole,' : ''} ${aftermath.columns} FROM fence`,
  );
}

const commits = new Map<string, HotStatement>();

function commitOf(shape: Shape): HotStatement {
  const key = JSON.stringify(shape);
  const statement = commits.get(key) ?? prepareCommit(shape);
  commits.set(key, statement);
  return statement;
}

/**
 * Makes the attempt's patches turn N, at once and whole: one statement, which checks the lease and gives it back. The
 * generation that said the last of them may end with it.
 */
export async function commitTurn(database: Ending, lease: AttemptLease, turn: CommitTurn): Promise<Written | Reserved> {
  const stored = toStored(turn);
  const statement = commitOf({
    has_answer: turn.answer !== undefined,
    ...toEnd(turn),
    values: STORED_VALUES.filter((value) => stored.some(({ stored_as }) => stored_as === value)),
  });
  const slots = turn.answer === undefined ? [] : [toFinished(turn.answer)];
  const row = await endedRow<EndedRow & { readonly next: Claimed | null }>(
    database,
    statement,
    lease,
    toValues(lease, turn, stored),
    slots,
  );
  if (row === undefined) return 'overtaken';
  return row.next === null ? 'written' : { kind: 'reserved', next: row.next };
}

function toEnd({ is_asked_for, goes_on }: CommitTurn): CommitEnd {
  return present({ is_asked_for, goes_on: goes_on && (goes_on.worlds === undefined ? 'anywhere' : 'in_some') });
}

/** An effect whose value the turn leaves, and in which table. */
interface StoredEffect extends AppliedEffect {
  readonly patch_seq: number;
  readonly stored_as: StoredValue;
}

function toStored(turn: CommitTurn): readonly StoredEffect[] {
  const effects = turn.patches.flatMap(({ patch_seq, applied }) =>
    applied.effects.map((effect) => ({ ...effect, patch_seq })),
  );
  const stored = effectsToStore(effects);
  return STORED_VALUES.flatMap((value) => stored(value).map((effect) => ({ ...effect, stored_as: value })));
}

function toValues(lease: AttemptLease, turn: CommitTurn, stored: readonly StoredEffect[]): Values {
  return {
    ...toMoves(lease.attempt_id, turn.agents),
    turn: lease.attempted_turn,
    ...turn.goes_on,
    simulation_time: turn.simulation_time,
    ended_at: toTimestamp(turn.ended_at),
    ...toSeal(turn.seal, lease, turn.ended_at),
    patches: canonicalText(turn.patches.map(toPatchRow)),
    stored: canonicalText(stored.map((effect) => ({ ...effect }))),
  };
}

function toPatchRow(accepted: CommitTurn['patches'][number]): JsonObject {
  const { patch_seq, source_invocation_id, node_id, subject_id, applied, origins } = accepted;
  const { patch, touched_entities } = applied;
  const said_by = { call_id: source_invocation_id, node_id, subject_id };
  const effects = applied.effects.map((effect) => ({ ...effect }));
  return { patch_seq, ...said_by, narration: patch.narration, touched: touched_entities, effects, origins };
}

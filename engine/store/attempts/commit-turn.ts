import { canonicalText } from '../../core/content/canonical.js';
import { effectsToStore } from '../../core/world/apply-patch.js';
import type { AppliedEffect } from '../../core/world/world-patch.js';
import type { AttemptLease, CommitTurn, Written } from '../../ports/attempts.js';
import { BELIEVED_HEADS, HEADS_ARE_AS_BELIEVED, MOVED_HEADS, toMoves } from '../state-heads.js';
import { AFTERMATH } from '../inbox/aftermath.js';
import { type HotStatement, prepare, type Values, toTimestamp } from '../statement.js';
import { type Ending, ENDED_ROW, runEnding } from './ending.js';
import { DRAWN_EVENT_ID } from './event-numbers.js';
import { releasingFence } from './fence.js';
import { FINISHED, toFinished } from './finish-call.js';
import { atSlot } from './slots.js';

// What is known of the generation that said a patch is copied from its call. It is looked up patch by patch, which the
// limit sees to: joined at once, a plan that was made while there were few calls would read all that there are.
const PATCH_ROWS = `
  new_patches AS (
    SELECT patch_seq, said.*, patch, touched
    FROM unnest(:patch_seqs::int[], :patch_calls::uuid[], :patches::text[], :patch_touched::text[])
      AS row (patch_seq, call_id, patch, touched)
      LEFT JOIN LATERAL (
        SELECT source_invocation_id, workflow_node_id AS node_id, workflow_subject_entity_id AS subject_id
        FROM source_invocations AS calls
        WHERE calls.world_slug = :world_slug AND calls.source_invocation_id = call_id
        LIMIT 1) AS said ON true),
  patches AS (
    INSERT INTO world_patches (world_slug, turn, patch_seq, attempt_id, source_invocation_id, workflow_node_id,
      workflow_subject_entity_id, patch, touched_entities)
    SELECT world_slug, :turn, patch_seq, :attempt_id::uuid, source_invocation_id, node_id, subject_id, patch::json,
      ARRAY(SELECT json_array_elements_text(touched::json))::entity_id_text[]
    FROM fence, new_patches),
  effects AS (
    INSERT INTO patch_effects (world_slug, turn, patch_seq, effect_index, op, entity_id, environment_label,
      state_before, state_after)
    SELECT world_slug, :turn, patch_seq, effect_index, op::effect_operation, entity_id, environment_label,
      state_before, state_after
    FROM fence, unnest(:effect_patches::int[], :effect_indexes::int[], :effect_ops::text[], :effect_entities::text[],
      :effect_environments::text[], :effects_before::text[], :effects_after::text[])
      AS row (patch_seq, effect_index, op, entity_id, environment_label, state_before, state_after))`;

const WORLD_ROWS = `
  states AS (
    INSERT INTO entity_states (world_slug, entity_id, turn, state, patch_seq, effect_index)
    SELECT world_slug, entity_id, :turn, state, patch_seq, effect_index
    FROM fence, unnest(:state_entities::text[], :states::text[], :state_patches::int[], :state_effects::int[])
      AS row (entity_id, state, patch_seq, effect_index)),
  contents AS (
    INSERT INTO environment_contents (world_slug, environment_label, turn, content, patch_seq, effect_index)
    SELECT world_slug, environment_label, :turn, content, patch_seq, effect_index
    FROM fence, unnest(:content_environments::text[], :contents::text[], :content_patches::int[],
      :content_effects::int[]) AS row (environment_label, content, patch_seq, effect_index)),
  memories AS (
    INSERT INTO entity_memories (world_slug, entity_id, turn, memory_seq, content, origin, patch_seq, effect_index)
    SELECT world_slug, entity_id, :turn, row_number() OVER (PARTITION BY entity_id ORDER BY place), content, 'patch',
      patch_seq, effect_index
    FROM fence, unnest(:memory_entities::text[], :memories::text[], :memory_patches::int[], :memory_effects::int[])
      WITH ORDINALITY AS row (entity_id, content, patch_seq, effect_index, place))`;

const STORY_ROWS = `
  events AS (
    INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
      workflow_node_id, workflow_subject_entity_id, patch_seq, details)
    SELECT world_slug, :attempt_id::uuid, kind::timeline_event_kind, :ended_at::timestamptz, source_invocation_id,
      node_id, subject_id, patch_seq, details
    FROM ended, (
      SELECT 'patch_applied' AS kind, source_invocation_id, node_id, subject_id, patch_seq,
        json_build_object('touched_entities', touched::json) AS details
      FROM new_patches
      UNION ALL
      SELECT 'turn_committed', NULL, NULL, NULL, NULL,
        json_build_object('turn', :turn::bigint, 'patches', :patch_count::int)) AS story
    ORDER BY patch_seq NULLS LAST)`;

/** The end of the generation that gave the last patch. */
const ANSWER = FINISHED.generation.map((clause) => atSlot(clause, 1));

function prepareCommit(label: string, answer?: readonly string[]): HotStatement {
  const returning = answer === undefined ? [] : [DRAWN_EVENT_ID];
  const where = `AND turn = :turn::bigint - 1 AND ${HEADS_ARE_AS_BELIEVED}`;
  return prepare(
    label,
    `WITH ${BELIEVED_HEADS}, ${releasingFence({ set: 'turn = :turn,', where, returning })},
   ${(answer ?? []).map((clause) => `${clause},`).join('')}
   new_turn AS (
     INSERT INTO turns (world_slug, turn, attempt_id, simulation_time, committed_at)
     SELECT world_slug, :turn, :attempt_id::uuid, :simulation_time::timestamptz, :ended_at::timestamptz FROM fence),
   ended AS (
     UPDATE attempts
     SET status = 'committed', ended_at = :ended_at::timestamptz
     FROM fence
     WHERE attempts.world_slug = fence.world_slug AND attempts.attempt_id = :attempt_id::uuid
     RETURNING attempts.world_slug, attempts.attempt_id, attempts.status),
   ${[PATCH_ROWS, WORLD_ROWS, STORY_ROWS, AFTERMATH, MOVED_HEADS].join(',')}
   ${ENDED_ROW}${answer === undefined ? '' : ', (SELECT count(*) FROM call_1) = 1 AS is_whole'}`,
  );
}

const COMMIT = prepareCommit('commit_turn');

const COMMIT_WITH_ANSWER = prepareCommit('commit_turn_with_answer', ANSWER);

/**
 * Makes the attempt's patches turn N, at once and whole: one statement, which checks the lease and gives it back. The
 * generation that said the last of them may end with it.
 */
export function commitTurn(database: Ending, lease: AttemptLease, turn: CommitTurn): Promise<Written> {
  const statement = turn.answer === undefined ? COMMIT : COMMIT_WITH_ANSWER;
  const slots = turn.answer === undefined ? [] : [toFinished(turn.answer)];
  return runEnding(database, statement, lease, toValues(lease, turn), slots);
}

function toValues(lease: AttemptLease, turn: CommitTurn): Values {
  const effects = turn.patches.flatMap(({ patch_seq, applied }) =>
    applied.effects.map((effect): PlacedEffect => ({ ...effect, patch_seq })),
  );
  const stored = effectsToStore(effects);
  return {
    ...toMoves(turn.agents),
    turn: lease.attempted_turn,
    simulation_time: turn.simulation_time,
    ended_at: toTimestamp(turn.ended_at),
    patch_count: turn.patches.length,
    ...toPatches(turn.patches),
    ...toEffects(effects),
    ...toStates(stored('entity_state')),
    ...toContents(stored('environment_content')),
    ...toMemories(stored('entity_memory')),
  };
}

interface PlacedEffect extends AppliedEffect {
  readonly patch_seq: number;
}

function toPatches(patches: CommitTurn['patches']): Values {
  return {
    patch_seqs: patches.map(({ patch_seq }) => patch_seq),
    patch_calls: patches.map(({ source_invocation_id }) => source_invocation_id),
    patches: patches.map(({ applied }) => canonicalText(toPatchJson(applied.patch))),
    patch_touched: patches.map(({ applied }) => canonicalText(applied.touched_entities)),
  };
}

/** The generated patch type says nothing of being JSON, which every patch was before it was one. */
function toPatchJson(patch: CommitTurn['patches'][number]['applied']['patch']) {
  return { narration: patch.narration, effects: patch.effects.map((effect) => ({ ...effect })) };
}

function toEffects(effects: readonly PlacedEffect[]): Values {
  return {
    effect_patches: effects.map(({ patch_seq }) => patch_seq),
    effect_indexes: effects.map(({ effect_index }) => effect_index),
    effect_ops: effects.map(({ op }) => op),
    effect_entities: effects.map(({ entity_id }) => entity_id ?? null),
    effect_environments: effects.map(({ environment_label }) => environment_label ?? null),
    effects_before: effects.map(({ state_before }) => state_before ?? null),
    effects_after: effects.map(({ state_after }) => state_after),
  };
}

function toStates(effects: readonly PlacedEffect[]): Values {
  return {
    state_entities: effects.map(({ entity_id }) => entity_id ?? null),
    states: effects.map(({ state_after }) => state_after),
    state_patches: effects.map(({ patch_seq }) => patch_seq),
    state_effects: effects.map(({ effect_index }) => effect_index),
  };
}

function toContents(effects: readonly PlacedEffect[]): Values {
  return {
    content_environments: effects.map(({ environment_label }) => environment_label ?? null),
    contents: effects.map(({ state_after }) => state_after),
    content_patches: effects.map(({ patch_seq }) => patch_seq),
    content_effects: effects.map(({ effect_index }) => effect_index),
  };
}

function toMemories(effects: readonly PlacedEffect[]): Values {
  return {
    memory_entities: effects.map(({ entity_id }) => entity_id ?? null),
    memories: effects.map(({ state_after }) => state_after),
    memory_patches: effects.map(({ patch_seq }) => patch_seq),
    memory_effects: effects.map(({ effect_index }) => effect_index),
  };
}

import { toCountColumns } from '../core/protocol/token-counts.js';
import { canonicalText, contentHash } from '../core/content/canonical.js';
import { sha256 } from '../core/content/sha256.js';
import { toStoredText } from '../core/content/stored-text.js';
import {
  type AttemptBegan,
  type CallEnded,
  type CallStarted,
  type CallSuperseded,
  type Fact,
  type PatchFact,
  rulingOf,
} from '../core/facts/fact.js';
import { patchHash } from '../core/facts/patch-hash.js';
import { originsText } from '../core/policy/provenance.js';
import { deliveredSchema } from '../core/protocol/command.js';
import type {
  AttemptLease,
  BeginAttempt,
  CallFinish,
  CallStart,
  CallsWrite,
  CommitTurn,
  FailAttempt,
  SupersedeCalls,
} from '../ports/attempts.js';

// A driver emits the facts of what it has written, statement by statement, as the record will tell them.

/** The fact of a new attempt. */
export function factOfBeginning(
  { attempt_id, world_slug, attempted_turn }: AttemptLease,
  { scenario_hash, renderer_version, plugin_versions, started_at }: BeginAttempt,
): AttemptBegan {
  const at = toMoment(started_at);
  const place = { world_slug, attempt_id, attempted_turn };
  return { kind: 'attempt_began', at, ...place, scenario_hash, renderer_version, plugin_versions };
}

/** The facts of superseded calls: each is noted once. @param before the facts until then */
export function factsOfSuperseding(
  before: readonly Fact[],
  { source_invocation_ids, ...superseded }: SupersedeCalls,
): readonly CallSuperseded[] {
  const at = toMoment(superseded.at);
  const noted = new Set(before.flatMap((it) => (it.kind === 'call_superseded' ? [it.source_invocation_id] : [])));
  const others = source_invocation_ids.filter((id) => !noted.has(id));
  return others.map((source_invocation_id) => ({ kind: 'call_superseded', at, source_invocation_id }));
}

/** The facts of a statement that writes calls. */
export function factsOfCalls({ finished, started }: CallsWrite): readonly Fact[] {
  return [...finished.map(toEnded), ...started.flatMap(toStarts)];
}

/** The facts of a commit. */
export function factsOfCommit(turn: Omit<CommitTurn, 'seal'>): readonly Fact[] {
  const { simulation_time, answer } = turn;
  const at = toMoment(turn.ended_at);
  const patches = turn.patches.map(toPatchFact);
  const ended = answer === undefined ? [] : [toEnded(answer)];
  return [...ended, { kind: 'turn_committed', at, simulation_time: toMoment(simulation_time), patches }];
}

/** The facts of a failure: calls that are still under way get no end of their own. @param before the facts until then */
export function factsOfFailure(
  before: readonly Fact[],
  { failure, ...end }: Omit<FailAttempt, 'seal'>,
): readonly Fact[] {
  const at = toMoment(end.ended_at);
  const ended = new Set(before.flatMap((fact) => (fact.kind === 'call_ended' ? [fact.source_invocation_id] : [])));
  const open = before.filter((fact) => fact.kind === 'call_started' && !ended.has(fact.source_invocation_id));
  return [
    ...open.flatMap((fact) => (fact.kind === 'call_started' ? [toInterrupted(fact, at)] : [])),
    {
      kind: 'attempt_failed',
      at,
      failure_class: failure.failure_class,
      failure_message: toStoredText(failure.message),
      subject_id: failure.subject_id ?? null,
      node_id: failure.node_id ?? null,
      source_invocation_id: end.source_invocation_id ?? null,
    },
  ];
}

function toStarts(start: CallStart): readonly Fact[] {
  const { command, refused, resolved, llm_call_id } = start;
  const { generation } = command;
  const origins = originsText(command);
  const started: CallStarted = {
    kind: 'call_started',
    at: toMoment(start.started_at),
    source_invocation_id: start.source_invocation_id,
    invocation_seq: start.invocation_seq,
    command_key: command.key,
    performance: start.performance,
    invocation_kind: command.invocation_kind,
    effect_class: command.call.effect,
    request_hash: command.request_hash,
    origins_hash: origins === undefined ? null : sha256(origins),
    llm_call_id: llm_call_id ?? null,
    source_hash: command.call.source.hash,
    workflow_hash: command.workflow_hash,
    subject_id: command.subject_id ?? null,
    node_id: command.node_id ?? null,
    ambient_id: command.ambient_id ?? null,
    tool_name: command.tool_name ?? null,
    parent_source_invocation_id: start.parent_source_invocation_id ?? null,
    generation_try: command.generation_try ?? null,
    model: llm_call_id === undefined ? null : (resolved?.model ?? command.call.source.model ?? null),
    context_hash: generation?.prefix_hash ?? null,
    offered_schema_hash: generation?.offered.hash ?? null,
    delivered_schema_hash: generation === undefined ? null : deliveredSchema(generation).hash,
    schema_delivery: generation?.schema_delivery ?? null,
    endpoint_origin: llm_call_id === undefined ? null : (resolved?.origin ?? null),
    adopted_from: null,
    policy_ruling: rulingOf(start),
  };
  return refused === undefined ? [started] : [started, toEnded(refused)];
}

function toEnded({ source_invocation_id, llm_call_id, outcome, verdict }: CallFinish): CallEnded {
  const broke = outcome.status === 'failed' ? outcome : undefined;
  const message = broke?.failure_message ?? verdict?.failure?.message;
  const failure_class = broke?.failure_class ?? verdict?.failure?.failure_class ?? null;
  return {
    kind: 'call_ended',
    at: toMoment(outcome.ended_at),
    source_invocation_id,
    status: failure_class === null ? 'succeeded' : 'failed',
    refused: broke?.refused ?? false,
    failure_class,
    failure_detail: verdict?.failure?.detail ?? verdict?.passed_on ?? null,
    failure_message: message === undefined ? null : toStoredText(message),
    model_output_kind: verdict?.model_output_kind ?? null,
    answer_hash: llm_call_id === undefined ? hashOfJson(outcome) : hashOfText(outcome),
    duration_ms: Math.max(0, Math.round(outcome.duration_ms)),
    ...toCountColumns(outcome.usage),
  };
}

function hashOfJson({ answer }: CallFinish['outcome']): string | null {
  return answer === undefined ? null : contentHash(answer);
}

/** The text of a generation that broke off is not an answer. */
function hashOfText({ status, answer }: CallFinish['outcome']): string | null {
  const isText = status === 'succeeded' && typeof answer === 'object' && answer !== null && 'text' in answer;
  if (!isText || typeof answer.text !== 'string') return null;
  return sha256(answer.text + (answer.items === undefined ? '' : canonicalText(answer.items)));
}

function toInterrupted({ source_invocation_id }: CallStarted, at: string): CallEnded {
  return {
    kind: 'call_ended',
    at,
    source_invocation_id,
    status: 'interrupted',
    refused: false,
    failure_class: 'interrupted',
    failure_detail: null,
    failure_message: null,
    model_output_kind: null,
    answer_hash: null,
    duration_ms: null,
    ...toCountColumns(undefined),
  };
}

function toPatchFact(accepted: CommitTurn['patches'][number]): PatchFact {
  const { patch_seq, subject_id, node_id, source_invocation_id, applied, origins } = accepted;
  const { patch, effects, touched_entities } = applied;
  const patch_hash = patchHash({ narration: patch.narration, touched_entities, effects, origins });
  return { patch_seq, subject_id, node_id, source_invocation_id, patch_hash };
}

/** A time of facts. What somebody has altered to no moment, such as `infinity`, stays as it is. */
export function toMoment(at: number | string): string {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? String(at) : moment.toISOString();
}

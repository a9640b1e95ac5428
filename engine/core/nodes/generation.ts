import type { Json } from '../../contract/json.js';
import { type Answered, originsWithin } from '../policy/answer-origins.js';
import { present } from '../../contract/present.js';
import { limitOutput } from '../budget/limit-output.js';
import { contentHash } from '../content/canonical.js';
import { listCalls, type Said, toReplies, toSaidMessage } from '../prompt/items.js';
import { EMPTY_PREFIX, type Message, type Segment, extendPrefix, toMessage } from '../prompt/message.js';
import { escapeUnseen, fenceJson } from '../prompt/quote.js';
import { type PromptScope, renderPrompt } from '../prompt/render.js';
import type { PromptTemplate } from '../prompt/template.js';
import type { Invoke } from '../protocol/command.js';
import type { CallFailed, CallRefused } from '../protocol/event.js';
import { retryClassOf } from '../protocol/failure.js';
import type {
  CallProgram,
  NodeConstraints,
  NodeProgram,
  OfferedSchema,
  SchemaDelivery,
  SchemaProgram,
  ToolCalling,
} from '../protocol/program.js';
import { textSchema } from '../protocol/program.js';
import { traceScope } from '../protocol/scope.js';
import { renderEvents, renderOwnTurns } from '../world/recent-events.js';
import {
  pinnedMemories,
  type Projection,
  project,
  renderMemories,
  renderProjection,
  renderSubject,
} from '../world/projection.js';
import type { Entity } from '../world/world.js';
import type { Complaint } from './complaint.js';
import { fallbackKey, gateConversation, generationSuffix, verdictSuffix } from './call-key.js';
import { writeRejection } from './native-calls.js';
import { callFailed, placeholderUnresolved } from './node-failure.js';
import type { NodeFailure, NodeScope, NodeStep } from './node-type.js';

/** The one retry lane: an append-only conversation, and how far the node has come in it. */
export interface Lane {
  readonly messages: readonly Message[];
  readonly prefix_hash: string;
  /** 1-based; one more after each tool result. */
  readonly round: number;
  /** 1-based; the try at this round's answer. */
  readonly generation_try: number;
  /** The use of the node's generations so far. */
  readonly generations: number;
  readonly tokens: number;
  readonly duration_ms: number;
  /** Set while its last request offers tools natively. */
  readonly is_native?: true;
  /** Set while the fallback is asked: why the first source gave no answer. */
  readonly first_failure?: string;
  /** Set in the lane of a gate: the key of the generation that it judges. */
  readonly judges?: string;
}

/** A lane with a call, or the reason why it may make no further one. */
export type Asked =
  | { readonly ok: true; readonly lane: Lane; readonly command: Invoke }
  | { readonly ok: false; readonly failure: NodeFailure };

/** The common part of the nodes that ask a model: one lane of generations. */
export interface GenerationProgram extends NodeProgram {
  readonly call: CallProgram;
  readonly prompt: PromptTemplate;
  readonly projection: Projection;
  readonly max_generation_attempts: number;
  readonly constraints: NodeConstraints;
  readonly schema_delivery: SchemaDelivery;
  readonly tool_calling: ToolCalling;
  readonly gate?: GateProgram;
}

/** The model that judges a node's answers. */
export interface GateProgram extends Pick<GenerationProgram, 'call' | 'prompt' | 'schema_delivery' | 'tool_calling'> {
  readonly verdict: SchemaProgram;
  readonly offered: OfferedSchema;
}

/** What a gate judges, and the lane in which that was answered: the gate uses what is left to the node. */
export interface Judged {
  readonly answer: Answered;
  readonly key: string;
  readonly lane: Lane;
}

/** Renders the authored prompt and makes the first request. @param judged where the prompt is that of a gate */
export function openLane(
  node: GenerationProgram,
  scope: NodeScope,
  offered: OfferedSchema,
  { tools = () => [], judged }: { readonly tools?: () => Json; readonly judged?: Judged } = {},
): Asked {
  const { frozen } = scope;
  const subject = frozen.subject;
  if (subject === undefined) throw new Error('a generation needs a subject');
  const rendered = renderPrompt(node.prompt, {
    ...toPromptScope(node.projection, scope, subject),
    tools,
    ...present({ answer: judged && { value: judged.answer.value, origins: originsWithin(judged.answer) } }),
  });
  if (!rendered.ok)
    return {
      ok: false,
      failure: placeholderUnresolved(`the prompt of node ${node.id}`, rendered.placeholder, {
        ambient: frozen.ambient,
        nodes: scope.nodes,
      }),
    };
  const first = rendered.messages.at(-1);
  const messages =
    isInPrompt(node) && first !== undefined
      ? [...rendered.messages.slice(0, -1), toMessage(first.role, [...first.segments, schemaSegment(offered)])]
      : rendered.messages;
  const { round = 1, generations = 0, tokens = 0, duration_ms = 0 } = judged?.lane ?? {};
  const lane: Lane = {
    messages: [],
    prefix_hash: EMPTY_PREFIX,
    round,
    generation_try: 1,
    generations,
    tokens,
    duration_ms,
    ...present({ judges: judged?.key }),
  };
  return ask(node, scope, append(lane, messages), offered);
}

/** What prompts of a node read, and the query of its projection. */
export function toPromptScope(projection: Projection, scope: NodeScope, subject: Entity): PromptScope {
  const { world, simulation_time, ambient } = scope.frozen;
  return {
    world: { slug: world.slug, attempted_turn: world.turn + 1, simulation_time },
    subject: { id: subject.id, name: subject.name },
    projection: () => renderProjection(project(world, subject, projection)),
    rendered_subject: () => renderSubject(subject, projection),
    recent_events: () => renderEvents(world, subject, projection),
    own_turns: () => renderOwnTurns(world, subject, projection),
    pinned_memories: () => renderMemories(pinnedMemories(subject)),
    retrieved_memories: () => renderMemories(scope.retrieved?.found ?? []),
    ambient,
    absent: scope.absent,
    tools: () => [],
    nodes: scope.nodes,
    originsAt: traceScope(scope.frozen, scope.outputs),
  };
}

export function ask(node: GenerationProgram, scope: NodeScope, lane: Lane, offered: OfferedSchema): Asked {
  const remaining_ms = timeLeft(node, lane.duration_ms);
  const { turn_limit } = node.constraints;
  if (turn_limit !== undefined && lane.generations >= turn_limit)
    return exhausted(node, `its turn limit of ${turn_limit} generations`);
  if (remaining_ms <= 0) return exhausted(node, `its ${node.constraints.timeout_seconds} seconds`);
  const { first_failure: _answered, is_native: _before, ...open } = lane;
  const command = toCommand(node, scope, { lane, offered, source: node, remaining_ms });
  const is_native = offered.native === undefined ? undefined : true;
  return { ok: true, lane: { ...open, generations: lane.generations + 1, ...present({ is_native }) }, command };
}

interface Asking {
  readonly lane: Lane;
  readonly offered: OfferedSchema;
  readonly source: Pick<GenerationProgram, 'call' | 'schema_delivery'>;
  readonly remaining_ms: number;
}

function toCommand(node: GenerationProgram, scope: NodeScope, { lane, offered, source, remaining_ms }: Asking): Invoke {
  const { call, schema_delivery } = source;
  const { judges } = lane;
  const conversation = judges === undefined ? `${scope.subject_id}/${node.id}` : gateConversation(judges);
  const request = {
    conversation,
    message_count: lane.messages.length,
    prefix_hash: lane.prefix_hash,
    output_schema_hash: offered.hash,
    schema_delivery,
  };
  const command: Invoke = {
    kind: 'invoke',
    key: `${conversation}/${judges === undefined ? generationSuffix(lane.round, lane.generation_try) : verdictSuffix(lane.generation_try)}`,
    invocation_kind: judges === undefined ? 'llm_generation' : 'quality_gate',
    ...present({ parent_key: judges }),
    call,
    request,
    request_hash: contentHash({ source: call.source.hash, request }),
    workflow_hash: scope.workflow_hash,
    subject_id: scope.subject_id,
    node_id: node.id,
    generation_try: lane.generation_try,
    round: lane.round,
    generation: {
      conversation,
      messages: lane.messages,
      prefix_hash: lane.prefix_hash,
      offered,
      schema_delivery,
    },
    deadline_ms: Math.min(call.limits.max_runtime_ms, remaining_ms),
    node_time_left_ms: remaining_ms,
    node_tokens_left: node.constraints.token_budget - lane.tokens,
  };
  const retrieved = lane.generations === 0 ? scope.retrieved : undefined;
  return present({ ...command, max_output_tokens: limitOutput(command), retrieved });
}

/**
 * Asks the fallback of a node for the answer that its first source did not give, where the author lists the failure;
 * else the node fails with its call. The two are one generation of the node. No other fallback follows.
 * @param event the end of the call for which the lane waits; no retry follows
 */
export function fallBack<State extends object>(
  node: GenerationProgram,
  scope: NodeScope,
  {
    lane,
    event,
    offered,
  }: { readonly lane: Lane; readonly event: CallFailed | CallRefused; readonly offered: OfferedSchema },
  toState: (lane: Lane) => State,
): NodeStep<State> {
  const { fallback, call } = node;
  const failure = callFailed(event);
  const failWith = (message: string): NodeStep<State> => ({ kind: 'failed', failure: { ...failure, message } });
  if (lane.first_failure !== undefined) {
    const first = `${call.source.label} had failed before: ${lane.first_failure}`;
    return failWith(`the fallback ${fallback?.call.source.label ?? ''}: ${event.message} (${first})`);
  }
  // One that was refused before it was made waits for its operator, and no other source takes its place.
  const failed_as = event.kind === 'call_failed' ? retryClassOf(event) : undefined;
  if (fallback === undefined || failed_as === undefined || !fallback.on.has(failed_as)) return failWith(event.message);
  const spent_ms = event.kind === 'call_failed' ? (event.duration_ms ?? 0) : 0;
  const duration_ms = lane.duration_ms + spent_ms;
  const remaining_ms = timeLeft(node, duration_ms);
  if (remaining_ms <= 0)
    return failWith(
      `${event.message} (the time of node ${node.id} was over before the fallback ${fallback.call.source.label} could be asked)`,
    );
  const next: Lane = { ...lane, duration_ms, first_failure: `${failure.failure_class}: ${event.message}` };
  const command = toCommand(node, scope, { lane: next, offered, source: fallback, remaining_ms });
  return {
    kind: 'waits',
    state: toState(next),
    commands: [{ ...command, key: fallbackKey(command.key), is_fallback: true }],
    verdict: { key: event.key, passed_on: 'asked_fallback', artifacts: [] },
  };
}

function timeLeft({ constraints }: GenerationProgram, spent_ms: number): number {
  return Math.floor(constraints.timeout_seconds * 1000 - spent_ms);
}

/** Writes to the model what was wrong and lets it try again, or ends with `generation_attempts_exhausted`. */
export function correct(
  node: GenerationProgram,
  scope: NodeScope,
  lane: Lane,
  given: {
    readonly said: Said;
    readonly complaint: Complaint;
    readonly offered: OfferedSchema;
    readonly call_key: string;
  },
): Asked {
  const { said, complaint } = given;
  if (lane.generation_try >= node.max_generation_attempts) {
    return {
      ok: false,
      failure: {
        failure_class: 'generation_attempts_exhausted',
        message: `node ${node.id} rejected ${lane.generation_try} of ${node.max_generation_attempts} tries at ${lane.judges === undefined ? 'one answer' : 'a verdict of its gate'}; the last: ${complaint.message}${quoteBroken(said.text, complaint)}`,
        call_key: given.call_key,
      },
    };
  }
  const isCall = listCalls(said).length > 0;
  const text = isCall ? writeRejection(complaint, rejectionText(complaint)) : correctionText(complaint);
  const corrected = append(lane, [
    toSaidMessage(said),
    ...toReplies(said, [{ origin: 'correction', text, ...present({ origins: complaint.origins }) }]),
  ]);
  return ask(node, scope, { ...corrected, generation_try: lane.generation_try + 1 }, given.offered);
}

/** How much of an answer a failure quotes, in characters. */
const QUOTED_MAX = 60;

/** The beginning of an answer that begins as JSON and then breaks it; the complaint quotes any other. */
function quoteBroken(text: string, complaint: Complaint): string {
  if (complaint.detail !== 'non_json' || complaint.from_scratch === true) return '';
  return ` It began: ${JSON.stringify(Array.from(text.trim()).slice(0, QUOTED_MAX).join(''))}`;
}

/** The corrective message, as the next request carries it. */
function correctionText(complaint: Complaint): string {
  const how = complaint.from_scratch
    ? 'Answer anew with one JSON object: begin with { and end with }, with nothing before, after or around it.'
    : 'Return one corrected JSON object. Keep everything else; only fix what was wrong.';
  return `${rejectionText(complaint)}\n\n${how}`;
}

function rejectionText({ detail, message }: Complaint): string {
  return `Your previous response was rejected (${detail}). ${escapeUnseen(message)}`;
}

export function append(lane: Lane, messages: readonly Message[]): Lane {
  return {
    ...lane,
    messages: [...lane.messages, ...messages],
    prefix_hash: messages.reduce(extendPrefix, lane.prefix_hash),
  };
}

/** Whether the schema is written into the conversation. */
export function isInPrompt({ schema_delivery }: Pick<GenerationProgram, 'schema_delivery'>): boolean {
  return schema_delivery !== 'response_format';
}

/** The schema written out, where the author chose to deliver it in the prompt. */
export function schemaSegment(offered: OfferedSchema): Segment {
  const { name, schema } = textSchema(offered);
  const how = offered.native === undefined ? 'Answer' : 'Call one tool, or answer';
  return {
    origin: 'schema',
    text: `\n\n${how} with one JSON object that satisfies this JSON Schema, and with nothing else:\n${fenceJson(name, schema)}`,
  };
}

function exhausted(node: GenerationProgram, what: string): Asked {
  return { ok: false, failure: { failure_class: 'budget_exhausted', message: `node ${node.id} has used up ${what}` } };
}

/** Waits for a lane's call, or fails where the lane may make no further one. */
export function waitFor<State extends object>(asked: Asked, toState: (lane: Lane) => State): NodeStep<State> {
  if (!asked.ok) return { kind: 'failed', failure: asked.failure };
  return { kind: 'waits', state: toState(asked.lane), commands: [asked.command] };
}

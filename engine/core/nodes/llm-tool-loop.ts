import { present } from '../../contract/present.js';
import { problem } from '../../contract/problem.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { LlmToolLoopNode } from '../../generated/workflow.js';
import { compileReference } from '../binding/compile-call.js';
import { promptsOf } from '../binding/prompt-messages.js';
import { originsWithin, traceAnswer } from '../policy/answer-origins.js';
import { originsSeen } from '../policy/provenance.js';
import { OF_MODEL, type Origins, ofSource } from '../prompt/origins.js';
import { listCalls, type Said, toReplies, toSaidMessage } from '../prompt/items.js';
import type { Segment } from '../prompt/message.js';
import { fenceJson, quoteText } from '../prompt/quote.js';
import { type Invoke, toInvoke } from '../protocol/command.js';
import { inDocument } from '../protocol/document-problem.js';
import type { CallEvent, CallFailed, CallRefused } from '../protocol/event.js';
import { isPassedOn, toFailureForModel } from '../protocol/on-failure.js';
import type { OfferedSchema, PermittedTool, SchemaProgram, ToolProgram } from '../protocol/program.js';
import type { Verdict } from '../protocol/verdict.js';
import { schemaShape } from '../typing/shape.js';
import { smallestAnswer } from '../typing/smallest-value.js';
import type { PatchReach } from '../world/patch-operations.js';
import { type Answer, acceptAnswer, readAnswer, rejectAnswer } from './answer.js';
import { describeGeneration, findUnaskedGeneration, parseGenerationSuffix, TOOL_SUFFIX } from './call-key.js';
import { checkTools } from './check-tools.js';
import { compileContract, compileGeneration } from './compile-generation.js';
import { compileTool } from './compile-tool.js';
import { composeToolLoopSchema, withReach } from './compose-schema.js';
import { isEquivalentSchema } from './equivalent-schema.js';
import type { Complaint } from './complaint.js';
import {
  type Asked,
  append,
  ask,
  correct,
  fallBack,
  type GenerationProgram,
  isInPrompt,
  type Lane,
  openLane,
  schemaSegment,
  waitFor,
} from './generation.js';
import { askGate, handleVerdict, type Judging, PASSES } from './gate.js';
import { findMisfits, type JudgedOutput, judgeOutput } from './judge-output.js';
import { offerTools, writeFailure, writeResult } from './native-calls.js';
import { callFailed } from './node-failure.js';
import type { NodeScope, NodeStep, NodeType } from './node-type.js';

export interface LlmToolLoopProgram extends GenerationProgram {
  readonly tools: readonly ToolProgram[];
  readonly max_tool_calls: number;
  readonly may: PatchReach;
  readonly envelope: SchemaProgram;
  readonly patch: SchemaProgram;
  /** The model's schemas while tools remain, and when only the final answer does. */
  readonly offered: OfferedSchema;
  readonly offered_last: OfferedSchema;
}

/** It waits for a generation, for the tool that the last one elected, or for the gate that judges its patch. */
export interface LlmToolLoopState {
  readonly lane: Lane;
  readonly tool_calls: number;
  /** Set while the call under way is a tool's. */
  readonly electing?: Election;
  /** Set while the final patch is judged by the gate. */
  readonly judging?: Judging;
}

/** The tool that a model elected, and what it said to do so. */
interface Election {
  readonly said: Said;
  readonly tool: PermittedTool;
}

type Step = NodeStep<LlmToolLoopState>;

/** Generations and elected tools until a patch that the live world accepts. */
export const llmToolLoop: NodeType<LlmToolLoopNode, LlmToolLoopProgram, LlmToolLoopState> = {
  type: 'llm_tool_loop',
  ends_in_patch: true,

  prompts: promptsOf,
  requestTemplate: () => undefined,
  toolsOffered: (node) => node.available_tools,
  outputShape: ({ contracts }) => schemaShape(contracts.world_patch),
  check: (parts, node, pointer) => checkTools(parts, node, pointer),

  compile(parts, setting, node, pointer) {
    const { document } = setting;
    const generation = compileGeneration(parts, setting, node, pointer);
    const compiled = node.available_tools.map((tool, index) =>
      compileTool(parts, setting, tool, `${pointer}/available_tools/${index}`),
    );
    const final = compileReference(parts, document, node.final_schema_ref, `${pointer}/final_schema_ref`);
    const isForeign =
      final.problems.length === 0 && !isEquivalentSchema(final.value?.schema ?? {}, parts.contracts.world_patch);
    const problems = [
      ...generation.problems,
      ...compiled.flatMap((tool) => tool.problems),
      ...final.problems,
      ...inDocument(
        document,
        isForeign
          ? [problem('FINAL_SCHEMA_NOT_WORLD_PATCH', undefined, { pointer: `${pointer}/final_schema_ref` })]
          : [],
      ),
    ];
    if (generation.value === undefined) return { problems };
    const tools = compiled.flatMap(({ value }) => value ?? []);
    const { max_tool_calls, may = {} } = node;
    const patch = withReach(parts.contracts.world_patch, may);
    const { tool_calling } = generation.value;
    const value = {
      ...generation.value,
      tools,
      max_tool_calls,
      may,
      envelope: compileContract(parts, 'tool_loop_output'),
      patch: compileContract(parts, 'world_patch'),
      ...offer(tools, { max_tool_calls, patch, tool_calling }),
    };
    return { value, problems };
  },

  narrow(node, names) {
    const tools = node.tools.map(
      (tool): ToolProgram => (names.has(tool.name) ? tool : { name: tool.name, permitted: false }),
    );
    const patch = withReach(node.patch.schema, node.may);
    return { ...node, tools, ...offer(tools, { ...node, patch }) };
  },

  start(node, scope) {
    return waitInLane(openLane(node, scope, offeredAfter(node, 0), { tools: () => describeTools(node) }), 0);
  },

  handle(node, state, event, scope) {
    const { electing, judging, lane, tool_calls } = state;
    if (electing !== undefined) return handleTool(node, { ...state, electing }, event, scope);
    if (judging !== undefined)
      return handleVerdict(node, scope, { lane, judging, event, offered: offeredAfter(node, tool_calls) }, (waits) => ({
        ...waits,
        tool_calls,
      }));
    if (event.kind !== 'call_answered') {
      const offered = offeredAfter(node, tool_calls);
      return fallBack(node, scope, { lane, event, offered }, (next) => ({ lane: next, tool_calls }));
    }
    const answer = readAnswer(node, scope, lane, event);
    return 'kind' in answer ? answer : handleAnswer(answer, tool_calls);
  },

  describeCall(place, rest) {
    const read = parseGenerationSuffix(rest);
    if (read?.is_tool !== true) return describeGeneration(place, rest);
    return `the tool that the model of ${place.subject} called in round ${read.round} of node ${place.node}`;
  },

  findUnasked(node, place, rest) {
    const permitted = node.tools.some((tool) => tool.permitted);
    return findUnaskedGeneration(node, place, rest, { calls: node.max_tool_calls, permitted });
  },

  skeletonOf({ tools }, { rest, source_label }) {
    const read = parseGenerationSuffix(rest);
    if (read?.verdict_try !== undefined) return PASSES;
    if (read?.is_tool !== true) return { kind: 'final_patch', patch: { narration: '...', effects: [] } };
    const tool = permittedOf(tools).find(({ call }) => call.source.label === source_label);
    return smallestAnswer(tool?.call ?? {});
  },

  findMisfits(node, rest, answer) {
    const read = parseGenerationSuffix(rest);
    if (read?.verdict_try !== undefined) return node.gate?.verdict.validate(answer) ?? [];
    if (read?.is_tool !== true) return findMisfits(node, answer);
    const [tool, ...others] = permittedOf(node.tools);
    return others.length === 0 ? (tool?.call.output?.validate(answer) ?? []) : [];
  },
};

function permittedOf(tools: readonly ToolProgram[]): readonly PermittedTool[] {
  return tools.filter((tool) => tool.permitted);
}

/** What the model is offered: an election of one of the tools, where any may be called, or the final patch. */
function offer(
  tools: readonly ToolProgram[],
  {
    max_tool_calls,
    patch,
    tool_calling,
  }: Pick<LlmToolLoopProgram, 'max_tool_calls' | 'tool_calling'> & { readonly patch: JsonObject },
): Pick<LlmToolLoopProgram, 'offered' | 'offered_last'> {
  const electable = max_tool_calls === 0 ? [] : permittedOf(tools);
  const isNative = tool_calling === 'native' && electable.length > 0;
  const named = electable.map(({ name, arguments: { schema }, ...tool }) => ({
    name,
    arguments: schema,
    ...(isNative ? { description: tool.description } : {}),
  }));
  const offered = composeToolLoopSchema(named, patch);
  const last = composeToolLoopSchema([], patch);
  if (!isNative) return { offered, offered_last: last };
  return {
    offered: { ...offered, native: offerTools(electable, last, true) },
    offered_last: { ...last, native: offerTools(electable, last, false) },
  };
}

function handleAnswer(answer: Answer<LlmToolLoopProgram>, toolCalls: number): Step {
  const { node, scope, read, key } = answer;
  const judged: JudgedOutput = read.ok
    ? judgeOutput(node, scope, answer.lane.messages, read.value)
    : { kind: 'unusable', complaint: read.complaint };
  if (judged.kind === 'unusable') {
    const { asked, verdict } = rejectAnswer(answer, judged.complaint, offeredAfter(node, toolCalls));
    return { ...waitInLane(asked, toolCalls), verdict };
  }
  const parsed = { kind: 'parsed_output', value: read.ok ? read.value : null };
  if (judged.kind === 'tool_call')
    return electTool(answer, toolCalls, judged, acceptAnswer(answer, 'tool_call', [parsed]));
  const patch = judged.patch as unknown as Json;
  const verdict = acceptAnswer(answer, 'final_patch', [parsed, { kind: 'accepted_patch', value: patch }]);
  const origins = originsSeen(answer.lane.messages);
  const output = { value: patch, origins };
  const done = { kind: 'done', output, patch: { patch: judged.patch, call_key: key, origins }, verdict } as const;
  return askGate(answer, done, (waits) => ({ ...waits, tool_calls: toolCalls }));
}

function electTool(
  { node, scope, lane, key, said }: Answer<LlmToolLoopProgram>,
  toolCalls: number,
  elected: Extract<JudgedOutput, { kind: 'tool_call' }>,
  verdict: Verdict,
): Step {
  const { tool, arguments: request, provenance } = elected;
  if (toolCalls >= node.max_tool_calls) {
    const message = `node ${node.id} may call ${node.max_tool_calls} tools and the model asked for ${tool.name} after the last of them`;
    return {
      kind: 'failed',
      failure: { failure_class: 'max_tool_calls_exhausted', message, call_key: key },
      verdict,
    };
  }
  const command: Invoke = {
    ...toInvoke(tool.call, request),
    key: `${key}/${TOOL_SUFFIX}`,
    invocation_kind: 'model_elected_tool',
    workflow_hash: scope.workflow_hash,
    subject_id: scope.subject_id,
    node_id: node.id,
    tool_name: tool.name,
    parent_key: key,
    generation_try: lane.generation_try,
    round: lane.round,
    provenance,
    ...present({ tool_call_id: listCalls(said)[0]?.call_id }),
  };
  const state = { lane, tool_calls: toolCalls + 1, electing: { said, tool } };
  return { kind: 'waits', state, commands: [command], verdict };
}

function handleTool(
  node: LlmToolLoopProgram,
  { lane, tool_calls, electing: { said, tool } }: LlmToolLoopState & { readonly electing: Election },
  event: CallEvent,
  scope: NodeScope,
): Step {
  const offered = offeredAfter(node, tool_calls);
  const isShownToModel = isPassedOn(tool.call, event);
  if (event.kind !== 'call_answered' && !isShownToModel) {
    const complaint = complaintOfRefusal(event);
    if (complaint === undefined) return { kind: 'failed', failure: callFailed(event) };
    return waitInLane(correct(node, scope, lane, { said, complaint, call_key: event.key, offered }), tool_calls);
  }
  const output = isShownToModel ? toFailureForModel(event) : event.value;
  const longer = append(lane, [
    toSaidMessage(said),
    ...toReplies(said, [
      {
        origin: 'tool_result',
        text: writeOutput(tool, said, output, isShownToModel),
        origins: originsOfResult(tool, output),
      },
      ...lastLap(node, tool_calls, offered),
    ]),
  ]);
  const asked = ask(node, scope, { ...longer, round: lane.round + 1, generation_try: 1 }, offered);
  const step = waitInLane(asked, tool_calls);
  return isShownToModel ? { ...step, verdict: { key: event.key, passed_on: 'told_to_model', artifacts: [] } } : step;
}

/** The model that called the tool may have chosen what the source said, within the author's limits too. */
function originsOfResult({ call }: PermittedTool, output: Json): Origins {
  const dropped = ofSource(call.source.label);
  return originsWithin(traceAnswer(output, call.output?.schema, { others: OF_MODEL, dropped }));
}

function writeOutput({ name }: PermittedTool, said: Said, output: Json, hasFailed: boolean): string {
  if (listCalls(said).length > 0) return hasFailed ? writeFailure(output) : writeResult(output);
  const title = hasFailed ? `The call of ${name} failed; it has no result` : `Result of ${name}`;
  return `${title}:\n${fenceJson(name, output)}`;
}

/** The part of a refusal that the model can correct; none where its surroundings are at fault. */
function complaintOfRefusal(event: CallFailed | CallRefused): Complaint | undefined {
  if (event.kind === 'call_failed') return undefined;
  switch (event.failure_class) {
    case 'policy_denied':
    case 'authz_denied':
    case 'approval_denied':
    case 'approval_expired':
      return { detail: 'policy_denied', message: quoteText(event.message), origins: ['author', 'model', 'person'] };
    case 'schema_invalid':
      return { detail: 'bad_arguments', message: quoteText(event.message) };
    default:
      return undefined;
  }
}

function waitInLane(asked: Asked, toolCalls: number): Step {
  return waitFor(asked, (lane) => ({ lane, tool_calls: toolCalls }));
}

/** Once the tool calls are spent, only the final answer is on offer. */
function offeredAfter(node: LlmToolLoopProgram, toolCalls: number): OfferedSchema {
  return toolCalls >= node.max_tool_calls ? node.offered_last : node.offered;
}

function lastLap(node: LlmToolLoopProgram, toolCalls: number, offered: OfferedSchema): readonly Segment[] {
  if (toolCalls < node.max_tool_calls) return [];
  const notice: Segment = {
    origin: 'last_lap',
    text: '\n\nNo tool calls are left. Only the final answer is: return {"kind": "final_patch", "patch": ...} now.',
  };
  return isInPrompt(node) && offered.native === undefined ? [notice, schemaSegment(offered)] : [notice];
}

const APPROVAL = {
  always: 'A person must approve each call.',
  sometimes: 'A person must approve some calls.',
} as const;

/** The tools that policy lets the model see, in authored order; none when it may call none. */
function describeTools(node: LlmToolLoopProgram): Json {
  if (node.max_tool_calls === 0) return [];
  return permittedOf(node.tools).map((tool) => ({
    name: tool.name,
    description: tool.description,
    arguments: tool.arguments.schema,
    ...(tool.needs_approval === undefined ? {} : { approval: APPROVAL[tool.needs_approval] }),
  }));
}

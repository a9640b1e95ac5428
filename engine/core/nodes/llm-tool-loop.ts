import type { Json } from '../../contract/json.js';
import type { ChatAnswer } from '../../contract/source.js';
import { contentHash } from '../content/canonical.js';
import { type Segment, toMessage } from '../prompt/message.js';
import { fenceJson, quoteText } from '../prompt/quote.js';
import type { Invoke } from '../protocol/command.js';
import type { CallAnswered, CallEvent, CallFailed, CallRefused } from '../protocol/event.js';
import { isPassedOn, toToldFailure } from '../protocol/on-failure.js';
import type { ModelOutputKind, Verdict } from '../protocol/verdict.js';
import type { LlmToolLoopProgram, OfferedSchema, PermittedTool } from '../protocol/program.js';
import {
  type Asked,
  type Complaint,
  type Lane,
  append,
  ask,
  correct,
  openLane,
  schemaSegment,
  spend,
  standsInPrompt,
  toRejection,
} from './generation.js';
import { type JudgedOutput, judgeOutput } from './judge-output.js';
import { readModelText } from './model-text.js';
import { callFailed } from './node-failure.js';
import type { NodeScope, NodeStep, NodeType } from './node-type.js';

/** Waits for a generation, or for the tool that the last one elected. */
export interface LlmToolLoopState {
  readonly type: 'llm_tool_loop';
  readonly lane: Lane;
  readonly tool_calls: number;
  /** The call under way, while it is a tool's. */
  readonly electing?: { readonly key: string; readonly text: string; readonly tool: PermittedTool };
}

type Step = NodeStep<LlmToolLoopState>;

/** Generations and elected tools until a patch that the live world accepts. */
export const llmToolLoop: NodeType<LlmToolLoopProgram, LlmToolLoopState> = {
  start(node, scope) {
    return waitFor(
      openLane(node, scope, offeredAfter(node, 0), () => describeTools(node)),
      0,
    );
  },

  hear(node, state, event, scope) {
    if (state.electing !== undefined) return hearTool(node, state, event, scope);
    if (event.kind !== 'call_answered') return { kind: 'failed', failure: callFailed(event) };
    return hearGeneration(node, state, event, scope);
  },
};

function hearGeneration(
  node: LlmToolLoopProgram,
  state: LlmToolLoopState,
  event: CallAnswered,
  scope: NodeScope,
): Step {
  const { text, finish_reason } = event.value as unknown as ChatAnswer;
  const { lane, overspent } = spend(node, state.lane, event);
  const read = readModelText({ text, finish_reason });
  const heard: Heard = { node, scope, state: { ...state, lane }, key: event.key, text, normalised: read.normalised };
  if (overspent !== undefined) return endOverspent(heard, overspent);
  if (!read.ok) return reject(heard, read.complaint, undefined);
  const judged = judgeOutput(node, scope, read.value);
  switch (judged.kind) {
    case 'unusable':
      return reject(heard, judged.complaint, read.value);
    case 'final_patch':
      return {
        kind: 'done',
        output: judged.patch as unknown as Json,
        patch: { patch: judged.patch, call_key: event.key },
        verdict: accepted(heard, 'final_patch', [
          { kind: 'parsed_output', value: read.value },
          { kind: 'accepted_patch', value: judged.patch as unknown as Json },
        ]),
      };
    case 'tool_call':
      return electTool(heard, judged, accepted(heard, 'tool_call', [{ kind: 'parsed_output', value: read.value }]));
  }
}

/** One answered generation with all that its consequences need. */
interface Heard {
  readonly node: LlmToolLoopProgram;
  readonly scope: NodeScope;
  readonly state: LlmToolLoopState;
  readonly key: string;
  readonly text: string;
  readonly normalised: string;
}

function electTool(heard: Heard, judged: Extract<JudgedOutput, { kind: 'tool_call' }>, verdict: Verdict): Step {
  const { node, state } = heard;
  if (state.tool_calls >= node.max_tool_calls) {
    const message = `node ${node.id} may call ${node.max_tool_calls} tools and the model asked for ${judged.tool.name} after the last of them`;
    return {
      kind: 'failed',
      failure: { failure_class: 'max_tool_calls_exhausted', message, call_key: heard.key },
      verdict,
    };
  }
  const key = `${heard.key}/tool`;
  return {
    kind: 'waits',
    state: {
      ...state,
      tool_calls: state.tool_calls + 1,
      electing: { key, text: heard.text, tool: judged.tool },
    },
    commands: [toToolCommand(heard, key, judged)],
    verdict,
  };
}

function toToolCommand(heard: Heard, key: string, elected: Extract<JudgedOutput, { kind: 'tool_call' }>): Invoke {
  const { call, name } = elected.tool;
  return {
    kind: 'invoke',
    key,
    invocation_kind: 'model_elected_tool',
    call,
    request: elected.arguments,
    request_hash: contentHash({ source: call.source.hash, request: elected.arguments }),
    workflow_hash: heard.scope.workflow_hash,
    subject_id: heard.scope.subject_id,
    node_id: heard.node.id,
    tool_name: name,
    parent_key: heard.key,
    generation_try: heard.state.lane.generation_try,
    round: heard.state.lane.round,
    deadline_ms: call.limits.max_runtime_ms,
  };
}

function hearTool(node: LlmToolLoopProgram, state: LlmToolLoopState, event: CallEvent, scope: NodeScope): Step {
  const { electing, ...rest } = state;
  if (electing === undefined) throw new Error('no tool is awaited');
  const { text, tool } = electing;
  const isTold = isPassedOn(tool.call, event);
  if (event.kind !== 'call_answered' && !isTold) {
    const complaint = complaintOfRefusal(event);
    if (complaint === undefined) return { kind: 'failed', failure: callFailed(event) };
    return reconsider(node, rest, { text, complaint, call_key: event.key }, scope);
  }
  const offered = offeredAfter(node, state.tool_calls);
  const title = isTold ? `The call of ${tool.name} failed; it has no result` : `Result of ${tool.name}`;
  const result: Segment = {
    origin: 'tool_result',
    text: `${title}:\n${fenceJson(tool.name, isTold ? toToldFailure(event) : event.value)}`,
  };
  const lane = append(state.lane, [
    toMessage('assistant', [{ origin: 'model', text }]),
    toMessage('user', [result, ...lastLap(node, state.tool_calls, offered)]),
  ]);
  const asked = ask(node, scope, { ...lane, round: lane.round + 1, generation_try: 1 }, offered);
  const step = waitFor(asked, state.tool_calls);
  return isTold ? { ...step, verdict: { key: event.key, passed_on: 'told_to_model', artifacts: [] } } : step;
}

/** The pipeline refused an elected call: the model's mistake, corrected in the same lane. */
function reconsider(
  node: LlmToolLoopProgram,
  state: LlmToolLoopState,
  said: { readonly text: string; readonly complaint: Complaint; readonly call_key: string },
  scope: NodeScope,
): Step {
  const offered = offeredAfter(node, state.tool_calls);
  return waitFor(correct(node, scope, state.lane, { ...said, offered }), state.tool_calls);
}

/** What of a refusal the model can correct; nothing, where the surroundings are at fault. */
function complaintOfRefusal(event: CallFailed | CallRefused): Complaint | undefined {
  if (event.kind === 'call_failed') return undefined;
  switch (event.failure_class) {
    case 'policy_denied':
    case 'authz_denied':
      return { detail: 'policy_denied', message: quoteText(event.message) };
    case 'schema_invalid':
      return { detail: 'bad_arguments', message: quoteText(event.message) };
    default:
      return undefined;
  }
}

function reject(heard: Heard, complaint: Complaint, parsed: Json | undefined): Step {
  const { node, scope, state } = heard;
  const verdict: Verdict = {
    key: heard.key,
    model_output_kind: 'invalid',
    failure: { failure_class: 'model_content', detail: complaint.detail, message: complaint.message },
    normalised_text: heard.normalised,
    artifacts: [
      ...(parsed === undefined ? [] : [{ kind: 'parsed_output', value: parsed }]),
      { kind: 'error', value: { detail: complaint.detail, message: complaint.message } },
    ],
    rejection: toRejection(node, scope, state.lane, heard.text, complaint),
  };
  const offered = offeredAfter(node, state.tool_calls);
  const asked = correct(node, scope, state.lane, { text: heard.text, complaint, offered, call_key: heard.key });
  return { ...waitFor(asked, state.tool_calls), verdict };
}

function endOverspent(heard: Heard, message: string): Step {
  const failure = { failure_class: 'budget_exhausted' as const, message };
  return {
    kind: 'failed',
    failure: { ...failure, call_key: heard.key },
    verdict: {
      key: heard.key,
      failure,
      normalised_text: heard.normalised,
      artifacts: [{ kind: 'error', value: failure }],
    },
  };
}

function accepted(heard: Heard, kind: ModelOutputKind, artifacts: Verdict['artifacts']): Verdict {
  return { key: heard.key, model_output_kind: kind, normalised_text: heard.normalised, artifacts };
}

function waitFor(asked: Asked, toolCalls: number): Step {
  if (!asked.ok) return { kind: 'failed', failure: asked.failure };
  return {
    kind: 'waits',
    state: { type: 'llm_tool_loop', lane: asked.lane, tool_calls: toolCalls },
    commands: [asked.command],
  };
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
  return standsInPrompt(node) ? [notice, schemaSegment(offered)] : [notice];
}

/** The tools that policy lets the model see, in authored order; none when it may call none. */
function describeTools(node: LlmToolLoopProgram): Json {
  if (node.max_tool_calls === 0) return [];
  return node.tools
    .filter((tool) => tool.permitted)
    .map((tool) => ({ name: tool.name, description: tool.description, arguments: tool.arguments.schema }));
}

import { unreachable } from '../../contract/unreachable.js';
import type { CallEvent } from '../protocol/event.js';
import type { NodeProgram } from '../protocol/program.js';
import { type LlmJsonState, llmJson } from './llm-json.js';
import { type LlmToolLoopState, llmToolLoop } from './llm-tool-loop.js';
import type { NodeScope, NodeStep } from './node-type.js';
import { type SourceCallState, sourceCall } from './source-call.js';

/** The state of a node that waits. */
export type NodeState = LlmToolLoopState | LlmJsonState | SourceCallState;

/** The node types; the workflow schema's list is kept equal to it by a test. */
export const NODE_TYPES = { llm_tool_loop: llmToolLoop, llm_json: llmJson, source_call: sourceCall } as const;

/** What a node does first. */
export function startNode(node: NodeProgram, scope: NodeScope): NodeStep<NodeState> {
  switch (node.type) {
    case 'llm_tool_loop':
      return llmToolLoop.start(node, scope);
    case 'llm_json':
      return llmJson.start(node, scope);
    case 'source_call':
      return sourceCall.start(node, scope);
    default:
      return unreachable(node);
  }
}

/** What follows from the end of a call that the node asked for. */
export function hearNode(node: NodeProgram, state: NodeState, event: CallEvent, scope: NodeScope): NodeStep<NodeState> {
  if (node.type === 'llm_tool_loop' && state.type === 'llm_tool_loop')
    return llmToolLoop.hear(node, state, event, scope);
  if (node.type === 'llm_json' && state.type === 'llm_json') return llmJson.hear(node, state, event, scope);
  if (node.type === 'source_call' && state.type === 'source_call') return sourceCall.hear(node, state, event, scope);
  throw new Error(`node ${node.id} of type ${node.type} has a state of type ${state.type}`);
}

import type { CompileParts, Part, WorkflowSetting } from '../binding/compile-parts.js';
import type { NodeProgram } from '../protocol/program.js';
import { llmJson } from './llm-json.js';
import { llmToolLoop } from './llm-tool-loop.js';
import type { AuthoredNode, NodeName, NodeType } from './node-type.js';
import { edgesOf } from './references.js';
import { sourceCall } from './source-call.js';

/** The node types: one line each. The compiler refuses a list that differs from the workflow schema's. */
export const NODE_TYPES = {
  llm_tool_loop: llmToolLoop,
  llm_json: llmJson,
  source_call: sourceCall,
} as const satisfies { readonly [Name in NodeName]: { readonly type: Name } };

/** A node type with its own types hidden, as the engine calls it. */
type AnyNodeType = NodeType<AuthoredNode, NodeProgram, NodeState>;

/** The state of a node that waits; its node type knows what is in it. */
export type NodeState = object;

/** The type of a node, authored or compiled. */
export function nodeTypeOf({ type }: { readonly type: NodeName }): AnyNodeType {
  return NODE_TYPES[type];
}

/** The names of the types whose output is a WorldPatch. */
export function typesEndingInPatch(): readonly NodeName[] {
  return Object.values(NODE_TYPES).flatMap(({ type, ends_in_patch }) => (ends_in_patch ? [type] : []));
}

/** A node as a program, or everything that keeps it from running. */
export function compileNode(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: AuthoredNode,
  pointer: string,
): Part<NodeProgram> {
  const type = nodeTypeOf(node);
  const { value, problems } = type.compile(parts, setting, node, pointer);
  if (value === undefined) return { problems };
  const after = [...new Set(edgesOf(type, node))];
  return { value: { ...value, type: node.type, id: node.id, after }, problems };
}

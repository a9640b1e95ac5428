import { unreachable } from '../../contract/unreachable.js';
import type { CallProgram, NodeProgram, Program, WorkflowProgram } from '../protocol/program.js';

/** The names of the plugins that a turn of this program may call. */
export function pluginsOf({ turn_ambients, subjects }: Program): ReadonlySet<string> {
  const calls = [...turn_ambients.map(({ call }) => call), ...subjects.flatMap(({ workflow }) => callsOf(workflow))];
  return new Set(calls.map(({ source }) => source.plugin));
}

function callsOf({ subject_ambients, nodes }: WorkflowProgram): readonly CallProgram[] {
  return [...subject_ambients.map(({ call }) => call), ...nodes.flatMap(callsOfNode)];
}

function callsOfNode(node: NodeProgram): readonly CallProgram[] {
  switch (node.type) {
    case 'llm_tool_loop':
      return [node.call, ...node.tools.flatMap((tool) => (tool.permitted ? [tool.call] : []))];
    case 'llm_json':
    case 'source_call':
      return [node.call];
    default:
      return unreachable(node);
  }
}

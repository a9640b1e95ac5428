import type { CallProgram, NodeProgram, Program, WorkflowProgram } from '../protocol/program.js';

/** The names of the plugins that a turn of this program may call. */
export function pluginsOf({ turn_ambients, subjects }: Program): ReadonlySet<string> {
  const calls = [...turn_ambients.map(({ call }) => call), ...subjects.flatMap(({ workflow }) => callsOf(workflow))];
  return new Set(calls.map(({ source }) => source.plugin));
}

function callsOf({ subject_ambients, nodes }: WorkflowProgram): readonly CallProgram[] {
  return [...subject_ambients.map(({ call }) => call), ...nodes.flatMap(callsOfNode)];
}

function callsOfNode({ call, tools = [] }: NodeProgram): readonly CallProgram[] {
  return [...(call === undefined ? [] : [call]), ...tools.flatMap((tool) => (tool.permitted ? [tool.call] : []))];
}

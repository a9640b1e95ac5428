import { composeToolLoopSchema } from './compose-schema.js';
import type { LlmToolLoopProgram, NodeProgram, PermittedTool, Program, ToolProgram } from '../protocol/program.js';

/** The names of the tools that policy lets models of this program be offered. */
export function permittedToolsOf({ subjects }: Program): ReadonlySet<string> {
  const tools = subjects.flatMap(({ workflow }) => workflow.nodes.flatMap((node) => toolsOf(node).filter(isPermitted)));
  return new Set(tools.map(({ name }) => name));
}

/** The program with these of its permitted tools alone. It never permits more than the policy does. */
export function narrowTools(program: Program, names: ReadonlySet<string>): Program {
  const subjects = program.subjects.map((subject) => {
    const nodes = subject.workflow.nodes.map((node) => (node.type === 'llm_tool_loop' ? narrow(node, names) : node));
    return { ...subject, workflow: { ...subject.workflow, nodes } };
  });
  return { ...program, subjects };
}

function narrow(node: LlmToolLoopProgram, names: ReadonlySet<string>): LlmToolLoopProgram {
  const tools = node.tools.map(
    (tool): ToolProgram => (names.has(tool.name) ? tool : { name: tool.name, permitted: false }),
  );
  const offered = tools.filter(isPermitted).map((tool) => ({ name: tool.name, arguments: tool.arguments.schema }));
  return {
    ...node,
    tools,
    offered: composeToolLoopSchema(node.max_tool_calls === 0 ? [] : offered, node.patch.schema),
  };
}

function toolsOf(node: NodeProgram): readonly ToolProgram[] {
  return node.type === 'llm_tool_loop' ? node.tools : [];
}

function isPermitted(tool: ToolProgram): tool is PermittedTool {
  return tool.permitted;
}

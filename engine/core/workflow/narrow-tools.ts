import { nodeTypeOf } from '../nodes/index.js';
import type { NodeProgram, Program, WorkflowProgram } from '../protocol/program.js';

/** The names of the tools that policy lets models of this program be offered. */
export function permittedToolsOf({ subjects }: Program): ReadonlySet<string> {
  const tools = subjects.flatMap(({ workflow }) => workflow.nodes.flatMap((node) => node.tools ?? []));
  return new Set(tools.flatMap(({ name, permitted }) => (permitted ? [name] : [])));
}

/** The program with these of its permitted tools alone. It never permits more than the policy does. */
export function narrowTools(program: Program, names: ReadonlySet<string>): Program {
  return changeNodes(program, (node) => nodeTypeOf(node).narrow(node, names));
}

/** The program with other nodes in the place of its own. */
export function changeNodes(program: Program, change: (node: NodeProgram) => NodeProgram): Program {
  const subjects = program.subjects.map((subject) => ({
    ...subject,
    workflow: changeWorkflow(subject.workflow, change),
  }));
  return { ...program, subjects };
}

/** The workflow with other nodes in the place of its own; itself, where none is another. */
export function changeWorkflow(workflow: WorkflowProgram, change: (node: NodeProgram) => NodeProgram): WorkflowProgram {
  const nodes = workflow.nodes.map(change);
  return nodes.every((node, index) => node === workflow.nodes[index]) ? workflow : { ...workflow, nodes };
}

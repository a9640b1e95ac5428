import { nodeTypeOf } from '../nodes/index.js';
import type { NodeProgram, Program } from '../protocol/program.js';

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
  const subjects = program.subjects.map((subject) => {
    const nodes = subject.workflow.nodes.map(change);
    return { ...subject, workflow: { ...subject.workflow, nodes } };
  });
  return { ...program, subjects };
}

import { present } from '../../contract/present.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { CallProgram, NodeProgram, Program, WorkflowProgram } from '../protocol/program.js';
import { sourcesOf } from './sources-of.js';

/** The names of the tools that policy lets models of this program be offered. */
export function permittedToolsOf({ subjects }: Program): ReadonlySet<string> {
  const tools = subjects.flatMap(({ workflow }) => workflow.nodes.flatMap((node) => node.tools ?? []));
  return new Set(tools.flatMap(({ name, permitted }) => (permitted ? [name] : [])));
}

/** The program with these of its permitted tools alone. It never permits more than the policy does. */
export function narrowTools(program: Program, names: ReadonlySet<string>): Program {
  return changeNodes(program, (node) => nodeTypeOf(node).narrow(node, names));
}

/** The connections that calls of this program name. */
export function connectionsOf(program: Program): readonly string[] {
  return [...new Set(sourcesOf(program).flatMap(({ connection }) => connection ?? []))];
}

/** The program whose calls may use these of their connections alone. */
export function narrowConnections(program: Program, ids: readonly string[]): Program {
  const narrow = <Caller extends { readonly call: CallProgram }>(caller: Caller): Caller => {
    const { granted_connections = ids } = caller.call;
    const granted = granted_connections.filter((id) => ids.includes(id));
    return { ...caller, call: { ...caller.call, granted_connections: granted } };
  };
  const narrowNode = (node: NodeProgram): NodeProgram => ({
    ...node,
    ...present({
      call: node.call && narrow({ call: node.call }).call,
      fallback: node.fallback && narrow(node.fallback),
      gate: node.gate && narrow(node.gate),
      tools: node.tools?.map((tool) => (tool.permitted ? narrow(tool) : tool)),
    }),
  });
  const subjects = changeNodes(program, narrowNode).subjects.map(({ workflow, ...subject }) => ({
    ...subject,
    workflow: { ...workflow, subject_ambients: workflow.subject_ambients.map(narrow) },
  }));
  return { ...program, subjects, turn_ambients: program.turn_ambients.map(narrow) };
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

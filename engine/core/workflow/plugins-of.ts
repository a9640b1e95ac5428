import type { CallProgram, Program } from '../protocol/program.js';

/** The names of the plugins that a turn of this program may call. */
export function pluginsOf({ turn_ambients, subjects }: Program): ReadonlySet<string> {
  const workflows = subjects.map(({ workflow }) => workflow);
  const nodes = workflows.flatMap((workflow) => workflow.nodes);
  const callers: readonly { readonly call?: CallProgram }[] = [
    ...turn_ambients,
    ...workflows.flatMap(({ subject_ambients }) => subject_ambients),
    ...nodes,
    ...nodes.flatMap(({ fallback }) => fallback ?? []),
    ...nodes.flatMap(({ tools = [] }) => tools.flatMap((tool) => (tool.permitted ? [tool] : []))),
  ];
  return new Set(callers.flatMap(({ call }) => call?.source.plugin ?? []));
}

import type { CallProgram, Program, SourceProgram } from '../protocol/program.js';

/** The sources that a turn of this program may call, each once with each of its connections. */
export function sourcesOf({ turn_ambients, subjects }: Program): readonly SourceProgram[] {
  const workflows = subjects.map(({ workflow }) => workflow);
  const nodes = workflows.flatMap((workflow) => workflow.nodes);
  const callers: readonly { readonly call?: CallProgram }[] = [
    ...turn_ambients,
    ...workflows.flatMap(({ subject_ambients }) => subject_ambients),
    ...nodes,
    ...nodes.flatMap(({ fallback, gate }) => [fallback ?? [], gate ?? []].flat()),
    ...nodes.flatMap(({ tools = [] }) => tools.flatMap((tool) => (tool.permitted ? [tool] : []))),
  ];
  const called = callers.flatMap(({ call }) =>
    call === undefined ? [] : [[`${call.source.hash} ${call.source.connection}`, call.source] as const],
  );
  return [...new Map(called).values()];
}

/** The names of the plugins that a turn of this program may call. */
export function pluginsOf(program: Program): ReadonlySet<string> {
  return new Set(sourcesOf(program).map(({ plugin }) => plugin));
}

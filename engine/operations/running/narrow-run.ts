import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { among } from '../../core/content/nearest-name.js';
import { connectionsOf, narrowConnections, narrowTools, permittedToolsOf } from '../../core/workflow/narrow-tools.js';
import type { Program } from '../../core/protocol/program.js';

/** The limits of a run within its documents; an absent one does not narrow. */
export interface Narrowing {
  readonly tools?: readonly string[] | undefined;
  readonly connections?: readonly string[] | undefined;
}

/**
 * Narrows a program for one run. Nothing is widened: a name that the documents do not allow is refused. Models get
 * other prompts, so an attempt has to be resumed with the same narrowing; else its records do not fit, and it ends with
 * `record_mismatch`.
 */
export function narrowRun(program: Program, { tools, connections }: Narrowing): Outcome<Program> {
  const allowed = permittedToolsOf(program);
  const used = connectionsOf(program);
  const problems = [
    ...(tools ?? []).filter((name) => !allowed.has(name)).map((name) => toolNotAllowed(name, [...allowed])),
    ...(connections ?? [])
      .filter((id) => !used.includes(id))
      .map((id) => problem('RUN_CONNECTION_NOT_GRANTED', { id, ...among(id, used) })),
  ];
  if (problems.length > 0) return refuse(...problems);
  const narrowed = tools === undefined ? program : narrowTools(program, new Set(tools));
  return succeed(connections === undefined ? narrowed : narrowConnections(narrowed, connections));
}

function toolNotAllowed(name: string, allowed: readonly string[]): Problem {
  return problem('RUN_TOOL_NOT_OFFERED', { name, ...among(name, allowed) });
}

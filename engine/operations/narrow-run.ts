import type { Problem } from '../contract/problem.js';
import { nearestName } from '../core/content/nearest-name.js';
import { narrowTools, permittedToolsOf } from '../core/workflow/narrow-tools.js';
import type { Program } from '../core/protocol/program.js';
import { type Done, refuse, succeed } from './engine.js';

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
export function narrowRun(program: Program, { tools, connections = [] }: Narrowing): Done<Program> {
  const allowed = permittedToolsOf(program);
  const problems = [
    ...(tools ?? []).filter((name) => !allowed.has(name)).map((name) => toolNotAllowed(name, [...allowed])),
    // Documents that use connections are refused, so no runnable scenario has one.
    ...connections.map(connectionNotGranted),
  ];
  if (problems.length > 0) return refuse(...problems);
  return succeed(tools === undefined ? program : narrowTools(program, new Set(tools)));
}

function toolNotAllowed(name: string, allowed: readonly string[]): Problem {
  const nearest = nearestName(name, allowed);
  const known =
    allowed.length === 0 ? 'Leave --tools out: there are no tools to narrow.' : `It offers ${allowed.join(', ')}.`;
  return {
    code: 'RUN_TOOL_NOT_OFFERED',
    message: `The scenario offers no tool ${JSON.stringify(name)} that its policy allows, and a run can only narrow what is offered.`,
    repair: nearest === undefined ? known : `Did you mean ${nearest}? ${known}`,
  };
}

function connectionNotGranted(id: string): Problem {
  return {
    code: 'RUN_CONNECTION_NOT_GRANTED',
    message: `The scenario grants no connection ${JSON.stringify(id)}, and a run can only narrow what is granted.`,
    repair: 'Leave it out. This version grants no connections.',
  };
}

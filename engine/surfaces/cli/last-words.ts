import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../../contract/problem.js';
import { EXIT } from './exit-code.js';
import { problemLines } from './render/problems.js';
import { toSafeLines } from './render/neutralise.js';
import { verbatim } from './render/line.js';
import { printLines } from './session.js';
import type { Terminal } from './terminal.js';

/**
 * Ends the process, and says why, where something is thrown that nobody can catch, as in a timer of a plugin: whatever
 * comes after could not be trusted. Where somebody else listens for it, it is theirs.
 * @param isVerbose shows the stack as well, which may hold what was not meant to be seen
 */
export function endOnUncaught(
  process: Pick<NodeJS.Process, 'on' | 'listenerCount'>,
  terminal: Pick<Terminal, 'error' | 'leave'>,
  isVerbose: boolean,
): void {
  process.on('uncaughtException', (thrown: unknown) => {
    if (process.listenerCount('uncaughtException') > 1) return;
    tell(terminal.error, toProblem(thrown), isVerbose ? thrown : undefined);
    terminal.leave(EXIT.environment);
  });
}

/**
 * From now on `process.exit` is nobody's: the command line leaves by a door of its own. Whoever calls it ends the process
 * as a fault of its own, and not with the code that was asked for.
 * @param isVerbose shows the stack as well
 */
export function endOnExit(
  process: Pick<NodeJS.Process, 'exit'>,
  terminal: Pick<Terminal, 'error' | 'leave'>,
  isVerbose: boolean,
): void {
  process.exit = (code?: number | string | null): never => {
    const attempt = new Error(`process.exit(${code ?? ''}) was called`);
    tell(terminal.error, toExitProblem(attempt), isVerbose ? attempt : undefined);
    terminal.leave(EXIT.environment);
    throw attempt;
  };
}

const GO_ON = 'Turns that were under way go on from their records, with another worker or the next chukwa run';

function tell(error: Terminal['error'], problem: Problem, shown: unknown): void {
  printLines(error, problemLines([problem]));
  printLines(
    error,
    toSafeLines(stackOf(shown)).map((text) => verbatim(text)),
  );
}

function toProblem(thrown: unknown): Problem {
  const place = findPluginPlace(stackOf(thrown));
  if (place === undefined)
    return {
      code: 'UNEXPECTED',
      message: `Something was thrown where nobody could catch it: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      repair: `${GO_ON}. Report it; --verbose shows where it came from.`,
    };
  return {
    code: 'PLUGIN_BROKE_OUT',
    message: `The plugin ${place.plugin} threw something outside of its calls, where nobody could catch it (${place.file}).`,
    repair: `Mend or remove the plugin; --verbose shows all that it threw. ${GO_ON}.`,
    details: place,
  };
}

function toExitProblem(attempt: Error): Problem {
  const place = findPluginPlace(stackOf(attempt));
  if (place === undefined)
    return {
      code: 'UNEXPECTED',
      message: `${attempt.message} by something that chukwa has loaded.`,
      repair: `Leave plugins out, to see which it comes from; --verbose shows where it was called. ${GO_ON}.`,
    };
  return {
    code: 'PLUGIN_BROKE_OUT',
    message: `The plugin ${place.plugin} would have ended the process: ${attempt.message} (${place.file}).`,
    repair: `Mend or remove the plugin. ${GO_ON}.`,
    details: place,
  };
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? '') : '';
}

const FRAME = /(?:\(|at )(file:\/\/\S+?|\/\S.*?):(\d+):\d+\)?$/;

/** The first place of a stack that lies in the folder of a plugin. */
function findPluginPlace(stack: string): { readonly plugin: string; readonly file: string } | undefined {
  for (const text of stack.split('\n')) {
    const [, written = '', line = ''] = FRAME.exec(text) ?? [];
    const file = written.startsWith('file:') ? fileURLToPath(written) : written;
    const folder = file === '' ? undefined : findPluginFolder(dirname(file));
    if (folder !== undefined) return { plugin: basename(folder), file: `${file}:${line}` };
  }
  return undefined;
}

function findPluginFolder(folder: string): string | undefined {
  if (existsSync(join(folder, 'plugin.json'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findPluginFolder(parent);
}

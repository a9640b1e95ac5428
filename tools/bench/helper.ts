import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Stage } from './stage.js';

/** A module that runs in a process of its own exports a function `open`, which gives this. */
export interface Role<Question, Answer> {
  /** What the process says first. */
  readonly first?: unknown;
  answer(question: Question): Answer | Promise<Answer>;
  /** Called before the process ends. */
  close?(): Promise<void>;
}

/** A process that answers one question after the other. What it costs is not counted as this one's. */
export interface Helper<Question, Answer> {
  readonly first: unknown;
  ask(question: Question): Promise<Answer>;
}

/**
 * Starts the role of a module in a process of its own.
 * @param words what it is opened with
 */
export async function startHelper<Question extends object, Answer>(
  stage: Stage,
  module: URL,
  words: readonly string[] = [],
): Promise<Helper<Question, Answer>> {
  const process = new URL('./helper-process.js', import.meta.url);
  // Packages of other frameworks are wanted where their arms are, so these run from their TypeScript.
  const execArgv = words.some((word) => word.endsWith('.ts')) ? ['--import', 'tsx'] : [];
  const child = fork(process, [module.href, ...words], { execArgv });
  const gone = once(child, 'exit');
  const receive = async (): Promise<unknown> => {
    const said = await Promise.race([once(child, 'message'), gone]);
    if (child.exitCode !== null) throw new Error(`${module.pathname} has ended before it was done`);
    return (said[0] as { readonly value: unknown }).value;
  };
  stage.after(() => {
    if (child.connected) child.disconnect();
    return gone;
  });
  return {
    first: await receive(),
    ask: async (question) => {
      child.send(question);
      return (await receive()) as Answer;
    },
  };
}

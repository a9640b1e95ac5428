import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of the benchmark that answers one question after the other. What it costs is not counted as the engine's. */
export interface Helper<Question, Answer> {
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Starts a process, and waits for its first message. Close it.
 * @param words its arguments
 * @returns the first message beside it
 * @throws Error where it ends instead
 */
export async function openHelper<Question extends object, Answer>(
  module: URL,
  words: readonly string[] = [],
  execArgv: readonly string[] = [],
): Promise<Helper<Question, Answer> & { readonly first: unknown }> {
  const child = fork(fileURLToPath(module), words, { execArgv: [...execArgv] });
  const gone = once(child, 'exit');
  const receive = async (): Promise<unknown> => {
    const said = await Promise.race([once(child, 'message'), gone]);
    if (child.exitCode !== null) throw new Error(`${module.pathname} has ended before it was done`);
    return (said[0] as { readonly value: unknown }).value;
  };
  return {
    first: await receive(),
    ask: async (question) => {
      child.send(question);
      return (await receive()) as Answer;
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

/**
 * In such a process: sends the first message, answers questions, and ends the process with the one that forked it.
 * @param close is called before the end
 */
export function answerAll(
  first: unknown,
  answer: (question: never) => unknown,
  close: () => Promise<void> = async () => {},
): void {
  const leave = (error: unknown): never => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };
  process.on('disconnect', () => {
    setTimeout(() => process.exit(0), 2_000).unref();
    close().then(() => process.exit(0), leave);
  });
  process.on('message', (question) => {
    Promise.resolve(answer(question as never)).then((value) => process.send?.({ value }), leave);
  });
  process.send?.({ value: first });
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CapturedCall, StageQuestion, StageWord } from './captured-call.js';

/** The toy services and the scripted model, in a process of their own. */
export interface BenchStage {
  /** Where they are. */
  readonly variables: Readonly<Record<string, string>>;
  /** The requests since the last call of this function, in order of arrival. */
  takeCalls(): Promise<readonly CapturedCall[]>;
  /** From now on the model streams a long answer in one turn, or in none. */
  speak(longTurn: number | null): Promise<void>;
  close(): Promise<void>;
}

/** Starts the stage. Close it. */
export async function openBenchStage(): Promise<BenchStage> {
  const child = fork(fileURLToPath(new URL('./stage-process.js', import.meta.url)), { execArgv: [] });
  const receive = async (): Promise<StageWord> => {
    const [word] = (await once(child, 'message')) as [StageWord];
    return word;
  };
  const ask = (question: StageQuestion): Promise<StageWord> => {
    const answer = receive();
    child.send(question);
    return answer;
  };
  const first = await receive();
  return {
    variables: first.kind === 'variables' ? first.variables : {},
    takeCalls: async () => {
      const word = await ask({ kind: 'take_calls' });
      return word.kind === 'calls' ? word.calls : [];
    },
    speak: async (long_turn) => {
      await ask({ kind: 'speak', long_turn });
    },
    close: async () => {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}

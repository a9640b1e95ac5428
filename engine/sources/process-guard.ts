import { dirname, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownWords } from './own-words.js';

/** Keeps code that is not the engine's from ending the process. */
export interface ProcessGuard {
  /** From now on the files of this folder, links followed, may run; where nobody is named, it was the last that was admitted. */
  admit(home: string): void;
  /** What the files of a folder did that no module may. */
  findFault(home: string): string | undefined;
  /** Lets go of the process. */
  end(): void;
}

/** Where the engine's own files are. */
const ENGINE_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Takes hold of the process: what would end it becomes the fault of whose file is on top of the stack. What the engine
 * itself throws goes its usual way, and so does its own leaving. One at a time.
 */
export function guardProcess(): ProcessGuard {
  const homes: string[] = [];
  const faults = new Map<string, string>();
  const blame = (stack: string | undefined, fault: string): boolean => {
    const home = findHome(stack, homes);
    if (home !== undefined && !faults.has(home)) faults.set(home, fault);
    return home !== undefined;
  };
  const endings = [
    ...WAYS_OUT.map((way) => guardWayOut(way, blame)),
    ...EVENTS.map(([event, how]) => guardEvent(event, how, blame)),
  ];
  return {
    admit: (home) => void homes.push(home),
    findFault: (home) => faults.get(home),
    end: () => endings.forEach((end) => end()),
  };
}

const EVENTS = [
  ['unhandledRejection', 'left a promise to fail'],
  ['uncaughtException', 'threw at nobody'],
] as const;

/** Whether somebody is at fault for what has the stack. */
type Blame = (stack: string | undefined, fault: string) => boolean;

/** How a process is left by its own code. */
const WAYS_OUT = ['exit', 'reallyExit', 'abort'] as const;

/** Not every one is among the types of Node.js. */
const wayOut = process as unknown as Record<(typeof WAYS_OUT)[number], (code?: number | string | null) => never>;

function guardWayOut(way: (typeof WAYS_OUT)[number], blame: Blame): () => void {
  const own = wayOut[way];
  const guarded = (code?: number | string | null): never => {
    const attempt = new Error(`process.${way}(${code ?? ''}) is not for a plugin`);
    Error.captureStackTrace(attempt, guarded);
    if (blame(attempt.stack, `it called process.${way}(${code ?? ''})`)) throw attempt;
    return own.call(process, code);
  };
  // The thread that watches over the import leaves this way.
  wayOut[way] = Object.assign(guarded, { own });
  return () => {
    wayOut[way] = own;
  };
}

function guardEvent(event: (typeof EVENTS)[number][0], how: string, blame: Blame): () => void {
  const hear = (thrown: unknown): void => {
    if (blame(stackOf(thrown), `it ${how}: ${ownWords(thrown)}`)) return;
    process.off(event, hear);
    setImmediate(() => {
      throw thrown;
    });
  };
  process.on(event, hear);
  return () => void process.off(event, hear);
}

/** A file that is neither the engine's nor below a home belongs to a package, which somebody has imported. */
function findHome(stack: string | undefined, homes: readonly string[]): string | undefined {
  const top = (stack ?? '')
    .split('\n')
    .find((line) => /^\s+at .*[/\\].*:\d+:\d+/.test(line) && !line.includes('node:'));
  const names = (folder: string): boolean => top !== undefined && toPrefixes(folder).some((text) => top.includes(text));
  const named = homes.find(names);
  if (named !== undefined || names(ENGINE_FOLDER)) return named;
  return homes.at(-1);
}

/** A folder as stacks name files in it. */
function toPrefixes(folder: string): readonly string[] {
  return [`${folder}${sep}`, pathToFileURL(`${folder}${sep}`).href];
}

function stackOf(thrown: unknown): string | undefined {
  try {
    return thrown instanceof Error ? thrown.stack : undefined;
  } catch {
    return undefined;
  }
}

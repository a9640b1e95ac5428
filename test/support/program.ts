import { fileURLToPath } from 'node:url';

const RUNS_TYPESCRIPT = import.meta.url.endsWith('.ts');

/**
 * The flags with which Node.js runs code as it is first compiled: a process of seconds costs less CPU than its
 * optimisation. The first flag is for the embedded PostgreSQL, and halves the CPU time of a command that opens one. The
 * second lets V8 optimise a function of JavaScript fifteen times later, and saves a quarter of most tests.
 */
export const FIRST_COMPILED: readonly string[] = ['--liftoff-only', '--interrupt-budget=1000000'];

/** The arguments with which Node.js runs a module as this one runs: compiled, or from its TypeScript. */
export function argumentsOf(module: URL): readonly string[] {
  const file = fileURLToPath(module);
  return RUNS_TYPESCRIPT ? ['--import', 'tsx', file.replace(/\.js$/, '.ts')] : [file];
}

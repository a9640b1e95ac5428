import { fileURLToPath } from 'node:url';

const RUNS_TYPESCRIPT = import.meta.url.endsWith('.ts');

/**
 * Lets V8 run the embedded PostgreSQL as it is first compiled: what lives for seconds costs less CPU than its optimisation.
 * It halves the CPU time of a command that opens an embedded database.
 */
export const FIRST_COMPILED = '--liftoff-only';

/** What Node.js is given to run a module of the checkout as this one runs: compiled, or from its TypeScript. */
export function argumentsOf(module: URL): readonly string[] {
  const file = fileURLToPath(module);
  return RUNS_TYPESCRIPT ? ['--import', 'tsx', file.replace(/\.js$/, '.ts')] : [file];
}

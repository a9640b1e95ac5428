import type { Role } from './helper.js';

// Plays the role of a module: `node helper-process.js MODULE WORD...`. It ends with the process that has started it.

const [module = '', ...words] = process.argv.slice(2);
const { open } = (await import(module)) as { open(...words: readonly string[]): Promise<Role<unknown, unknown>> };
const role = await open(...words);
const say = (value: unknown): void => void process.send?.({ value });
process.on('disconnect', () => {
  setTimeout(() => process.exit(0), 2_000).unref();
  Promise.resolve(role.close?.()).then(() => process.exit(0), leave);
});
process.on('message', (question) => {
  Promise.resolve(role.answer(question)).then(say, leave);
});
say(role.first);

function leave(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

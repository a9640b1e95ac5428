import { basename, delimiter, dirname, extname, relative } from 'node:path';

/** What no shell gives a meaning to. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Words as a POSIX shell reads them again. */
export function toShell(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/**
 * How this program was started, so that the commands that it shows can be pasted: by npm, by its name on the search path,
 * or by its file. `npx chukwa` in a folder without the package would fetch a package that is not ours.
 */
export function toProgramName({ argv, env, cwd }: Pick<NodeJS.Process, 'argv' | 'env' | 'cwd'>): string {
  if (env['npm_command'] !== undefined) return 'npx chukwa';
  const [, file = ''] = argv;
  const isOnPath = (env['PATH'] ?? '').split(delimiter).includes(dirname(file));
  if (isOnPath) return basename(file);
  const near = relative(cwd(), file);
  const path = toShell([near.startsWith('..') ? file : near]);
  return extname(file) === '' ? path : `node ${path}`;
}

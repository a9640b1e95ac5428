import { basename, delimiter, dirname, extname, relative } from 'node:path';

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** White space other than a space, and characters that a terminal may obey or hide: no line shows them as they are. */
const UNSEEN = /(?! )[\p{Cc}\p{Cf}\p{Z}]/u;

/** Words as a POSIX shell reads them again; `$'...'` is of POSIX.1-2024, and older in bash and zsh. */
export function toShell(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  return UNSEEN.test(word) ? `$'${Array.from(word, toEscaped).join('')}'` : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A character between `$'` and `'`: an unseen or special one by its bytes. */
function toEscaped(character: string): string {
  if (!UNSEEN.test(character) && !/['\\]/.test(character)) return character;
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/**
 * How this program was started, so that the commands that it shows can be pasted: by npm, by its name on the search path,
 * or by its file. `npx chukwa` in a folder without the package would fetch a package that is not ours.
 */
export function toProgramName({ argv, env, cwd }: Pick<NodeJS.Process, 'argv' | 'env' | 'cwd'>): string {
  if (env['npm_command'] !== undefined) return 'npx chukwa';
  const [, file = ''] = argv;
  const isOnPath = (env['PATH'] ?? '').split(delimiter).includes(dirname(file));
  if (isOnPath) return toShell([basename(file)]);
  const near = relative(cwd(), file);
  // A shell looks for a name without a folder on the search path, and `-x/` and `x=y/` mean something else to it.
  const within = /^[\w.]+\//.test(near) ? near : `./${near}`;
  const path = toShell([near.startsWith('..') ? file : within]);
  return extname(file) === '' ? path : `node ${path}`;
}

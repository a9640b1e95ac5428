import type { Outcome } from '../../../contract/problem.js';

/** The scheme under which documents name the schemas that ship. */
export const SHIPPED_PREFIX = 'chukwa:';

/** Turns a path written in one file into the path of the file that it means. Nothing is read. */
export type ResolvePath = (from: string, written: string) => Outcome<string>;

/**
 * Resolves relative paths, and keeps every one below a root that also holds the file in which it is written.
 * @param roots absolute folders, with `/` between names
 */
export function resolveWithin(roots: readonly string[]): ResolvePath {
  return (from, written) => {
    if (written.startsWith(SHIPPED_PREFIX)) return { ok: true, value: written };
    if (written.includes('\\') || written.includes('\u0000'))
      return refuse('PATH_MALFORMED', `"${written}" is not a path with / between names`);
    if (/^(\/|[A-Za-z][A-Za-z0-9+.-]*:)/.test(written))
      return refuse('PATH_NOT_RELATIVE', `"${written}" is not relative to this file`);
    const path = normalise(`${from.slice(0, from.lastIndexOf('/'))}/${written}`);
    const isInside = roots.some((root) => isWithin(root, from) && isWithin(root, path));
    if (isInside) return { ok: true, value: path };
    return refuse('PATH_LEAVES_ROOT', `"${written}" leaves the folder that may be read`);
  };
}

/** Whether an absolute path lies below a folder. */
export function isWithin(root: string, path: string): boolean {
  return path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

function refuse(code: string, message: string): Outcome<never> {
  const repair =
    code === 'PATH_LEAVES_ROOT'
      ? 'Name a folder that holds both files, with --root.'
      : 'Write a path such as "./name.json".';
  return { ok: false, problems: [{ code, message, repair }] };
}

function normalise(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

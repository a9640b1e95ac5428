import { type Outcome, problem, refuse } from '../../../contract/problem.js';
import { commonFolder, relativePath } from './relative-path.js';

/** The scheme under which documents name the schemas that ship. */
export const SHIPPED_PREFIX = 'chukwa:';

/** Turns a path written in one file into the path of the file that it means. Nothing is read. */
export type ResolvePath = (from: string, written: string) => Outcome<string>;

/**
 * Resolves relative paths, and keeps every one below a root that also holds the file in which it is written.
 * @param roots absolute folders, with `/` between names
 * @param workingFolder the folder in which the command runs: the repair names a wider root from there
 */
export function resolveWithin(roots: readonly string[], workingFolder = '/'): ResolvePath {
  return (from, written) => {
    if (written.startsWith(SHIPPED_PREFIX)) return { ok: true, value: written };
    if (written.includes('\\') || written.includes('\u0000'))
      return refuse(problem('PATH_MALFORMED', { path: written }));
    if (/^(\/|[A-Za-z][A-Za-z0-9+.-]*:)/.test(written)) return refuse(problem('PATH_NOT_RELATIVE', { path: written }));
    const path = normalise(`${from.slice(0, from.lastIndexOf('/'))}/${written}`);
    const isInside = roots.some((root) => isWithin(root, from) && isWithin(root, path));
    if (isInside) return { ok: true, value: path };
    const root = widen(commonFolder(from, path), workingFolder);
    return refuse(problem('PATH_LEAVES_ROOT', { path: written, root }));
  };
}

/** Whether an absolute path lies below a folder. */
export function isWithin(root: string, path: string): boolean {
  return path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** The root that allows the path. None is suggested that allows everything. */
function widen(folder: string, workingFolder: string): string | undefined {
  return folder === '/' ? undefined : relativePath(workingFolder, folder);
}

function normalise(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

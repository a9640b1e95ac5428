import { nearestName } from '../../content/nearest-name.js';
import { relativePath } from './relative-path.js';
import { SHIPPED_PREFIX } from './resolve-path.js';

/**
 * A file that may have been meant, as it would be written: one of its folder with a longer ending or a like name, or one
 * of its name.
 * @param known absolute paths of files
 */
export function findMeant(from: string, missing: string, known: readonly string[]): string | undefined {
  const shipped = known.filter((path) => path.startsWith(SHIPPED_PREFIX));
  if (missing.startsWith(SHIPPED_PREFIX)) return nearestName(missing, shipped);
  const [folder, name] = [folderOf(missing), missing.slice(folderOf(missing).length)];
  const besides = known.filter((path) => folderOf(path) === folder).map((path) => path.slice(folder.length));
  const nearest = besides.find((other) => other.startsWith(`${name}.`)) ?? nearestName(name, besides);
  const path = nearest === undefined ? known.find((other) => other.endsWith(`/${name}`)) : `${folder}${nearest}`;
  if (path === undefined || path === from) return undefined;
  const written = relativePath(folderOf(from), path);
  return written.startsWith('../') ? written : `./${written}`;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/**
 * The way from one folder to a path, as people write it: `sources/a.json`, `../a.json`, and `.` for the folder itself.
 * @param from an absolute folder, with `/` between names
 */
export function relativePath(from: string, to: string): string {
  const [start, end] = [namesOf(from), namesOf(to)];
  const shared = countShared(start, end);
  const up = start.slice(shared).map(() => '..');
  return [...up, ...end.slice(shared)].join('/') || '.';
}

/** The innermost folder that holds both of two paths. */
export function commonFolder(left: string, right: string): string {
  const [one, other] = [namesOf(left).slice(0, -1), namesOf(right).slice(0, -1)];
  return `/${one.slice(0, countShared(one, other)).join('/')}`;
}

function countShared(left: readonly string[], right: readonly string[]): number {
  const differs = left.findIndex((name, index) => name !== right[index]);
  return differs === -1 ? left.length : differs;
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

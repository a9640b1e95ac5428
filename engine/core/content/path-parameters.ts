/** A parameter of a path: `{station_id}`. */
const PARAMETER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of the parameters of a path, each once. */
export function listPathParameters(path: string): readonly string[] {
  return [...new Set([...path.matchAll(PARAMETER)].map(([, name = '']) => name))];
}

/** A path with a value in the place of each parameter. */
export function replacePathParameters(path: string, valueOf: (name: string) => string): string {
  return path.replace(PARAMETER, (_, name: string) => valueOf(name));
}

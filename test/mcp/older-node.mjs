// The conformance suite imports a function that Node.js 20 does not have, and that no test of a server calls.
import { register } from 'node:module';

const hooks = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('conformance/dist/index.js')) return loaded;
  return { ...loaded, source: String(loaded.source).replace('globSync as a,', '') };
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

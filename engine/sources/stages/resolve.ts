import type { LookUpVariable } from '../origin.js';
import { resolveOrigin } from '../origin.js';
import { type Asked, type Halt, halt, type Routed, type Stage } from '../passage.js';
import type { LoadedPlugin } from '../registry.js';

/** Finds the plugin that knows the source, and where the operator lets it connect. */
export function resolve(plugins: readonly LoadedPlugin[], lookUp: LookUpVariable): Stage<Asked, Routed> {
  return { name: 'resolve', pass: (asked) => route(asked, plugins, lookUp) };
}

function route(asked: Asked, plugins: readonly LoadedPlugin[], lookUp: LookUpVariable): Routed | Halt {
  const { source } = asked.command.call;
  const refuse = (message: string): Halt => halt(asked, 'unavailable', `the source ${source.label}: ${message}`);
  const plugin = plugins.find((loaded) => loaded.name === source.plugin);
  if (!plugin) return refuse(`no plugin named ${source.plugin} is loaded`);
  const wanted = asked.command.generation ? 'chat' : 'json';
  if (plugin.speaks !== wanted)
    return refuse(`the plugin ${plugin.name} speaks ${plugin.speaks}, and this call needs ${wanted}`);
  const problems = plugin.validateInterface(source.interface).filter((problem) => problem.severity !== 'note');
  if (problems.length > 0)
    return refuse(`its interface is not one of ${plugin.name}: ${problems.map(({ message }) => message).join('; ')}`);
  const found = resolveOrigin(plugin.manifest, source.interface, lookUp);
  if (!found.ok) return refuse(found.message);
  const { origin, command } = found;
  return { ...asked, route: { plugin, origin, ...(command ? { command } : {}) } };
}

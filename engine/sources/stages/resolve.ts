import type { SourceProgram } from '../../core/workflow/program.js';
import type { LookUpVariable } from '../origin.js';
import { resolveOrigin } from '../origin.js';
import { type Asked, type Halt, halt, type Route, type Routed, type Stage } from '../passage.js';
import type { DescribedPlugin } from '../registry.js';

/**
 * Finds the plugin that knows the source, and where the operator lets it connect. What was found of a source holds as
 * long as the engine is open, as its secrets and its connections do.
 */
export function resolve(plugins: readonly DescribedPlugin[], lookUp: LookUpVariable): Stage<Asked, Routed> {
  const known = new WeakMap<SourceProgram, Route>();
  const pass = (asked: Asked): Routed | Halt => {
    const { source } = asked.command.call;
    const found = known.get(source) ?? findRoute(source, plugins, lookUp);
    const refused = typeof found === 'string' ? found : findMisfit(asked, found);
    if (typeof found === 'string' || refused !== undefined)
      return halt(asked, 'unavailable', `the source ${source.label}: ${refused}`);
    known.set(source, found);
    return { ...asked, route: found };
  };
  return { name: 'resolve', pass };
}

/** @returns a sentence where there is none */
function findRoute(source: SourceProgram, plugins: readonly DescribedPlugin[], lookUp: LookUpVariable): Route | string {
  const plugin = plugins.find((loaded) => loaded.name === source.plugin);
  if (!plugin) return `no plugin named ${source.plugin} is loaded`;
  const problems = plugin.validateInterface(source.interface).filter((problem) => problem.severity !== 'note');
  if (problems.length > 0)
    return `its interface is not one of ${plugin.name}: ${problems.map(({ message }) => message).join('; ')}`;
  const found = resolveOrigin(plugin.manifest, source.interface, lookUp);
  if (!found.ok) return found.message;
  const { origin, command } = found;
  return { plugin, origin, ...(command ? { command } : {}) };
}

function findMisfit({ command }: Asked, { plugin }: Route): string | undefined {
  const wanted = command.generation ? 'chat' : 'json';
  if (plugin.speaks === wanted) return undefined;
  return `the plugin ${plugin.name} speaks ${plugin.speaks}, and this call needs ${wanted}`;
}

import type { Json, JsonObject } from '../contract/json.js';
import { type Outcome, problem, refuse } from '../contract/problem.js';
import type { InvocationContext, Source, SourcePlugin } from '../contract/source.js';
import { redact } from '../core/content/redact.js';
import type { Validate } from '../core/protocol/program.js';
import type { Clock } from '../ports/clock.js';
import type { BareEnd, BareSource, BenchSession, PreparedPlugin, PreparePlugin } from '../ports/plugin-bench.js';
import type { CompileSchema } from '../ports/validation.js';
import { withinCall } from './call-bounds.js';
import { openChildren } from './children.js';
import { timerAlarm } from './timer-alarm.js';
import { capabilitiesFor, createOpenedSources, type OpenedSourcesParts } from './opened-sources.js';
import { toResponseLimit } from './stages/call.js';
import { toRoute } from './stages/resolve.js';
import { openOriginFetches, type OriginFetches } from './origin-fetch.js';
import { openAdmission } from './admission.js';
import { createCallSource } from './pipeline.js';
import { importEntry } from './import-entry.js';
import { type DescribedPlugin, describePlugins, findPlugin } from './registry.js';
import { NO_CONNECTIONS, openBroker } from './connections/broker.js';
import { findSourceFailure, makeSourceFailure } from './source-failure.js';

interface BenchParts {
  readonly compileSchema: CompileSchema;
  readonly validateManifest: Validate;
  readonly clock: Pick<Clock, 'now'>;
}

/** A slower close continues in the background: a session holds nothing that the next one needs. */
const CLOSE_PATIENCE_MS = 100;

/** Makes what prepares plugins for tests: each by itself, with the stages, origins and secrets of a real call. */
export function createPreparePlugin(parts: BenchParts): PreparePlugin {
  return async (folder) => {
    const found = await findPlugin(folder, parts.validateManifest);
    if (!found.ok) return { folder, problems: found.problems };
    const { manifest } = found.value;
    const { plugins, problems } = await describePlugins([found.value], parts.compileSchema);
    const plugin = plugins[0];
    if (plugin === undefined) return { folder, manifest, problems };
    const imported = await importTidily(plugin);
    if (!imported.ok) return { folder, manifest, problems: imported.problems };
    return toBench(folder, { ...plugin, code: imported.value }, parts.clock);
  };
}

interface LoadedPlugin extends DescribedPlugin {
  readonly code: SourcePlugin;
}

/** Imports an entry, and refuses one that leaves something open, which would keep a process from ending. */
async function importTidily(plugin: DescribedPlugin): Promise<Outcome<SourcePlugin>> {
  const before = process.getActiveResourcesInfo();
  const imported = await importEntry(plugin, timerAlarm);
  await new Promise((resolve) => setImmediate(resolve));
  const left = findLeftOpen(before, process.getActiveResourcesInfo());
  if (!imported.ok || left.length === 0) return imported;
  const { folder, name } = plugin;
  const details = { folder, name };
  return refuse(problem('PLUGIN_ENTRY_FAILED', { kind: 'left_open', name, left }, { details }));
}

/** The kinds, as Node.js names them, of which there are more than before. */
function findLeftOpen(before: readonly string[], after: readonly string[]): readonly string[] {
  const count = (kinds: readonly string[], kind: string): number => kinds.filter((each) => each === kind).length;
  return [...new Set(after)].filter((kind) => count(after, kind) > count(before, kind));
}

function toBench(folder: string, plugin: LoadedPlugin, clock: BenchParts['clock']): PreparedPlugin {
  const { manifest, validateInterface } = plugin;
  const begin = (variables: Readonly<Record<string, string>>) => beginSession(plugin, variables, clock);
  return { folder, manifest, bench: { manifest, validateInterface, begin }, problems: [] };
}

function beginSession(
  plugin: LoadedPlugin,
  variables: Readonly<Record<string, string>>,
  clock: BenchParts['clock'],
): BenchSession {
  const fetches = openOriginFetches(() => undefined);
  const logged: string[] = [];
  const lookUp = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined) || undefined;
  const children = openChildren(lookUp, timerAlarm);
  const broker = openBroker(NO_CONNECTIONS, fetches, clock);
  const parts: OpenedSourcesParts = {
    plugins: [plugin],
    getPlugin: async () => ({ ok: true, value: plugin.code }),
    lookUp,
    fetches,
    children,
    clock,
    alarm: timerAlarm,
    broker,
    log: ({ message, details }) => void logged.push(details ? `${message} ${JSON.stringify(details)}` : message),
  };
  const opened = createOpenedSources(parts);
  const counted = countFetches(fetches);
  return {
    callSource: createCallSource({
      ...parts,
      opened,
      admission: openAdmission({}, clock),
      authorise: [],
      broker,
      redact,
    }),
    open: (definition) => toBareSource(openBare({ ...parts, fetches: counted }, plugin, definition)),
    countFetches: counted.count,
    listLogged: () => logged,
    close: async () => {
      await opened.close(CLOSE_PATIENCE_MS);
      await Promise.all([fetches.close(), children.close()]);
    },
  };
}

function countFetches(fetches: OriginFetches): Pick<OriginFetches, 'bind'> & { readonly count: () => number } {
  let count = 0;
  return {
    count: () => count,
    bind: (origin) => {
      const fetch = fetches.bind(origin);
      return (url, init, call) => {
        count += 1;
        return fetch(url, init, call);
      };
    },
  };
}

/** Where the origin is not set, the pipeline refuses before anything is opened: a failure like any other. */
function openBare(parts: OpenedSourcesParts, plugin: LoadedPlugin, definition: JsonObject): Source {
  const route = toRoute(plugin, definition, parts);
  if (typeof route === 'string') return { invoke: () => Promise.reject(makeSourceFailure('unavailable', route)) };
  const capabilities = capabilitiesFor(parts, route, createOpenedSources(parts).secretsOf(route));
  return plugin.code.open({ label: 'conformance', interface: definition }, capabilities);
}

function toBareSource(source: Source): BareSource {
  return {
    ask: (request, context) => askBare(source, request, context),
    ...(source.close ? { close: async () => source.close?.() } : {}),
  };
}

/** The bounds have a signal of their own, which nobody aborts: only the plugin's own obedience ends the call early. */
async function askBare(source: Source, request: Json, context: Omit<InvocationContext, 'trace'>): Promise<BareEnd> {
  const chunks: string[] = [];
  const trace = { chunk: (text: string) => void chunks.push(text), tokens: () => {}, artifact: () => {} };
  const never = new AbortController().signal;
  const bounds = {
    signal: never,
    farewell: () => never,
    left: () => Number.POSITIVE_INFINITY,
    max_response_bytes: toResponseLimit({ speaks: 'chat' }, context.max_result_bytes),
  };
  try {
    const answer: unknown = await withinCall(bounds, async () => source.invoke(request, { ...context, trace }));
    return { kind: 'answered', answer, chunks };
  } catch (thrown) {
    return { kind: 'threw', thrown, failure: findSourceFailure(thrown) };
  }
}

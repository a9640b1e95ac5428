import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuid } from 'uuid';
import type { Composition, EngineOptions, OpenArchive, Stage } from './operations/composition.js';
import type { Validate } from './core/workflow/program.js';
import { chooseDoorbell, type WantedDoorbell } from './doorbells/choose-doorbell.js';
import { diagnose } from './operations/diagnose.js';
import { loadShippedSchemas } from './operations/documents/index.js';
import type { Authoring, Done, Engine } from './operations/engine.js';
import { refuse, unavailable } from './operations/engine.js';
import type { Workshop } from './operations/plugins/workshop.js';
import type { AnswerCall } from './ports/answers.js';
import type { Holder } from './ports/attempts.js';
import type { Clock } from './ports/clock.js';
import type { Doorbell } from './ports/doorbell.js';
import type { Store } from './ports/records.js';
import type { ValidateKind } from './schema/index.js';
import type { PluginPlaces, Sources } from './sources/index.js';
import type { StoreConfiguration } from './store/open-store.js';

/** Where this program's own files are, from source and compiled alike. */
const CODE_ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGE_ROOT = basename(CODE_ROOT) === 'dist' ? dirname(CODE_ROOT) : CODE_ROOT;

/** The thread that keeps leases: compiled, however the rest is run. */
const BEAT_THREAD = join(PACKAGE_ROOT, 'dist', 'engine', 'store', 'heartbeat', 'beat-thread.js');

/** An event loop that has not turned for so long has no more to say. */
const HANG_MS = 300_000;

/** A key for servers that want none: a real one must not reach them by accident. */
const LOOPBACK_KEY = 'loopback-needs-no-key';

/** Environment variables, as the operator set them. */
type Variables = Readonly<Record<string, string | undefined>>;

const clock: Clock = { now: () => Date.now(), uuid: () => uuid() };

/**
 * The composition root: the only place that knows every part and joins them.
 * @param variables the process's environment; it is read here and nowhere else
 */
export async function compose(variables: Variables): Promise<Composition> {
  const { version } = JSON.parse(await readFile(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const composition: Composition = {
    version,
    package_root: PACKAGE_ROOT,
    openAuthoring: async () => ({ ok: true, value: (await openParts(variables, {})).authoring }),
    openWorkshop: () => openWorkshop(variables),
    openArchive: () => openArchive(variables),
    openEngine: (options = {}) => openEngine(variables, options),
    openDryEngine: (answerCall) => openDryEngine(variables, answerCall),
    startToys,
    startScriptedModel,
    diagnose: async () => {
      const [{ authoring, sources }, { examineOrigin }, { inspectDatabase }, { findServer }] = await Promise.all([
        openParts(variables, {}),
        import('./sources/index.js'),
        import('./store/inspect.js'),
        import('./store/doorbell/server-doorbell.js'),
      ]);
      await sources.close();
      return diagnose({
        node_version: process.version,
        lookUp: (name) => variables[name] || undefined,
        catalogue: authoring.catalogue,
        examineOrigin,
        inspectDatabase: () => inspectDatabase(toStoreConfiguration(variables)),
        openDoorbell: () => chooseDoorbell(toWantedDoorbell(variables), findServer(variables['CHUKWA_DATABASE_URL'])),
      });
    },
  };
  return composition;
}

interface Parts {
  readonly authoring: Authoring;
  readonly validateShape: ValidateKind;
  readonly sources: Sources;
}

/** The one seam of dry runs: given answers, sources are opened without any plugin's code and without a way out. */
type PartsOptions = EngineOptions & { readonly answerCall?: AnswerCall };

async function openParts(variables: Variables, options: PartsOptions): Promise<Parts> {
  const [{ createCompileSchema, createValidateDocument, createValidateShape }, { openSources }] = await Promise.all([
    import('./schema/index.js'),
    import('./sources/index.js'),
  ]);
  const shippedSchemas = await loadShippedSchemas(join(PACKAGE_ROOT, 'schemas'));
  const compileSchema = createCompileSchema();
  const validateShape = createValidateShape(shippedSchemas, compileSchema);
  const sources = await openSources({
    ...placesOfPlugins(variables),
    lookUp: (name) => variables[name],
    ...(options.variables === undefined ? {} : { overlay: options.variables }),
    ...(options.answerCall === undefined ? {} : { answerCall: options.answerCall }),
    compileSchema,
    validateManifest: (value) => validateShape('plugin_manifest', value),
    clock,
    log: () => undefined,
  });
  const { catalogue } = sources;
  return {
    sources,
    validateShape,
    authoring: {
      compileSchema,
      validateDocument: createValidateDocument(validateShape, catalogue.plugins),
      catalogue,
      shippedSchemas,
    },
  };
}

/** Nothing that the plugins open is left open. */
async function openWorkshop(variables: Variables): Promise<Done<Workshop>> {
  const { createLayOutPlugin } = await import('./sources/index.js');
  const { authoring, sources, validateShape } = await openParts(variables, {});
  await sources.close();
  const layOutPlugin = createLayOutPlugin({
    compileSchema: authoring.compileSchema,
    validateManifest: (value) => validateShape('plugin_manifest', value),
    clock,
  });
  const validateExamples: Validate = (value) => validateShape('plugin_conformance', value);
  return { ok: true, value: { catalogue: authoring.catalogue, layOutPlugin, validateExamples } };
}

async function openArchive(variables: Variables): Promise<Done<OpenArchive>> {
  return openArchiveAt(toStoreConfiguration(variables));
}

async function openArchiveAt(configuration: StoreConfiguration): Promise<Done<OpenArchive>> {
  const { openStore } = await import('./store/open-store.js');
  const opened = await openStore(configuration);
  if (!opened.ok) return unavailable(...opened.problems);
  const store = opened.value;
  return { ok: true, value: { store, close: () => store.database.close() } };
}

function openEngine(variables: Variables, options: EngineOptions): Promise<Done<Engine>> {
  return joinEngine(openArchive(variables), openParts(variables, options), toWantedDoorbell(variables));
}

/** An engine whose sources answer what was written, on a database that is thrown away. */
function openDryEngine(variables: Variables, answerCall: AnswerCall): Promise<Done<Engine>> {
  const configuration = { ...toStoreConfiguration(variables), url: 'memory:' };
  return joinEngine(openArchiveAt(configuration), openParts(variables, { answerCall }), { kind: 'process' });
}

async function joinEngine(
  opening: Promise<Done<OpenArchive>>,
  loading: Promise<Parts>,
  wanted: WantedDoorbell,
): Promise<Done<Engine>> {
  const [opened, { authoring, sources }] = await Promise.all([opening, loading]);
  if (!opened.ok) {
    await sources.close();
    return opened;
  }
  const { store, close } = opened.value;
  return {
    ok: true,
    value: {
      authoring,
      store,
      runtime: {
        attempts: store.attempts,
        callSource: sources.callSource,
        clock,
        holder: { host: hostname(), pid: process.pid },
        isAlive,
        plugin_versions: Object.fromEntries(authoring.catalogue.plugins.map((plugin) => [plugin.name, plugin.version])),
      },
      openDoorbell: () => openDoorbell(wanted, store),
      startHeartbeat: ({ lease_ms }) =>
        store.shared?.startHeartbeat({ lease_ms, hang_ms: HANG_MS, program: BEAT_THREAD }),
      programs: new Map(),
      close: async () => {
        await sources.close();
        await close();
      },
    },
  };
}

function openDoorbell(wanted: WantedDoorbell, store: Store): Done<Doorbell> {
  const chosen = chooseDoorbell(wanted, store.shared);
  return chosen.ok ? chosen : unavailable(...chosen.problems);
}

function toWantedDoorbell(variables: Variables): WantedDoorbell {
  const nats_url = variables['CHUKWA_NATS_URL'] || undefined;
  return { kind: variables['CHUKWA_DOORBELL'] || 'auto', ...(nats_url === undefined ? {} : { nats_url }) };
}

function toStoreConfiguration(variables: Variables): StoreConfiguration {
  const url = variables['CHUKWA_DATABASE_URL'];
  return {
    ...(url === undefined ? {} : { url }),
    data_dir: resolve(variables['CHUKWA_DATA_DIR'] || '.chukwa'),
    migrations_dir: join(PACKAGE_ROOT, 'migrations'),
    template_file: join(PACKAGE_ROOT, 'dist', 'template.tar.gz'),
  };
}

/** Those that ship, those of the working folder, those that the operator names, and installed packages. */
function placesOfPlugins(variables: Variables): PluginPlaces {
  const working = process.cwd();
  const beside = dirname(PACKAGE_ROOT);
  return {
    folders: [join(CODE_ROOT, 'plugins'), ...pluginPath(variables)],
    ...(CODE_ROOT === PACKAGE_ROOT ? {} : { sources_folder: join(PACKAGE_ROOT, 'plugins') }),
    folders_if_present: working === PACKAGE_ROOT ? [] : [join(working, 'plugins')],
    package_folders: [
      join(working, 'node_modules'),
      basename(beside) === 'node_modules' ? beside : join(PACKAGE_ROOT, 'node_modules'),
    ],
  };
}

function pluginPath(variables: Variables): readonly string[] {
  const given = (variables['CHUKWA_PLUGIN_PATH'] ?? '').split(delimiter);
  return given.filter((folder) => folder !== '').map((folder) => resolve(folder));
}

/** A process of another machine is taken for living until its lease ends. */
function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function startToys(portBase?: number): Promise<Stage> {
  const { startToys: start } = await import('../fixtures/toys/index.js');
  const toys = await start(portBase);
  return { variables: toys.variables, close: () => toys.close() };
}

async function startScriptedModel(answersFile: string, portBase?: number): Promise<Done<Stage>> {
  const [{ loadAnswers, startScriptedModel: start }, { TOY_PORTS }, validateShape] = await Promise.all([
    import('../fixtures/scripted-model/index.js'),
    import('../fixtures/toys/index.js'),
    openValidateShape(),
  ]);
  const answers = await loadAnswers(answersFile, (value) => validateShape('answers', value));
  if (!answers.ok) return refuse(...answers.problems);
  const model = await start(answers.value, portBase === undefined ? {} : { port: portBase + TOY_PORTS });
  return {
    ok: true,
    value: {
      variables: { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: LOOPBACK_KEY },
      close: () => model.close(),
    },
  };
}

async function openValidateShape(): Promise<ValidateKind> {
  const { createCompileSchema, createValidateShape } = await import('./schema/index.js');
  return createValidateShape(await loadShippedSchemas(join(PACKAGE_ROOT, 'schemas')), createCompileSchema());
}

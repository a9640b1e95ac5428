import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuid } from 'uuid';
import type {
  AnswerAsPerson,
  AskedOfPerson,
  Composition,
  EngineOptions,
  HttpDesk,
  HttpServer,
  OpenArchive,
  OpenSources,
  ServePlace,
  Stage,
} from './operations/composition.js';
import type { Validate } from './core/protocol/program.js';
import { chooseDoorbell, type WantedDoorbell } from './doorbells/choose-doorbell.js';
import { diagnose } from './operations/diagnose.js';
import { loadShippedSchemas } from './operations/documents/index.js';
import type { Problem } from './contract/problem.js';
import type { Authoring, Done, Engine } from './operations/engine.js';
import { refuse } from './operations/engine.js';
import type { Workshop } from './operations/plugins/workshop.js';
import { announceServed, findServed } from './operations/served.js';
import { callbacksAt, type LoadedTokens, type Tokens } from './operations/tokens.js';
import type { AnswerCall } from './ports/answers.js';
import type { Holder } from './ports/attempts.js';
import type { Clock } from './ports/clock.js';
import type { Doorbell } from './ports/doorbell.js';
import type { HeartbeatSettings, Store } from './ports/records.js';
import type { MakeCallback } from './ports/sources.js';
import type { ValidateKind } from './schema/index.js';
import type { PluginPlaces, Sources } from './sources/index.js';
import type { StoreConfiguration } from './store/open-store.js';

/** Where this program's own files are, from source and compiled alike. */
const CODE_ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGE_ROOT = basename(CODE_ROOT) === 'dist' ? dirname(CODE_ROOT) : CODE_ROOT;

/** The thread that keeps leases: compiled, however the rest is run. */
const BEAT_THREAD = join(PACKAGE_ROOT, 'dist', 'engine', 'store', 'heartbeat', 'beat-thread.js');

/** Plugins that ship: compiled, however the rest is run, since an attempt goes on only with the code that it began with. */
const OWN_PLUGINS = join(PACKAGE_ROOT, 'dist', 'plugins');

/** An event loop that has not turned for so long has no more to say. */
const HANG_MS = 300_000;

/** After that its leases end, others go on with its attempts, and the process is ended, for it hears no signal. */
function toPatience(lease_ms: number): Pick<HeartbeatSettings, 'hang_ms' | 'end_ms'> {
  return { hang_ms: HANG_MS, end_ms: HANG_MS + 2 * lease_ms };
}

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
    openSources: (overlay = {}) => openSourcesAlone(variables, overlay),
    openWorkshop: () => openWorkshop(variables),
    openArchive: () => openArchive(variables),
    openEngine: (options = {}) => openEngine(variables, options),
    openDryEngine: (answerCall) => openDryEngine(variables, answerCall),
    startToys,
    startScriptedModel,
    startPerson,
    loadTokens: () => loadTokens(variables),
    servePlace: () => toServePlace(variables),
    listen,
    findServed: async () => findServed(toDataDir(variables)),
    announceServed: (url) => announceServed(toDataDir(variables), { url, pid: process.pid }),
    diagnose: async (world_slug) => {
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
        inspectDatabase: () => inspectDatabase(toStoreConfiguration(variables), world_slug),
        world_slug,
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

/** Given answers, sources have no plugin's code and no way out: the one seam of dry runs. */
interface PartsOptions extends EngineOptions {
  readonly answerCall?: AnswerCall;
  readonly makeCallback?: MakeCallback;
}

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
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.makeCallback === undefined ? {} : { makeCallback: options.makeCallback }),
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
      validateDocument: createValidateDocument(validateShape, catalogue.plugins, catalogue.problems),
      catalogue,
      shippedSchemas,
    },
  };
}

async function openSourcesAlone(
  variables: Variables,
  overlay: Readonly<Record<string, string>>,
): Promise<Done<OpenSources>> {
  const { authoring, sources } = await openParts(variables, { variables: overlay });
  const { callSource, listVariations } = sources;
  return { ok: true, value: { authoring, callSource, listVariations, close: () => sources.close() } };
}

/** The catalogue reads files only; what is laid out on the bench has its code imported. */
async function openWorkshop(variables: Variables): Promise<Done<Workshop>> {
  const [{ createLayOutPlugin }, { authoring, sources, validateShape }] = await Promise.all([
    import('./sources/index.js'),
    openParts(variables, {}),
  ]);
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
  if (!opened.ok) return refuse(...(await tellOfServe(configuration, opened.problems)));
  const store = opened.value;
  return { ok: true, value: { store, close: () => store.database.close() } };
}

/** Where `serve` has the folder, that is worth more than the number of its process. */
async function tellOfServe(
  { data_dir }: StoreConfiguration,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  const served = await findServed(data_dir);
  return problems.map((problem) => {
    if (served === undefined || problem.code !== 'DATABASE_LOCKED' || problem.details?.['pid'] !== served.pid)
      return problem;
    const repair = `chukwa serve has it, at ${served.url}: chukwa report and chukwa stop go through it. All else waits until it has ended (process ${served.pid}). To share a database between processes, use CHUKWA_DATABASE_URL with PostgreSQL.`;
    return { ...problem, repair, details: { ...problem.details, served_at: served.url, may_pass: false } };
  });
}

async function openEngine(variables: Variables, options: EngineOptions): Promise<Done<Engine>> {
  const callbacks = await openCallbacks(variables);
  if (!callbacks.ok) return callbacks;
  const parts = openParts(variables, { ...options, ...callbacks.value });
  return joinEngine(openArchive(variables), parts, toWantedDoorbell(variables));
}

/** An engine whose sources answer what was written, on a database that is thrown away. */
async function openDryEngine(variables: Variables, answerCall: AnswerCall): Promise<Done<Engine>> {
  const configuration = { ...toStoreConfiguration(variables), url: 'memory:' };
  const opened = await joinEngine(openArchiveAt(configuration), openParts(variables, { answerCall }), {
    kind: 'process',
  });
  if (!opened.ok) return opened;
  // Nobody outside is given time by a wait.
  return { ok: true, value: { ...opened.value, runtime: { ...opened.value.runtime, chooseWait: () => 0 } } };
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
  if (sources.refused.length > 0) {
    await Promise.all([sources.close(), close()]);
    return refuse(...sources.refused);
  }
  return {
    ok: true,
    value: {
      authoring,
      store,
      replaceSecrets: sources.replaceSecrets,
      runtime: {
        attempts: store.attempts,
        callSource: sources.callSource,
        receiveReport: sources.receiveReport,
        inbox: store.inbox,
        pending: store.pending,
        clock,
        holder: { host: hostname(), pid: process.pid },
        isAlive,
        findFault: (error) => store.database.findFault(error),
        plugin_versions: Object.fromEntries(authoring.catalogue.plugins.map((plugin) => [plugin.name, plugin.version])),
      },
      openDoorbell: () => openDoorbell(wanted, store),
      startHeartbeat: ({ lease_ms }) =>
        store.shared?.startHeartbeat({ lease_ms, ...toPatience(lease_ms), program: BEAT_THREAD }),
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
  return chosen.ok ? chosen : refuse(...chosen.problems);
}

function toWantedDoorbell(variables: Variables): WantedDoorbell {
  const nats_url = variables['CHUKWA_NATS_URL'] || undefined;
  return { kind: variables['CHUKWA_DOORBELL'] || 'auto', ...(nats_url === undefined ? {} : { nats_url }) };
}

/** Where services may answer later, if the operator says where that is. */
async function openCallbacks(variables: Variables): Promise<Done<Pick<PartsOptions, 'makeCallback'>>> {
  const public_url = variables['CHUKWA_PUBLIC_URL'] || undefined;
  if (public_url === undefined) return { ok: true, value: {} };
  if (!/^https?:\/\//i.test(public_url) || !URL.canParse(public_url)) return refuse(publicUrlInvalid());
  const tokens = await loadTokens(variables);
  return tokens.ok ? { ok: true, value: { makeCallback: callbacksAt(public_url, tokens.value) } } : tokens;
}

function publicUrlInvalid(): Problem {
  return {
    code: 'PUBLIC_URL_INVALID',
    message: 'CHUKWA_PUBLIC_URL is no http or https URL.',
    repair: 'Write the URL at which services reach chukwa serve, such as https://chukwa.example.org.',
  };
}

async function loadTokens(variables: Variables): Promise<Done<LoadedTokens>> {
  const { loadTokens: load } = await import('./operations/tokens.js');
  return load({
    token: variables['CHUKWA_TOKEN'] || undefined,
    operator_token: variables['CHUKWA_OPERATOR_TOKEN'] || undefined,
    file: join(toDataDir(variables), 'tokens.json'),
  });
}

const SERVE_PORT = 4747;

function toServePlace(variables: Variables): Done<ServePlace> {
  const port = variables['CHUKWA_PORT'] || String(SERVE_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return refuse({
      code: 'PORT_INVALID',
      message: 'CHUKWA_PORT is no port.',
      repair: 'Write a number from 1 to 65535; 0 stands for any that is free.',
    });
  return { ok: true, value: { host: variables['CHUKWA_HOST'] || '127.0.0.1', port: Number(port) } };
}

async function listen(desk: HttpDesk, tokens: Tokens, place: ServePlace): Promise<Done<HttpServer>> {
  const { startServer } = await import('./surfaces/http/server.js');
  try {
    return { ok: true, value: await startServer(desk, tokens, place) };
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return refuse({
      code: 'PORT_TAKEN',
      message: `Nothing can listen on port ${place.port} of ${place.host}: ${error.message}.`,
      repair: 'Name another place in CHUKWA_HOST and CHUKWA_PORT, or with --port.',
      details: { ...place },
    });
  }
}

function toDataDir(variables: Variables): string {
  return resolve(variables['CHUKWA_DATA_DIR'] || '.chukwa');
}

function toStoreConfiguration(variables: Variables): StoreConfiguration {
  const url = variables['CHUKWA_DATABASE_URL'];
  return {
    ...(url === undefined ? {} : { url }),
    data_dir: toDataDir(variables),
    migrations_dir: join(PACKAGE_ROOT, 'migrations'),
    template_file: join(PACKAGE_ROOT, 'dist', 'template.tar.gz'),
  };
}

/** Those that ship, those of the working folder, those that the operator names, and installed packages. */
function placesOfPlugins(variables: Variables): PluginPlaces {
  const working = process.cwd();
  const beside = dirname(PACKAGE_ROOT);
  return {
    folders: [OWN_PLUGINS, ...pluginPath(variables)],
    sources_folder: join(PACKAGE_ROOT, 'plugins'),
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

/** Long enough to see a turn rest. */
const POST_DELIVERS_AFTER_MS = 3_000;

async function startToys(portBase?: number): Promise<Stage> {
  const { startToys: start } = await import('../fixtures/toys/index.js');
  const toys = await start(portBase, { delivers_after_ms: POST_DELIVERS_AFTER_MS });
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

async function startPerson(answer: AnswerAsPerson): Promise<Stage> {
  const { startScriptedModel: start } = await import('../fixtures/scripted-model/index.js');
  const turns: Record<string, Record<string, { readonly text: string }>> = {};
  const model = await start({ version: 1, label: 'person', turns });
  model.onRequest(async ({ turn, key, body }) => {
    const { messages } = body as unknown as Pick<AskedOfPerson, 'messages'>;
    const text = await answer({ turn, key, messages });
    // The run is being stopped, which ends the request.
    if (text === undefined) return new Promise<never>(() => {});
    turns[turn] = { ...turns[turn], [key]: { text } };
  });
  return {
    variables: { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: LOOPBACK_KEY },
    close: () => model.close(),
  };
}

async function openValidateShape(): Promise<ValidateKind> {
  const { createCompileSchema, createValidateShape } = await import('./schema/index.js');
  return createValidateShape(await loadShippedSchemas(join(PACKAGE_ROOT, 'schemas')), createCompileSchema());
}

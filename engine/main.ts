import { type Outcome, refuse } from './contract/problem.js';
import { present } from './contract/present.js';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import {
  listOwnSecrets,
  PACKAGE_ROOT,
  readVariables,
  toAnchor,
  toAuthoriser,
  toConnectionsKey,
  toDataDir,
  toDayBudget,
  type LogFormat,
  toFlightLimits,
  toHeartbeatSettings,
  toLogFormat,
  toLogLevel,
  toPluginPlaces,
  toPricesFile,
  toPublicUrl,
  toServePlace,
  toSigningKeyFile,
  toStoreConfiguration,
  toTelemetrySettings,
  toTokens,
  toTokensFile,
  toUserFolder,
  toWantedDoorbell,
  type Variables,
} from './configuration.js';
import type { Limits } from './core/protocol/amounts.js';
import type { Validate } from './core/protocol/program.js';
import { chooseDoorbell, type WantedDoorbell } from './doorbells/choose-doorbell.js';
import type {
  Composition,
  Diagnosis,
  EngineOptions,
  OpenArchive,
  OpenSources,
  Stage,
  WriteLog,
} from './operations/composition.js';
import { type OperatorConnections, openConnections } from './operations/connections/store.js';
import { diagnose } from './operations/diagnose.js';
import { loadShippedSchemas } from './operations/documents/index.js';
import { decideByAnswers } from './operations/dry-run/written-decision.js';
import { type Authoring, type Engine, type Metering, whileOpen } from './operations/engine.js';
import type { Signer } from './operations/evidence/checkpoint.js';
import { userName } from './operations/people/person-here.js';
import { readPriceFile } from './operations/costs/price-file.js';
import { findConfirmed } from './operations/plugins/trust.js';
import type { Workshop } from './operations/plugins/workshop.js';
import { announceServed, findServed, nameServer } from './operations/serving/served.js';
import { callbacksAt, findKeptTokens, type LoadedTokens, loadTokens as load } from './operations/serving/tokens.js';
import { openPluginLog } from './plugin-log.js';
import type { AnswerCall } from './ports/answers.js';
import type { Clock } from './ports/clock.js';
import type { Doorbell } from './ports/doorbell.js';
import type { Store } from './store/open-store.js';
import type { CallSource, MakeCallback } from './ports/sources.js';
import type { ValidateDocument } from './ports/validation.js';
import type { Authorise, FlightLimits, Log, Secret, Sources } from './sources/index.js';
import type { StoreConfiguration } from './store/open-store.js';
import { isRunning } from './store/running-process.js';
import type { Telemetry, TelemetrySettings } from './telemetry/index.js';

const clock: Clock = { now: () => Date.now(), uuid: () => uuid() };

/**
 * The composition root: the only place that knows every part and joins them. Each part is imported when it is first needed.
 * @param given the process's environment; it is read in configuration.ts and nowhere else
 * @param write takes a line of the log, for people or as JSON; left out, nothing is logged
 * @param authorise is asked before each call, beside what the operator names for that
 */
export async function compose(
  given: Variables,
  write: (line: string, format: LogFormat) => void = () => {},
  authorise?: Authorise,
): Promise<Composition> {
  const version = await readVersion();
  const variables = readVariables(given);
  const isJson = toLogFormat(variables) === 'json';
  const writeJson = isJson ? await openJsonLog((line) => write(line, 'json')) : undefined;
  const writeLog: WriteLog = writeJson ?? ((_level, sentence) => write(sentence, 'text'));
  const log = openPluginLog(toLogLevel(variables), writeLog, clock.now);
  const outside: Outside = {
    version,
    variables,
    writeLog,
    log,
    metering: openMetering(toPricesFile(variables)),
    authorise,
    cleaners: new Set(),
  };
  return {
    version,
    ...present({ log: writeJson }),
    package_root: PACKAGE_ROOT,
    withoutSecrets: (text) => [...outside.cleaners].reduce((left, clean) => clean(left), text),
    openAuthoring: async () => (await openParts(outside, {})).authoring,
    withSources: (task, options = {}) => withSources(outside, task, options),
    openConnections: async () => connectionsOf(variables, (await (openedSchemas ??= openSchemas())).validateShape),
    openWorkshop: () => openWorkshop(outside),
    openArchive: () => openArchive(outside, toStoreConfiguration(variables), 'to_read'),
    openEngine: (options = {}) => openEngine(outside, options),
    openDryEngine: (answerCall, url) => openDryEngine(outside, answerCall, url),
    startToys: async (portBase) => (await loadToys()).startToyStage(portBase),
    startScriptedModel,
    startPerson: async (answer) => (await loadToys()).startPersonStage(answer),
    loadTokens: () => loadTokens(variables),
    openSigner: () => openSigner(variables),
    has_anchor: toAnchor(variables) !== undefined,
    servePlace: () => toServePlace(variables),
    exportPages: async (archive, wanted) => (await import('./surfaces/browser/export.js')).exportPages(archive, wanted),
    listen: async (desk, tokens, place) => (await import('./surfaces/http/server.js')).listen(desk, tokens, place),
    serveParent: async (desk, reader, signal) => {
      const { serveParent } = await import('./surfaces/mcp/stdio.js');
      const actor = { acted_by: userName(), address: hostname(), surface: 'mcp' } as const;
      await serveParent(
        { ...desk, version, holdsToken: () => false },
        { reader, principal: `the person ${actor.acted_by}`, actor },
        process,
        signal,
      );
    },
    forwardParent: async (server, signal) =>
      (await import('./surfaces/mcp/forward.js')).forwardParent(server, process, signal),
    tryPlace: async (place) => (await import('./surfaces/http/server.js')).tryPlace(place),
    findServed: () => findServed(toDataDir(variables)),
    announceServed: ({ url, command_token }) =>
      announceServed(toDataDir(variables), { url, pid: process.pid, command_token }),
    diagnose: (world_slug) => diagnoseAll(outside, world_slug),
  };
}

async function readVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The surroundings of a process: the operator's variables, and the log of plugins. */
interface Outside {
  readonly version: string;
  readonly variables: Variables;
  readonly log: Log;
  readonly writeLog: WriteLog;
  readonly metering: Metering;
  readonly authorise: Authorise | undefined;
  /** Of all sources that were opened. */
  readonly cleaners: Set<Sources['withoutSecrets']>;
}

async function openJsonLog(write: (line: string) => void): Promise<WriteLog> {
  const { openJsonLog: open } = await import('./json-log.js');
  return open(write);
}

interface Parts {
  readonly authoring: Authoring;
  readonly validateShape: ValidateDocument;
  readonly sources: Sources;
}

/** Given answers, sources have no plugin's code and no way out: the one seam of dry runs. */
interface PartsOptions extends EngineOptions {
  readonly answerCall?: AnswerCall;
  readonly makeCallback?: MakeCallback;
  readonly flight_limits?: FlightLimits;
}

async function openParts(
  { variables, log, authorise, cleaners }: Outside,
  { variables: overlay, ...options }: PartsOptions,
): Promise<Parts> {
  const [{ createValidateDocument }, { askAuthoriser, openSources }, schemas] = await Promise.all([
    import('./schema/index.js'),
    import('./sources/index.js'),
    (openedSchemas ??= openSchemas()),
  ]);
  const { shippedSchemas, compileSchema, validateShape } = schemas;
  const user_folder = toUserFolder(variables);
  const authoriser = toAuthoriser(variables);
  const asked = [authoriser && askAuthoriser(authoriser), authorise].flatMap((ask) => ask ?? []);
  const sources = await openSources({
    authorise: asked,
    connection_store: connectionsOf(variables, validateShape),
    ...toPluginPlaces(variables, process.cwd()),
    findConfirmed: (folder) => findConfirmed(user_folder, folder),
    lookUp: (name) => variables[name],
    own_secrets: [...listOwnSecrets(variables), ...(await listKeptTokens(variables))],
    own_folders: [toDataDir(variables), toSigningKeyFile(variables), user_folder].filter((path) => path !== undefined),
    ...options,
    ...present({ overlay }),
    compileSchema,
    validateManifest: (value) => validateShape('plugin_manifest', value),
    clock,
    log,
  });
  cleaners.add(sources.withoutSecrets);
  const { catalogue } = sources;
  return {
    sources,
    validateShape,
    authoring: {
      compileSchema,
      validateShape,
      validateDocument: createValidateDocument(validateShape, catalogue.plugins, catalogue.problems),
      catalogue,
      package_root: PACKAGE_ROOT,
      shippedSchemas,
    },
  };
}

function connectionsOf(variables: Variables, validateShape: ValidateDocument): OperatorConnections {
  const validate: Validate = (value) => validateShape('connection', value);
  return openConnections({
    variables,
    validate,
    user_folder: toUserFolder(variables),
    key: toConnectionsKey(variables),
  });
}

/** The tokens that `serve` has made. */
async function listKeptTokens(variables: Variables): Promise<readonly Secret[]> {
  const { token, operator_token } = (await findKeptTokens(toTokensFile(variables))) ?? {};
  return [
    ...(token === undefined ? [] : [{ variable: 'CHUKWA_TOKEN', value: token }]),
    ...(operator_token === undefined ? [] : [{ variable: 'CHUKWA_OPERATOR_TOKEN', value: operator_token }]),
  ];
}

/**
 * Compiled once in a process, however many engines it opens: that takes most of the time of a command. Compiled schemas are
 * found by their content, so that no engine sees another's.
 */
let openedSchemas: Promise<Schemas> | undefined;

/** The shipped schemas, and the validator of values against one of them. */
async function openSchemas(): Promise<Schemas> {
  const { createCompileSchema, createValidateShape } = await import('./schema/index.js');
  const shippedSchemas = await loadShippedSchemas(join(PACKAGE_ROOT, 'schemas'));
  const compileSchema = createCompileSchema();
  return { shippedSchemas, compileSchema, validateShape: createValidateShape(shippedSchemas, compileSchema) };
}

interface Schemas extends Pick<Authoring, 'shippedSchemas' | 'compileSchema'> {
  readonly validateShape: ValidateDocument;
}

async function withSources<Value>(
  outside: Outside,
  task: (sources: OpenSources) => Promise<Value>,
  options: Pick<EngineOptions, 'variables' | 'model'>,
): Promise<Value> {
  const { authoring, sources } = await openParts(outside, options);
  const { callSource, listVariations, findModel, testConnection } = sources;
  const { metering } = outside;
  try {
    const withinDay: OpenSources['withinDay'] = (use) => withDayBudget(outside, sources, use);
    return await task({ authoring, callSource, listVariations, findModel, testConnection, metering, withinDay });
  } finally {
    await sources.close();
  }
}

async function withDayBudget<Value>(
  outside: Outside,
  sources: Sources,
  task: (callSource: CallSource) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const of_day = toDayBudget(outside.variables);
  if (!of_day.ok) return of_day;
  const limits = of_day.value;
  if (limits === undefined) return task(sources.callSource);
  const price = await openPrice(sources, limits.money === undefined ? undefined : outside.metering);
  if (!price.ok) return price;
  const { callWithinBudgets } = await import('./runtime/kept-budgets.js');
  const program = { price: price.value };
  return whileOpen(await openArchive(outside, toStoreConfiguration(outside.variables)), ({ store }) => {
    return task((command, context, recorder) => {
      // One question says nothing about how long the answer to another will be.
      const parts = { clock, budgets: { store: store.budgets, outputs: new Map(), of_day: limits } };
      const generating = { command, program, call_id: clock.uuid(), signal: context.signal };
      return callWithinBudgets(parts, generating, (limited) => sources.callSource(limited, context, recorder));
    });
  });
}

/** The catalogue reads files only; a plugin on the bench has its code imported. */
async function openWorkshop(outside: Outside): Promise<Workshop> {
  const [{ createPreparePlugin }, { authoring, sources, validateShape }] = await Promise.all([
    import('./sources/index.js'),
    openParts(outside, {}),
  ]);
  await sources.close();
  const preparePlugin = createPreparePlugin({
    compileSchema: authoring.compileSchema,
    validateManifest: (value) => validateShape('plugin_manifest', value),
    clock,
  });
  const validateExamples: Validate = (value) => validateShape('plugin_conformance', value);
  const user_folder = toUserFolder(outside.variables);
  return { catalogue: authoring.catalogue, user_folder, preparePlugin, validateExamples };
}

async function openArchive(
  { metering }: Outside,
  configuration: StoreConfiguration,
  use: 'to_read' | 'to_write' = 'to_write',
): Promise<Outcome<OpenArchive>> {
  const { openStore, openToRead } = await import('./store/open-store.js');
  const opened = await (use === 'to_read' ? openToRead : openStore)(configuration);
  if (!opened.ok) return refuse(...(await nameServer(configuration.data_dir, opened.problems)));
  const store = opened.value;
  return { ok: true, value: { store, metering, close: () => store.database.close() } };
}

async function openEngine(outside: Outside, options: EngineOptions): Promise<Outcome<Engine>> {
  const { variables } = outside;
  const callbacks = await openCallbacks(variables);
  if (!callbacks.ok) return callbacks;
  const limits = toFlightLimits(variables);
  if (!limits.ok) return limits;
  const of_day = toDayBudget(variables);
  if (!of_day.ok) return of_day;
  const wanted = toTelemetrySettings(variables);
  if (!wanted.ok) return wanted;
  const parts = openParts(outside, { ...options, ...callbacks.value, flight_limits: limits.value });
  const opening = openArchive(outside, toStoreConfiguration(variables));
  const joined = await joinEngine(opening, parts, toWantedDoorbell(variables));
  if (!joined.ok) return joined;
  const engine =
    options.model_at === undefined ? bounded(joined.value, of_day.value) : bounded(unpaid(joined.value), undefined);
  if (wanted.value === undefined) return { ok: true, value: engine };
  return { ok: true, value: observed(engine, await openTelemetry(outside, wanted.value)) };
}

/** What answers in the place of models costs nothing. */
function unpaid(engine: Engine): Engine {
  return { ...engine, openPrice: async () => ({ ok: true, value: () => 0 }) };
}

/** With the budgets that are kept in the database. A dry run spends nothing of them. */
function bounded(engine: Engine, of_day: Limits | undefined): Engine {
  const budgets = { store: engine.store.budgets, outputs: new Map(), ...present({ of_day }) };
  return { ...engine, runtime: { ...engine.runtime, budgets } };
}

/** Where the operator asks for none, nothing of it is loaded. */
async function openTelemetry({ version, writeLog }: Outside, settings: TelemetrySettings): Promise<Telemetry> {
  const { openTelemetry: open } = await import('./telemetry/index.js');
  return open(settings, { service_version: version, now: clock.now }, (text) => writeLog('warn', text, {}));
}

function observed(engine: Engine, telemetry: Telemetry): Engine {
  return {
    ...engine,
    runtime: { ...engine.runtime, observe: telemetry.observe },
    close: async () => {
      await engine.close();
      await telemetry.close();
    },
  };
}

/** An engine whose sources answer what was written, on a database that is thrown away. */
async function openDryEngine(outside: Outside, answerCall: AnswerCall, url = 'memory:'): Promise<Outcome<Engine>> {
  const configuration = { ...toStoreConfiguration(outside.variables), url };
  const opened = await joinEngine(openArchive(outside, configuration), openParts(outside, { answerCall }), {
    kind: 'process',
  });
  if (!opened.ok) return opened;
  const { runtime, ...engine } = unpaid(opened.value);
  const attempts = { ...runtime.attempts, askApproval: decideByAnswers(answerCall) };
  // A dry run gains nothing from a wait before a retry.
  return { ok: true, value: { ...engine, runtime: { ...runtime, attempts, chooseWait: () => 0 } } };
}

async function joinEngine(
  opening: Promise<Outcome<OpenArchive>>,
  loading: Promise<Parts>,
  wanted: WantedDoorbell,
): Promise<Outcome<Engine>> {
  const [opened, { authoring, sources }] = await Promise.all([opening, loading]);
  if (!opened.ok) {
    await sources.close();
    return opened;
  }
  const { store, metering, close } = opened.value;
  if (sources.refused.length > 0) {
    await Promise.all([sources.close(), close()]);
    return refuse(...sources.refused);
  }
  return {
    ok: true,
    value: {
      authoring,
      store,
      ...present({ metering }),
      replaceSecrets: sources.replaceSecrets,
      findObstacle: sources.findObstacle,
      openPrice: () => openPrice(sources, metering),
      findModel: sources.findModel,
      runtime: {
        attempts: store.attempts,
        callSource: sources.callSource,
        receiveReport: sources.receiveReport,
        inbox: store.inbox,
        pending: store.pending,
        clock,
        holder: { host: hostname(), pid: process.pid },
        // A process of another machine is taken for living until its lease ends.
        isAlive: ({ host, pid }) => host !== hostname() || isRunning(pid),
        findFault: (error) => store.database.findFault(error),
        plugin_versions: Object.fromEntries(authoring.catalogue.plugins.map((plugin) => [plugin.name, plugin.version])),
      },
      openDoorbell: () => openDoorbell(wanted, store),
      startHeartbeat: ({ lease_ms }) => store.shared?.startHeartbeat(toHeartbeatSettings(lease_ms)),
      programs: new Map(),
      close: async () => {
        await sources.close();
        await close();
      },
    },
  };
}

/** Prices by source: they are those of the moment at which they are asked for. */
async function openPrice(
  { findModel }: Pick<Sources, 'findModel'>,
  metering: Metering | undefined,
): ReturnType<Engine['openPrice']> {
  const opened = await metering?.openPrices();
  if (opened?.ok !== true) return opened ?? { ok: true, value: () => null };
  const { costOf } = opened.value;
  return {
    ok: true,
    value: (source, usage) => {
      const { model, endpoint_origin } = findModel(source);
      return costOf(usage, model, endpoint_origin, clock.now());
    },
  };
}

function openMetering(prices_file: string | undefined): Metering {
  let prices: ReturnType<Metering['openPrices']> | undefined;
  return {
    openPrices: () => (prices ??= openPrices(prices_file)),
    openTokenizers: async (models) => (await import('./metering/tokenizers.js')).openTokenizers(models),
  };
}

/** The prices that ship, and before them the operator's own. */
async function openPrices(file: string | undefined): ReturnType<Metering['openPrices']> {
  const { openPriceBook: open } = await import('./metering/price-book.js');
  if (file === undefined) return { ok: true, value: open() };
  const { validateShape } = await (openedSchemas ??= openSchemas());
  const prices = await readPriceFile(file, (value) => validateShape('prices', value));
  return prices.ok ? { ok: true, value: open({ file, prices: prices.value }) } : prices;
}

function openDoorbell(wanted: WantedDoorbell, store: Store): Outcome<Doorbell> {
  const chosen = chooseDoorbell(wanted, store.shared);
  return chosen.ok ? chosen : refuse(...chosen.problems);
}

/** Where services may answer later, if the operator says where that is. */
async function openCallbacks(variables: Variables): Promise<Outcome<Pick<PartsOptions, 'makeCallback'>>> {
  const public_url = toPublicUrl(variables);
  if (!public_url.ok) return public_url;
  if (public_url.value === undefined) return { ok: true, value: {} };
  const tokens = await loadTokens(variables);
  return tokens.ok ? { ok: true, value: { makeCallback: callbacksAt(public_url.value, tokens.value) } } : tokens;
}

function loadTokens(variables: Variables): Promise<Outcome<LoadedTokens>> {
  return load({ ...toTokens(variables), file: toTokensFile(variables) });
}

async function openSigner(variables: Variables): Promise<Outcome<Signer>> {
  const [{ loadSigningKey }, { runOperatorCommand }] = await Promise.all([
    import('./operations/evidence/signing-key.js'),
    import('./sources/operator-command.js'),
  ]);
  const key = await loadSigningKey(toSigningKeyFile(variables));
  if (!key.ok) return key;
  const named = toAnchor(variables);
  const anchor: Signer['anchor'] =
    named?.kind === 'command'
      ? { kind: 'command', give: (note, signal) => runOperatorCommand(named.command, note, signal) }
      : named;
  return { ok: true, value: { key: key.value, anchor } };
}

/** The services and models on loopback are no part of the engine: it loads them here, and only when a command needs them. */
const loadToys = () => import('../fixtures/toys/stages.js');

async function startScriptedModel(answersFile: string, portBase?: number): Promise<Outcome<Stage>> {
  const [{ startScriptedStage }, { validateShape }] = await Promise.all([loadToys(), openSchemas()]);
  const stage = await startScriptedStage(answersFile, (value) => validateShape('answers', value), portBase);
  return stage.ok ? stage : refuse(...stage.problems);
}

/** Only looks: no database is changed and no service is called. */
async function diagnoseAll(outside: Outside, world_slug: string | undefined): Promise<readonly Diagnosis[]> {
  const { variables } = outside;
  const [{ authoring, sources }, { createExamineOrigin }, { inspectDatabase }, { findServer }] = await Promise.all([
    openParts(outside, {}),
    import('./sources/index.js'),
    import('./store/inspect.js'),
    import('./store/doorbell/server-doorbell.js'),
  ]);
  await sources.close();
  const settings = [toFlightLimits(variables), toDayBudget(variables), toPublicUrl(variables)];
  const lookUp = (name: string): string | undefined => variables[name] || undefined;
  return diagnose({
    refused: [...sources.refused, ...settings.flatMap((setting) => (setting.ok ? [] : setting.problems))],
    node_version: process.version,
    lookUp,
    catalogue: authoring.catalogue,
    examineOrigin: createExamineOrigin(lookUp),
    inspectDatabase: () => inspectDatabase(toStoreConfiguration(variables), world_slug),
    world_slug,
    openDoorbell: () => chooseDoorbell(toWantedDoorbell(variables), findServer(toStoreConfiguration(variables).url)),
  });
}

import { present } from './contract/present.js';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINE_VARIABLES, type EngineVariable } from './contract/engine-variables.js';
import { type Outcome, problem, type Problem, refuse } from './contract/problem.js';
import { sha256 } from './core/content/sha256.js';
import { findInvisible, listSecretParts } from './core/content/variable-value.js';
import { toMoney } from './core/cost/money.js';
import type { Limits } from './core/protocol/amounts.js';
import type { WantedDoorbell } from './doorbells/choose-doorbell.js';
import type { ServePlace } from './operations/composition.js';
import type { Authoriser } from './sources/index.js';
import type { HeartbeatSettings } from './ports/heartbeat.js';
import { decodeLeniently, isKeyLike, listKeyParts, type Secret } from './sources/secrets.js';
import type { FlightLimits, PluginPlaces } from './sources/index.js';
import type { Receiver, TelemetrySettings } from './telemetry/index.js';
import type { StoreConfiguration } from './store/open-store.js';

/** Environment variables, as the operator set them. An empty one counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Those that the engine reads for itself: no other can be read here. */
export type Settings = { readonly [Name in EngineVariable | `OTEL_${string}`]?: string | undefined };

/** What a process was given, without white space at the ends: a file and a `Secret` of Kubernetes often end in a line break. */
export function readVariables(given: Variables): Variables {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value?.trim()]));
}

/** Where this program's own files are, from source and compiled alike. */
const CODE_ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
export const PACKAGE_ROOT = basename(CODE_ROOT) === 'dist' ? dirname(CODE_ROOT) : CODE_ROOT;

/** Which remarks of plugins are written. */
export function toLogLevel(variables: Settings): 'debug' | 'warn' {
  return variables['CHUKWA_LOG'] === 'debug' ? 'debug' : 'warn';
}

/** Lines for people, or JSON for programs. */
export type LogFormat = 'text' | 'json';

/** How logs are written. */
export function toLogFormat(variables: Settings): LogFormat {
  return variables['CHUKWA_LOG_FORMAT'] === 'json' ? 'json' : 'text';
}

/** The settings of telemetry, by the variables that OpenTelemetry defines; undefined without any. */
export function toTelemetrySettings(variables: Settings): Outcome<TelemetrySettings | undefined> {
  if (variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return { ok: true, value: undefined };
  const traces = toReceiver(variables, 'traces');
  const metrics = toReceiver(variables, 'metrics');
  const named = [traces, metrics].filter((receiver) => receiver !== undefined);
  if (named.length === 0) return { ok: true, value: undefined };
  const wrong = new Set(named.filter(({ url }) => !isHttpUrl(url)).map(({ variable }) => variable));
  const problems = [
    ...[...wrong].map((variable) => problem('TELEMETRY_URL_INVALID', { variable }, { details: { variable } })),
    ...OTLP_HEADERS.flatMap((name) => findUnsent(name, variables)),
  ];
  if (problems.length > 0) return refuse(...problems);
  const value = {
    ...present({ traces, metrics }),
    sampled_ratio: toSampledRatio(variables),
    has_contents: variables['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.toLowerCase() === 'true',
  };
  return { ok: true, value };
}

/** The destination of a signal, and the variable that names it. */
interface NamedReceiver extends Receiver {
  readonly variable: string;
}

/** A signal goes to its own URL, or to a path of the common one. Only OTLP over HTTP, as protobuf, is supported. */
function toReceiver(variables: Settings, signal: 'traces' | 'metrics'): NamedReceiver | undefined {
  const name = signal === 'traces' ? 'TRACES' : 'METRICS';
  if ((variables[`OTEL_${name}_EXPORTER`] || 'otlp') !== 'otlp') return undefined;
  const headers = {
    ...readHeaders(variables['OTEL_EXPORTER_OTLP_HEADERS']),
    ...readHeaders(variables[`OTEL_EXPORTER_OTLP_${name}_HEADERS`]),
  };
  const own = `OTEL_EXPORTER_OTLP_${name}_ENDPOINT` as const;
  const own_url = variables[own];
  if (own_url) return { url: own_url, variable: own, headers };
  const common = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const common_url = variables[common];
  if (!common_url) return undefined;
  return { url: `${common_url.replace(/\/+$/, '')}/v1/${signal}`, variable: common, headers };
}

const OTLP_HEADERS = (Object.keys(ENGINE_VARIABLES) as EngineVariable[]).filter(
  (variable) => ENGINE_VARIABLES[variable] === 'headers',
);

/** Headers as OpenTelemetry writes them: `name=value` pairs with commas between, percent-encoded. */
function readHeaders(written = ''): Readonly<Record<string, string>> {
  const pairs = written.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    const read = [name, value.join('=')].map((part) => decodeLeniently(part.trim())) as [string, string];
    return read.includes('') ? [] : [read];
  });
  return Object.fromEntries(pairs);
}

function findUnsent(variable: EngineVariable, variables: Settings): readonly Problem[] {
  const found = Object.values(readHeaders(variables[variable])).flatMap((value) => findInvisible(value) ?? []);
  return found.map((what) =>
    problem('INVISIBLE_CHARACTER', { variable, found: what, in_header: true }, { details: { variable } }),
  );
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** Whether nobody on the way can change what comes from a URL: it is https, or of this machine. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}

/** By OTEL_TRACES_SAMPLER. No attempt has a parent outside, so that those which ask for one mean the same. */
function toSampledRatio(variables: Settings): number {
  const sampler = (variables['OTEL_TRACES_SAMPLER'] || 'always_on').replace(/^parentbased_/, '');
  if (sampler === 'always_off') return 0;
  const ratio = Number(variables['OTEL_TRACES_SAMPLER_ARG'] || 1);
  return sampler === 'traceidratio' && ratio >= 0 && ratio <= 1 ? ratio : 1;
}

/** The tokens that the operator has set. */
export function toTokens(variables: Settings): { readonly token?: string; readonly operator_token?: string } {
  const token = variables['CHUKWA_TOKEN'] || undefined;
  const operator_token = variables['CHUKWA_OPERATOR_TOKEN'] || undefined;
  return present({ token, operator_token });
}

/** The engine's own secrets: tokens, the passwords of URLs, and headers of receivers. */
export function listOwnSecrets(variables: Settings): readonly Secret[] {
  return (Object.keys(ENGINE_VARIABLES) as EngineVariable[]).flatMap((variable) => {
    const [kind, value] = [ENGINE_VARIABLES[variable], variables[variable] || undefined];
    if (kind === 'setting' || value === undefined) return [];
    if (kind === 'secret') return [{ variable, value }];
    if (kind === 'headers')
      return Object.values(readHeaders(value))
        .flatMap(listSecretParts)
        .map((part) => ({ variable, value: part }));
    return listUrlSecrets(value)
      .flatMap((part) => [part, decodeLeniently(part)])
      .map((spelled) => ({ variable, value: spelled }));
  });
}

/** The parts of a URL that let somebody in: its password, and what looks like a key as a user, in the path or in the query. */
function listUrlSecrets(text: string): readonly string[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const query = [...url.searchParams].filter(
    ([name, value]) => /pass|key|token|secret/i.test(name) || isKeyLike(value),
  );
  return [url.password, ...[url.username].filter(isKeyLike), ...listKeyParts(url), ...query.map(([, value]) => value)];
}

/** The folder of the embedded database. */
export function toDataDir(variables: Settings): string {
  return resolve(variables['CHUKWA_DATA_DIR'] || '.chukwa');
}

/**
 * The folder of what this user has decided, which no other folder can bring along: tokens, and confirmed plugins.
 * @returns undefined where the environment names none. A relative one would lie in the working folder, and counts as not set.
 */
export function toUserFolder(variables: Settings): string | undefined {
  const home = variables['HOME'] && join(variables['HOME'], '.config');
  const named = [variables['XDG_CONFIG_HOME'], home, variables['APPDATA']];
  const folder = named.find((path) => path !== undefined && isAbsolute(path));
  return folder && join(folder, 'chukwa');
}

/** The key of the file of connections. */
export function toConnectionsKey(variables: Settings): string | undefined {
  return variables['CHUKWA_CONNECTIONS_KEY'] || undefined;
}

/** The file of the tokens for a data folder, which is in no folder that could bring its own. */
export function toTokensFile(variables: Settings): string | undefined {
  const folder = toUserFolder(variables);
  return folder && join(folder, 'tokens', `${sha256(toDataDir(variables)).slice(0, 16)}.json`);
}

/** The database to open, and the user that migrates it. */
export function toStoreConfiguration(variables: Settings): StoreConfiguration {
  const url = variables['CHUKWA_DATABASE_URL'];
  return {
    ...present({ url }),
    data_dir: toDataDir(variables),
    migrations_dir: join(PACKAGE_ROOT, 'migrations'),
    template_file: join(PACKAGE_ROOT, 'dist', 'template.tar.gz'),
  };
}

/** The file of the key that signs checkpoints; undefined where the operator has to name one for a database server. */
export function toSigningKeyFile(variables: Settings): string | undefined {
  const named = variables['CHUKWA_SIGNING_KEY'] || undefined;
  if (named !== undefined) return resolve(named);
  return variables['CHUKWA_DATABASE_URL'] ? undefined : join(toDataDir(variables), 'signing-key.pem');
}

/** The anchor of checkpoints: a file, or a command after `|`. @returns undefined without one */
export function toAnchor(
  variables: Settings,
):
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'command'; readonly command: string }
  | undefined {
  const named = variables['CHUKWA_ANCHOR'] || undefined;
  if (named === undefined) return undefined;
  return named.startsWith('|') ? { kind: 'command', command: named.slice(1) } : { kind: 'file', file: resolve(named) };
}

/** The operator's authorisation: a URL, or a command after `|`. It is asked before each call. @returns undefined without one */
export function toAuthoriser(variables: Settings): Authoriser | undefined {
  const named = variables['CHUKWA_AUTHORISE'] || undefined;
  if (named === undefined) return undefined;
  return named.startsWith('|') ? { kind: 'command', command: named.slice(1) } : { kind: 'url', url: named };
}

/** An event loop that has not turned for so long is taken for hung: its leases are no longer renewed. */
const HANG_MS = 300_000;

/**
 * How leases are kept. The process of a hung loop is ended after its leases, when others have continued its attempts,
 * because it handles no signal. The thread is compiled code, however the rest is run.
 */
export function toHeartbeatSettings(lease_ms: number): HeartbeatSettings {
  const program = join(PACKAGE_ROOT, 'dist', 'engine', 'store', 'heartbeat', 'beat-thread.js');
  return { lease_ms, hang_ms: HANG_MS, end_ms: HANG_MS + 2 * lease_ms, program };
}

/**
 * Plugins that ship, those that the operator names, packages installed beside this one, and those of the working folder,
 * which a person has to confirm. Those that ship are compiled, however the rest is run: an attempt is continued only by the code that it began with.
 * @param working the folder that the program was started in
 */
export function toPluginPlaces(variables: Settings, working: string): PluginPlaces {
  const beside = dirname(PACKAGE_ROOT);
  const named = (variables['CHUKWA_PLUGIN_PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return {
    folders: [join(PACKAGE_ROOT, 'dist', 'plugins'), ...named.map((folder) => resolve(folder))],
    sources_folder: join(PACKAGE_ROOT, 'plugins'),
    package_folders: [basename(beside) === 'node_modules' ? beside : join(PACKAGE_ROOT, 'node_modules')],
    ...present({ working_folder: working === PACKAGE_ROOT ? undefined : working }),
  };
}

/** The operator's own prices of models; undefined where the prices that ship are all. */
export function toPricesFile(variables: Settings): string | undefined {
  const named = variables['CHUKWA_PRICES'];
  return named ? resolve(named) : undefined;
}

/** How many calls this process makes at a time, and how many of them to each endpoint. */
export function toFlightLimits(variables: Settings): Outcome<FlightLimits> {
  const named = { process: 'CHUKWA_MAX_IN_FLIGHT', endpoint: 'CHUKWA_ENDPOINT_MAX_IN_FLIGHT' } as const;
  const set = Object.entries(named).flatMap(([limit, name]) => {
    const said = variables[name] || undefined;
    return said === undefined ? [] : [{ limit, name, said }];
  });
  const wrong = set.filter(({ said }) => !/^[1-9]\d{0,5}$/.test(said));
  if (wrong.length > 0)
    return refuse(
      ...wrong.map(({ name: variable }) => problem('FLIGHT_LIMIT_INVALID', { variable }, { details: { variable } })),
    );
  return { ok: true, value: Object.fromEntries(set.map(({ limit, said }) => [limit, Number(said)])) };
}

/** What all worlds may use in one day; undefined where the operator sets no limit. */
export function toDayBudget(variables: Settings): Outcome<Limits | undefined> {
  const [tokens, usd] = [variables['CHUKWA_BUDGET_TOKENS'] || undefined, variables['CHUKWA_BUDGET_USD'] || undefined];
  const wrong = [
    ...(tokens === undefined || /^[1-9]\d{0,14}$/.test(tokens) ? [] : ['CHUKWA_BUDGET_TOKENS']),
    ...(usd === undefined || (/^\d{1,6}(\.\d{1,6})?$/.test(usd) && Number(usd) > 0) ? [] : ['CHUKWA_BUDGET_USD']),
  ];
  if (wrong.length > 0)
    return refuse(...wrong.map((variable) => problem('BUDGET_INVALID', { variable }, { details: { variable } })));
  if (tokens === undefined && usd === undefined) return { ok: true, value: undefined };
  const money = usd === undefined ? undefined : toMoney(Number(usd));
  return { ok: true, value: present({ tokens: tokens === undefined ? undefined : Number(tokens), money }) };
}

/** The doorbell that the operator wants. */
export function toWantedDoorbell(variables: Settings): WantedDoorbell {
  const nats_url = variables['CHUKWA_NATS_URL'] || undefined;
  return { kind: variables['CHUKWA_DOORBELL'] || 'auto', ...present({ nats_url }) };
}

const SERVE_PORT = 4747;

/** Where `serve` listens. */
export function toServePlace(variables: Settings): Outcome<ServePlace> {
  const port = variables['CHUKWA_PORT'] || String(SERVE_PORT);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return refuse(problem('PORT_INVALID'));
  const public_url = (variables['CHUKWA_PUBLIC_URL'] || undefined)?.replace(/\/+$/, '');
  const host = variables['CHUKWA_HOST'] || '127.0.0.1';
  const issuer = variables['CHUKWA_OAUTH_ISSUER'] || undefined;
  if (issuer !== undefined && !isSafeUrl(issuer))
    return refuse(problem('OAUTH_ISSUER_INVALID', undefined, { details: { variable: 'CHUKWA_OAUTH_ISSUER' } }));
  const consumers_read_only = [undefined, '', '0', 'false'].includes(variables['CHUKWA_CONSUMERS_READ_ONLY'])
    ? undefined
    : true;
  return { ok: true, value: { host, port: Number(port), ...present({ public_url, issuer, consumers_read_only }) } };
}

/** Where services reach `serve`, to answer later; undefined where the operator names no such place. */
export function toPublicUrl(variables: Settings): Outcome<string | undefined> {
  const url = variables['CHUKWA_PUBLIC_URL'] || undefined;
  if (url === undefined || isHttpUrl(url)) return { ok: true, value: url };
  return refuse(problem('PUBLIC_URL_INVALID', undefined, { details: { variable: 'CHUKWA_PUBLIC_URL' } }));
}

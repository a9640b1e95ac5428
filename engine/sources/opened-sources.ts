import { present } from '../contract/present.js';
import type { JsonObject } from '../contract/json.js';
import type { Outcome } from '../contract/problem.js';
import type { Alarm, Capabilities, LogLevel, Source, SourcePlugin } from '../contract/source.js';
import type { SourceProgram } from '../core/protocol/program.js';
import type { Broker } from './connections/broker.js';
import type { Credentials } from './connections/credentials.js';
import type { Clock } from '../ports/clock.js';
import type { Callback } from '../ports/sources.js';
import { findCallBounds, withinClosing } from './call-bounds.js';
import type { Children } from './children.js';
import { fillPath } from './fill-path.js';
import { bindFolder } from './folder.js';
import { noLongerThan } from './no-longer-than.js';
import type { LookUpVariable } from './origin.js';
import type { OriginFetches } from './origin-fetch.js';
import { parseAnswer } from './given.js';
import type { Route } from './passage.js';
import { findProxy } from './proxy.js';
import type { DescribedPlugin } from './registry.js';
import { createSecretReplacer, isKeyLike, type Secret, type SecretReplacer } from './secrets.js';
import { makeSourceFailure } from './source-failure.js';
import { shorten } from '../core/content/shorten.js';
import { listSecretParts } from '../core/content/variable-value.js';

/** The most that a message quotes of another side. */
const QUOTE_LENGTH_MAX = 500;

/** A line that a plugin, or a program that it talks to, logs. Its secrets are replaced. */
export interface Remark {
  readonly plugin: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly details?: JsonObject;
}

export type Log = (remark: Remark) => void;

export type GetPlugin = (plugin: DescribedPlugin) => Promise<Outcome<SourcePlugin>>;

export interface OpenedSourcesParts {
  readonly plugins: readonly DescribedPlugin[];
  readonly getPlugin: GetPlugin;
  /** The operator's environment; an empty value counts as not set. */
  readonly lookUp: LookUpVariable;
  readonly fetches: Pick<OriginFetches, 'bind'>;
  readonly children: Pick<Children, 'bind'>;
  readonly broker: Pick<Broker, 'secretsOf'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly alarm: Alarm;
  readonly log: Log;
  /** The engine's, from which no source may read: they hold the tokens and the embedded database. */
  readonly own_folders?: readonly string[];
  /** Of the engine itself: no source is sent them, and none may have them in its record. */
  readonly own_secrets?: readonly Secret[];
}

/** Where a source leads, and the secrets that its interface names. */
type Reach = Pick<Route, 'origin' | 'command' | 'folder' | 'secrets' | 'connection'>;

/** Sources that are open, each definition once. */
export interface OpenedSources {
  /**
   * Knows the secrets of every plugin, all of this route and of a callback, and those of the engine and of the routes that
   * were asked for before, if they look like keys: words of another route's occur in innocent answers.
   */
  secretsOf(route: Reach, callback?: Callback): SecretReplacer;
  /**
   * Opens a source, which imports its plugin's code the first time.
   * @throws SourceFailure where the code cannot be imported, and every error that the plugin throws while it opens
   */
  open(source: SourceProgram, route: Route, credentials?: Credentials): Promise<Source>;
  /** Waits no longer than this for sources that do not end. */
  close(patience_ms?: number): Promise<void>;
}

const CLOSE_PATIENCE_MS = 2_000;

export function createOpenedSources(parts: OpenedSourcesParts): OpenedSources {
  const sources = new Map<string, { readonly opening: Promise<Source>; credentials: Credentials | undefined }>();
  const replacers = new Map<string, SecretReplacer>();
  const shared = new Map((parts.own_secrets ?? []).filter(isShared).map((secret) => [secret.value, secret]));
  const doors = new Map<string, Door>();
  const doorOf = (route: Route): Door => {
    const names = [...Object.keys(route.origin?.headers ?? {}), ...route.secrets.map(({ variable }) => variable)];
    const name = [route.plugin.name, variableOf(route), route.connection, ...names].join(' ');
    const door = doors.get(name) ?? openDoor(parts, route, () => secretsOf(route));
    doors.set(name, door);
    return door;
  };
  const secretsOf = (route: Reach, callback?: Callback): SecretReplacer => {
    const own = listSecrets(parts, route);
    const others = own.filter((secret) => isShared(secret) && !shared.has(secret.value));
    for (const secret of others) shared.set(secret.value, secret);
    // It does not know these yet.
    if (others.length > 0) replacers.clear();
    const known = [...own, ...shared.values()];
    const token = callback && { variable: 'callback_token', value: callback.token };
    if (token) return createSecretReplacer([...known, token]);
    const name = JSON.stringify(own);
    const replacer = replacers.get(name) ?? createSecretReplacer(known);
    replacers.set(name, replacer);
    return replacer;
  };
  return {
    secretsOf,
    open: (program, route, credentials) => {
      const name = `${program.hash} ${route.connection}`;
      const opened = sources.get(name);
      // The newest end it.
      if (opened) opened.credentials = credentials;
      if (opened) return opened.opening;
      const capabilities = () => ({ ...toolsFor(parts, route, () => secretsOf(route)), ...doorOf(route) });
      const opening = openSource(parts, route, program, capabilities);
      sources.set(name, { opening, credentials });
      // The next call tries again.
      opening.catch(() => sources.delete(name));
      return opening;
    },
    close: async (patience_ms = CLOSE_PATIENCE_MS) => {
      const closing = [...sources.values()].map(({ opening, credentials }) =>
        withinClosing(async () => (await opening).close?.(), credentials),
      );
      sources.clear();
      doors.clear();
      await noLongerThan(patience_ms, Promise.allSettled(closing), parts.alarm);
    },
  };
}

async function openSource(
  { getPlugin }: OpenedSourcesParts,
  { plugin }: Route,
  { label, interface: definition }: SourceProgram,
  capabilities: () => Capabilities,
): Promise<Source> {
  const loaded = await getPlugin(plugin);
  if (loaded.ok) return loaded.value.open({ label, interface: definition }, capabilities());
  const said = loaded.problems.map(({ message, repair }) => [message, repair].filter(Boolean).join('. '));
  throw makeSourceFailure('unavailable', said.join('; '));
}

/** A plugin's capabilities on a route that nothing else shares. */
export function capabilitiesFor(parts: OpenedSourcesParts, route: Route, secrets: SecretReplacer): Capabilities {
  return { ...toolsFor(parts, route, () => secrets), ...openDoor(parts, route, () => secrets) };
}

/** Where a source reaches the outside. Sources of one plugin and one variable share it, and with it a server's memory. */
type Door = Pick<Capabilities, 'origin' | 'spawn' | 'files'>;

function openDoor(
  { fetches, children, log, own_folders }: OpenedSourcesParts,
  { plugin: { name }, origin, command, folder, connection }: Route,
  secrets: () => SecretReplacer,
): Door {
  if (folder) return { files: { read: bindFolder(folder, own_folders) } };
  if (command)
    return {
      spawn: children.bind(command, (line) => log({ plugin: name, level: 'debug', message: secrets().text(line) })),
    };
  if (origin === undefined) return {};
  const { url, endpoint } = origin;
  return { origin: { url, endpoint, fetch: fetches.bind(origin), ...present({ connection }) } };
}

function variableOf({ origin, command, folder }: Reach): string {
  return (origin ?? command ?? folder)?.variable ?? '';
}

function toolsFor(
  { clock, alarm, log, lookUp }: OpenedSourcesParts,
  { plugin, model, secrets: named }: Route,
  secrets: () => SecretReplacer,
): Omit<Capabilities, keyof Door> {
  const names = [...(plugin.manifest.variables ?? []), ...(plugin.manifest.secret_variables ?? [])];
  const handed = named.filter(({ is_attached }) => is_attached !== true);
  const variables = names.flatMap((name) => {
    const value = lookUp(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...present({ model }),
    variables: Object.freeze(
      Object.fromEntries([...variables, ...handed.map((of) => [of.variable, of.value] as const)]),
    ),
    clock: () => clock.now(),
    alarm: toAlarm(alarm),
    log: (message, details, level = 'debug') =>
      log({
        plugin: plugin.name,
        level,
        message: secrets().text(message),
        ...present({ details: details && (secrets().json(details) as JsonObject) }),
      }),
    quote: (said, ending) => shorten(secrets().text(said, ending), QUOTE_LENGTH_MAX),
    parseJson: parseAnswer,
    fillPath,
    failure: makeSourceFailure,
  };
}

/** Where an alarm names its call, it is set when the record of that is durable. */
function toAlarm(alarm: Alarm): Alarm {
  return (after_ms, ring, call) => {
    const durable = call && findCallBounds(call)?.durable;
    if (durable === undefined) return alarm(after_ms, ring);
    let isCancelled = false;
    let cancel = (): void => void (isCancelled = true);
    const set = (): void => {
      if (!isCancelled) cancel = alarm(after_ms, ring);
    };
    // Where there will be no record, the call ends by its signal.
    durable.then(set, () => {});
    return () => cancel();
  };
}

function isShared({ value, is_name }: Secret): boolean {
  return is_name !== true && (isKeyLike(value) || (value.length >= 12 && /[0-9]/.test(value)));
}

function listSecrets({ plugins, lookUp, broker }: OpenedSourcesParts, route: Reach): readonly Secret[] {
  const variables = new Set(plugins.flatMap(({ manifest }) => manifest.secret_variables ?? []));
  const known = [...variables].flatMap((variable) => {
    const value = lookUp(variable);
    return value === undefined ? [] : listSecretParts(value).map((part) => ({ variable, value: part }));
  });
  const proxy = route.origin && findProxy(new URL(route.origin.url), lookUp);
  const ofProxy = proxy?.ok ? (proxy.origin?.secrets ?? []) : [];
  const ofConnection = route.connection === undefined ? [] : broker.secretsOf(route.connection);
  return [...known, ...route.secrets, ...ofConnection, ...((route.origin ?? route.command)?.secrets ?? []), ...ofProxy];
}

import type { JsonObject } from '../contract/json.js';
import type { Capabilities, Source } from '../contract/source.js';
import type { SourceProgram } from '../core/workflow/program.js';
import type { Clock } from '../ports/clock.js';
import type { LookUpVariable } from './origin.js';
import type { OriginFetches } from './origin-fetch.js';
import type { Route } from './passage.js';
import type { LoadedPlugin } from './registry.js';
import { createSecretReplacer, type Secret, type SecretReplacer } from './secrets.js';
import { makeSourceFailure } from './source-failure.js';
import { shorten } from './storable-text.js';

/** Of what another side said, in a message. */
const QUOTE_LENGTH_MAX = 500;

/** Writes a line for the operator. */
export type Log = (message: string, details?: JsonObject) => void;

/** What sources are opened with. */
export interface OpenedSourcesParts {
  readonly plugins: readonly LoadedPlugin[];
  readonly lookUp: LookUpVariable;
  readonly fetches: Pick<OriginFetches, 'bind'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Sources that are open, each definition once. */
export interface OpenedSources {
  /** Knows the secrets of every plugin, and the credentials in the URL of this route. */
  secretsOf(route: Route): SecretReplacer;
  /** @throws SourceFailure, or whatever the plugin throws while it opens */
  open(source: SourceProgram, route: Route): Source;
  close(): Promise<void>;
}

/** Opens sources as they are first asked. */
export function createOpenedSources(parts: OpenedSourcesParts): OpenedSources {
  const sources = new Map<string, Source>();
  const replacers = new Map<string, SecretReplacer>();
  const secretsOf = (route: Route): SecretReplacer => {
    const variable = route.origin?.variable ?? '';
    const replacer = replacers.get(variable) ?? createSecretReplacer(listSecrets(parts, route));
    replacers.set(variable, replacer);
    return replacer;
  };
  return {
    secretsOf,
    open: (program, route) => {
      const opened = sources.get(program.hash);
      if (opened) return opened;
      const source = route.plugin.plugin.open(
        { label: program.label, interface: program.interface },
        capabilitiesFor(parts, route, secretsOf(route)),
      );
      sources.set(program.hash, source);
      return source;
    },
    close: async () => {
      await Promise.allSettled([...sources.values()].map(async (source) => source.close?.()));
      sources.clear();
    },
  };
}

function capabilitiesFor(
  { fetches, clock, log, lookUp }: OpenedSourcesParts,
  { plugin, origin }: Route,
  secrets: SecretReplacer,
): Capabilities {
  const names = [...(plugin.manifest.variables ?? []), ...(plugin.manifest.secret_variables ?? [])];
  const variables = names.flatMap((name) => {
    const value = lookUp(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...(origin ? { origin: { url: origin.url, fetch: fetches.bind(origin) } } : {}),
    variables: Object.freeze(Object.fromEntries(variables)),
    clock: () => clock.now(),
    log: (message, details) => log(secrets.text(message), details && (secrets.json(details) as JsonObject)),
    quote: (said, ending) => shorten(secrets.text(said, ending), QUOTE_LENGTH_MAX),
    failure: makeSourceFailure,
  };
}

function listSecrets({ plugins, lookUp }: OpenedSourcesParts, route: Route): readonly Secret[] {
  const variables = new Set(plugins.flatMap(({ manifest }) => manifest.secret_variables ?? []));
  const known = [...variables].flatMap((variable) => {
    const value = lookUp(variable);
    return value === undefined ? [] : [{ variable, value }];
  });
  return [...known, ...(route.origin?.secrets ?? [])];
}

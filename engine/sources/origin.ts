import type { JsonObject } from '../contract/json.js';
import type { PluginManifest } from '../generated/plugin-manifest.js';
import type { Secret } from './secrets.js';

/** The operator's variables: those that are set to something. */
export type LookUpVariable = (name: string) => string | undefined;

/** Where a source may connect, as the operator said. */
export interface Origin {
  /** The variable that names it; for messages. */
  readonly variable: string;
  /** Without credentials and without a slash at the end; may have a path. */
  readonly url: string;
  /** What the credentials of the URL become. */
  readonly authorization?: string;
  readonly secrets: readonly Secret[];
}

/** The origin, or a sentence that says what is missing and what to do. */
export type OriginOutcome =
  | { readonly ok: true; readonly origin: Origin | undefined }
  | { readonly ok: false; readonly message: string };

/** The origin that a value is, or a sentence that says what is wrong with it. */
export type ParsedOrigin =
  | { readonly ok: true; readonly origin: Origin }
  | { readonly ok: false; readonly message: string };

/** Reads where a source may connect from the variable that the manifest, or the source's interface, names. */
export function resolveOrigin(manifest: PluginManifest, definition: JsonObject, lookUp: LookUpVariable): OriginOutcome {
  const named = manifest.origin;
  if (!named) return { ok: true, origin: undefined };
  if ('interface_field' in named) {
    const variable = definition[named.interface_field];
    if (typeof variable !== 'string')
      return { ok: false, message: `the source does not say its ${named.interface_field}` };
    return fromVariables([variable], undefined, lookUp);
  }
  return fromVariables(named.variables, named.default, lookUp);
}

function fromVariables(
  variables: readonly string[],
  otherwise: string | undefined,
  lookUp: LookUpVariable,
): OriginOutcome {
  const variable = variables.find((name) => lookUp(name) !== undefined);
  const value = variable === undefined ? otherwise : lookUp(variable);
  const name = variable ?? variables[0] ?? 'the default';
  if (value !== undefined) return parseOrigin(name, value);
  const names = variables.join(' or ');
  return { ok: false, message: `${names} is not set: set it to the URL of the service, such as http://127.0.0.1:8080` };
}

/**
 * Reads a variable's value as the place of a service.
 * The value is never shown: an author chooses the variable, and it may be one that holds a secret.
 */
export function parseOrigin(variable: string, value: string): ParsedOrigin {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return { ok: false, message: `${variable} does not hold an http or https URL` };
  if (url.search !== '' || url.hash !== '') {
    return { ok: false, message: `${variable} must hold a URL without a query and without a fragment` };
  }
  const plain = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  if (url.username === '' && url.password === '') return { ok: true, origin: { variable, url: plain, secrets: [] } };
  return { ok: true, origin: { variable, url: plain, ...credentialsOf(variable, url) } };
}

function credentialsOf(variable: string, url: URL): Pick<Origin, 'authorization' | 'secrets'> {
  const [user, password] = [decode(url.username), decode(url.password)];
  const credential = Buffer.from(`${user}:${password}`).toString('base64');
  const values = [user, password, `${user}:${password}`, credential].filter((value) => value !== '');
  return { authorization: `Basic ${credential}`, secrets: values.map((value) => ({ variable, value })) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

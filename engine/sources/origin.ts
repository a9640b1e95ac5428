import { resolve } from 'node:path';
import type { JsonObject } from '../contract/json.js';
import { PERCENT_ENCODE } from '../contract/problems/phrases.js';
import { findInvisible, hasLateAt, listSecretParts } from '../core/content/variable-value.js';
import { appendToken } from '../core/content/json-pointer.js';
import type { OriginFromVariables, PluginManifest } from '../generated/plugin-manifest.js';
import { type Command, parseCommand } from './command.js';
import type { Folder } from './folder.js';
import { decodeLeniently, findShortSecret, listKeyParts, type Secret } from './secrets.js';

/** The operator's variables: those that are set to something. */
export type LookUpVariable = (name: string) => string | undefined;

/** The origin to which a source may connect, by the operator. */
export interface Origin {
  /** The variable that names it; for messages. */
  readonly variable: string;
  /** Without credentials and without a slash at the end; may have a path. */
  readonly url: string;
  /** The same with the slash, if the operator wrote one. */
  readonly endpoint: string;
  /** The `Authorization` header made of the URL's credentials. */
  readonly authorization?: string;
  /** Of each request, by the source's interface. They are secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly secrets: readonly Secret[];
}

/** The found parts, or a sentence with the missing part and the repair. */
export type Found<What> = ({ readonly ok: true } & What) | { readonly ok: false; readonly message: string };

/** The origin, or the command in its place. */
type OriginOutcome = Found<{ readonly origin?: Origin; readonly command?: Command }>;

/** Reads where a source may connect from the variable that the manifest, or the source's interface, names. */
export function resolveOrigin(manifest: PluginManifest, definition: JsonObject, lookUp: LookUpVariable): OriginOutcome {
  const named = manifest.origin;
  if (!named) return { ok: true };
  const variable = named.interface_field === undefined ? undefined : definition[named.interface_field];
  if (typeof variable === 'string') return fromVariables(manifest, { variables: [variable] }, lookUp);
  if ('variables' in named) return fromVariables(manifest, named, lookUp);
  return { ok: false, message: `the source does not say its ${named.interface_field}` };
}

/**
 * Resolves the model: the caller's, where the source lets a variable set it; else the variable's; else the source's.
 */
export function resolveModel(
  { model: fields }: PluginManifest,
  definition: JsonObject,
  lookUp: LookUpVariable,
  chosen?: string,
): Found<{ readonly model: string | undefined }> {
  if (!fields) return { ok: true, model: undefined };
  const variable = fields.variable_field === undefined ? undefined : definition[fields.variable_field];
  const written = definition[fields.interface_field];
  const held = typeof variable === 'string' ? { variable, value: chosen ?? lookUp(variable) } : undefined;
  const model = held?.value ?? (typeof written === 'string' ? written : undefined);
  const unseen = held?.value === undefined ? undefined : findInvisible(held.value);
  if (unseen !== undefined)
    return { ok: false, message: `${held?.variable} holds ${unseen}: set it again without that` };
  if (model !== undefined || fields.variable_field === undefined) return { ok: true, model };
  const name = typeof variable === 'string' ? variable : fields.variable_field;
  return { ok: false, message: `${name} is not set: set it to the name of a model` };
}

/** The headers of each request whose values are in variables that are set. @returns a sentence where one cannot be sent */
export function findSecretHeaders(
  { secret_headers_field: field }: PluginManifest,
  definition: JsonObject,
  lookUp: LookUpVariable,
): Readonly<Record<string, string>> | string | undefined {
  const named = field === undefined ? undefined : (definition[field] as Readonly<Record<string, string>> | undefined);
  if (named === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const [header, variable] of Object.entries(named)) {
    const value = lookUp(variable);
    if (value === undefined) return `${variable} is not set, which holds the header ${header}`;
    if (!isHeaderValue(value)) return `${variable} holds a character that no header may have`;
    headers[header.toLowerCase()] = value;
  }
  return headers;
}

/** Whether a request can send a value in a header: visible ASCII. */
export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value);
}

const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/** The variables that a source's interface names, by the manifest's leave, and that hold secrets. */
export function findNamedSecrets(
  { secret_variable_fields = [], secret_headers_field }: PluginManifest,
  definition: JsonObject,
  lookUp: LookUpVariable,
): readonly Secret[] {
  return secret_variable_fields
    .flatMap((field) => listNames(definition, field).map(({ name }) => [name, field] as const))
    .flatMap(([variable, field]) => {
      const is_attached = field === secret_headers_field ? { is_attached: true as const } : {};
      // The value that is handed over is the last of a name.
      const parts = listSecretParts(lookUp(variable) ?? '').filter((part) => part !== '');
      return parts.map((value) => ({ variable, value, ...is_attached }));
    });
}

/** The variables that an interface member names: one, or those that its members name; each with its pointer. */
export function listNames(
  definition: JsonObject,
  field: string,
): readonly { readonly name: string; readonly pointer: string }[] {
  const named = definition[field];
  if (typeof named === 'string') return [{ name: named, pointer: `/${field}` }];
  if (typeof named !== 'object' || named === null) return [];
  return Object.entries(named).flatMap(([member, name]) =>
    typeof name === 'string' ? [{ name, pointer: appendToken(`/${field}`, member) }] : [],
  );
}

/** The folder from which a source may read, or a sentence that says what is missing; undefined where it reads no files. */
export function resolveFolder(
  { folder }: PluginManifest,
  definition: JsonObject,
  lookUp: LookUpVariable,
): Folder | string | undefined {
  const variable = folder && definition[folder.interface_field];
  if (typeof variable !== 'string') return undefined;
  const path = lookUp(variable);
  return path === undefined
    ? `${variable} is not set: set it to the folder that holds the files`
    : { variable, path: resolve(path) };
}

function fromVariables(
  { spawn = false }: Pick<PluginManifest, 'spawn'>,
  { variables, default: otherwise }: OriginFromVariables,
  lookUp: LookUpVariable,
): OriginOutcome {
  const variable = variables.find((name) => lookUp(name) !== undefined);
  const value = variable === undefined ? otherwise : lookUp(variable);
  const name = variable ?? variables[0] ?? 'the default';
  if (value !== undefined && (!spawn || hasScheme(value))) return parseOrigin(name, value);
  if (value !== undefined) return parseCommand(name, value);
  const names = variables.join(' or ');
  const place = `the URL of the service, such as http://127.0.0.1:8080${spawn ? ', or to the command that starts it' : ''}`;
  return { ok: false, message: `${names} is not set: set it to ${place}` };
}

/** Text with a scheme is meant as a URL, and is refused where it is not a good one. */
export function hasScheme(value: string): boolean {
  return /^\s*[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(value);
}

/**
 * Reads a variable's value as the place of a service.
 * The value is never shown: an author chooses the variable, and it may be one that holds a secret.
 */
export function parseOrigin(variable: string, value: string): Found<{ readonly origin: Origin }> {
  if (hasLateAt(value))
    return { ok: false, message: `${variable} holds a URL with an @ behind its host: ${PERCENT_ENCODE}` };
  const unseen = findInvisible(value.trim());
  if (unseen !== undefined) return { ok: false, message: `${variable} holds ${unseen}: set it again without that` };
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return { ok: false, message: `${variable} does not hold an http or https URL, such as http://127.0.0.1:8080` };
  if (url.search !== '' || url.hash !== '') {
    return { ok: false, message: `${variable} must hold a URL without a query and without a fragment` };
  }
  const path = url.pathname.replace(/\/+$/, '');
  const [user, password] = [decodeLeniently(url.username), decodeLeniently(url.password)];
  // Without a password, the user is what a service knows its client by.
  const refused = findShortSecret([{ variable, value: password === '' ? user : password }]);
  if (refused !== undefined) return { ok: false, message: refused };
  const hasCredentials = user !== '' || password !== '';
  const encoded = hasCredentials ? Buffer.from(`${user}:${password}`).toString('base64') : '';
  const secrets: readonly Secret[] = [user, password, encoded, ...listKeyParts(url)]
    .filter(Boolean)
    .map((value) => ({ variable, value, ...(value === user && password !== '' ? { is_name: true } : {}) }));
  const authorization = `Basic ${encoded}`;
  const endpoint = `${url.origin}${path === '' ? '' : url.pathname}`;
  const origin = { variable, url: `${url.origin}${path}`, endpoint, secrets };
  return { ok: true, origin: hasCredentials ? { ...origin, authorization } : origin };
}

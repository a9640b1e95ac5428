import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText } from '../content/canonical.js';
import { findAt, isList, isObject, pointerTokens, toPointer } from '../content/json-pointer.js';
import type { Message } from '../prompt/message.js';
import { isTrusted, type Origin, originsOfSegment, type SeenSources } from './origin.js';

/** Where the arguments of a call come from. */
export interface Provenance {
  /** The origins of every argument that is not known; `anything`, where nobody says what they are. */
  readonly seen: ReadonlySet<Origin> | 'anything';
  /** The origins of each known argument, by the pointer of its value. */
  readonly known: ReadonlyMap<string, ReadonlySet<Origin>>;
}

/** The provenance of arguments of which nothing is known. */
export const UNTRACED: Provenance = { seen: 'anything', known: new Map() };

/** The origins of each argument, by the pointer of its value, in the alphabet's order; undefined where they are not traced. */
export function listOrigins(
  args: Json,
  provenance: Provenance | undefined,
): Readonly<Record<string, readonly string[]>> | undefined {
  if (provenance === undefined || provenance.seen === 'anything') return undefined;
  const { seen, known } = provenance;
  const pointers = leavesOf(args).map(({ tokens }) => toPointer(tokens));
  return Object.fromEntries(pointers.map((pointer) => [pointer, [...(known.get(pointer) ?? seen)].toSorted()]));
}

/** Where the request of an authored template comes from: what the template does not read from elsewhere is known. */
export function traceTemplate(template: Json, request: Json): Provenance {
  const written = leavesOf(request).filter(({ tokens }) => isLiteral(template, tokens));
  return { ...UNTRACED, known: new Map(written.map(({ tokens }) => [toPointer(tokens), OF_AUTHOR])) };
}

const OF_AUTHOR: ReadonlySet<Origin> = new Set(['author']);

function isLiteral(template: Json | undefined, [token, ...rest]: readonly string[]): boolean {
  if (template === undefined || (isObject(template) && Object.hasOwn(template, '$from'))) return false;
  return token === undefined || isLiteral(findAt(template, [token]), rest);
}

/** What a model was shown, and what else makes an argument known. */
export interface Shown {
  readonly messages: readonly Pick<Message, 'segments'>[];
  readonly sources: SeenSources;
  /** Of the arguments, as their author wrote it. */
  readonly schema: JsonObject;
  /** The ids of the entities that the subject is shown. */
  readonly roster: ReadonlySet<string>;
}

/**
 * Where the arguments come from that a model has chosen. A value is known where it is a constant of the schema, an id of
 * the roster, or a whole word of a text that only trusted origins wrote; any other may come from all that the model saw.
 */
export function traceArguments(args: Json, { messages, sources, schema, roster }: Shown): Provenance {
  const segments = messages.flatMap((message) => message.segments);
  const seen = new Set<Origin>(['model']);
  const trusted: { readonly text: string; readonly origins: readonly Origin[] }[] = [];
  for (const { origin, text } of segments) {
    const origins = originsOfSegment(origin, sources);
    for (const each of origins) seen.add(each);
    // Descriptions and schemas repeat words of every kind; only what its author wrote as a text makes a value known.
    if (origin !== 'schema' && isTrusted(origins)) trusted.push({ text, origins });
  }
  const known = new Map<string, ReadonlySet<Origin>>();
  for (const { tokens, value } of leavesOf(args)) {
    const declared = declaredAt(schema, schema, tokens);
    const origins = declared && findKnown(value, { constants: constantsOf(declared), roster, trusted });
    if (origins !== undefined) known.set(toPointer(tokens), origins);
  }
  return { seen, known };
}

interface Trusted {
  readonly constants: readonly Json[];
  readonly roster: ReadonlySet<string>;
  readonly trusted: readonly { readonly text: string; readonly origins: readonly Origin[] }[];
}

function findKnown(value: Json, { constants, roster, trusted }: Trusted): ReadonlySet<Origin> | undefined {
  const written = canonicalText(value);
  if (constants.some((constant) => canonicalText(constant) === written)) return OF_AUTHOR;
  if (typeof value === 'string' && roster.has(value)) return new Set(['scenario']);
  // Any text has a word such as true, or nothing: that does not make it the source of an argument.
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = typeof value === 'string' ? value : written;
  const origins = trusted.find(({ text }) => holdsWord(text, word))?.origins;
  return origins && new Set(origins);
}

/** Whether a text holds a word, with nothing beside it that could belong to a longer one. */
function holdsWord(text: string, word: string): boolean {
  if (word.trim() === '') return false;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!CONTINUES_BEFORE.test(text.slice(Math.max(0, at - 4), at)) && !CONTINUES_AFTER.test(text.slice(end, end + 4)))
      return true;
  }
  return false;
}

/** Letters, digits and the signs of addresses and paths join a longer word; a dot or comma does within one. */
const CONTINUES_BEFORE = /[\p{L}\p{M}\p{N}_@/\\+~-]$|[\p{L}\p{N}][.:,]$/u;
const CONTINUES_AFTER = /^[\p{L}\p{M}\p{N}_@/\\+~-]|^[.:,][\p{L}\p{N}]/u;

/** Every scalar value of arguments, and every empty list or object. */
export function leavesOf(
  value: Json,
  tokens: readonly string[] = [],
): readonly { readonly tokens: readonly string[]; readonly value: Json }[] {
  if (isList(value) && value.length > 0)
    return value.flatMap((item, index) => leavesOf(item, [...tokens, String(index)]));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...tokens, name]));
  return [{ tokens, value }];
}

/**
 * What a schema declares at a place, by `properties`, `items` and references. A model has chosen the name of any member
 * that no schema declares, so that a value below it is never known.
 */
function declaredAt(root: JsonObject, schema: Json | undefined, tokens: readonly string[]): JsonObject | undefined {
  const declared = follow(root, schema);
  const [token, ...rest] = tokens;
  if (declared === undefined || token === undefined) return declared;
  const { properties, items } = declared;
  const member = isObject(properties) && Object.hasOwn(properties, token) ? properties[token] : undefined;
  return declaredAt(root, member ?? (/^\d+$/.test(token) ? items : undefined), rest);
}

/** References chain at most this far. */
const REFERENCES_MAX = 16;

function follow(root: JsonObject, schema: Json | undefined, left = REFERENCES_MAX): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return left === 0 ? undefined : follow(root, findAt(root, pointerTokens(reference.slice(1))), left - 1);
}

function constantsOf({ enum: listed, const: only }: JsonObject): readonly Json[] {
  return [...(listed !== undefined && isList(listed) ? listed : []), ...(only === undefined ? [] : [only])];
}

import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText } from '../content/canonical.js';
import { findAt, isList, isObject, pointerTokens, toPointer } from '../content/json-pointer.js';
import { hashPieceOrigins, listPieceOrigins, type Message, originsOf, type Segment } from '../prompt/message.js';
import { isTrusted, OF_AUTHOR, OF_MODEL, OF_SCENARIO, type Origins, unionOf } from '../prompt/origins.js';

/** Where the arguments of a call come from. */
export interface Provenance {
  /** The origins of every argument that is not known; `anything`, where nobody says what they are. */
  readonly seen: Origins | 'anything';
  /** The origins of each known argument, by the pointer of its value. */
  readonly known: ReadonlyMap<string, Origins>;
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
  return Object.fromEntries(pointers.map((pointer) => [pointer, known.get(pointer) ?? seen]));
}

/** The origins of the value to which a path leads, in the context that request templates read. */
export type OriginsAt = (tokens: readonly string[]) => Origins;

/** Where the request of an authored template comes from: what trusted origins wrote is known. */
export function traceTemplate(template: Json, request: Json, originsAt: OriginsAt): TracedRequest {
  const traced = leavesOf(request).map(
    ({ tokens }) => [toPointer(tokens), originsIn(template, tokens, originsAt)] as const,
  );
  const known = new Map(traced.filter(([, origins]) => isTrusted(origins)));
  return { seen: unionOf(traced.map(([, origins]) => origins).filter((origins) => !isTrusted(origins))), known };
}

/** The provenance of a request whose origins are all recorded. */
export interface TracedRequest extends Provenance {
  readonly seen: Origins;
}

/** The provenance of a request as its record has it: origins by pointer, and under `""` those of all other arguments. */
function toArgumentOrigins({ seen, known }: TracedRequest): Readonly<Record<string, Origins>> {
  return { '': seen, ...Object.fromEntries(known) };
}

/** The member of a generation's recorded origins that is no pointer. */
const PIECES = 'pieces';

/** Recorded origins by pointer, without what is no origin. */
export function withoutPieces(recorded: Readonly<Record<string, Origins>>): Readonly<Record<string, Origins>> {
  const { [PIECES]: _hash, ...origins } = recorded;
  return origins;
}

/**
 * The text in which the record of a call says where its request comes from. A generation has its answer from all that it is
 * shown; a hash says which piece of that has which origins.
 * @returns undefined where that is not traced
 */
export function originsText({ generation, provenance }: Traced): string | undefined {
  if (generation !== undefined) {
    const { messages } = generation;
    return canonicalText({ '': originsSeen(messages), [PIECES]: [hashPieceOrigins(listPieceOrigins(messages))] });
  }
  return provenance && canonicalText(toArgumentOrigins(provenance));
}

interface Traced {
  readonly generation?: Pick<Shown, 'messages'>;
  readonly provenance?: TracedRequest;
}

/** Everything that a request comes from. */
export function originsOfRequest({ seen, known }: TracedRequest): Origins {
  return unionOf([seen, ...known.values()]);
}

function originsIn(template: Json | undefined, [token, ...rest]: readonly string[], originsAt: OriginsAt): Origins {
  if (isObject(template) && typeof template['$from'] === 'string') {
    const read = originsAt([...pointerTokens(template['$from']), ...(token === undefined ? [] : [token, ...rest])]);
    return Object.hasOwn(template, 'default') ? unionOf([read, OF_AUTHOR]) : read;
  }
  if (token === undefined || template === undefined) return OF_AUTHOR;
  return originsIn(findAt(template, [token]), rest, originsAt);
}

/** Everything that a model may have its answer from: all that it was shown, and itself. */
export function originsSeen(messages: readonly Pick<Message, 'segments'>[]): Origins {
  return unionOf([...messages.flatMap(({ segments }) => segments.map(originsOf)), OF_MODEL]);
}

/** What a model was shown, and what else makes an argument known. */
export interface Shown {
  readonly messages: readonly Pick<Message, 'segments'>[];
  /** Of the arguments, as their author wrote it. */
  readonly schema: JsonObject;
  /** The ids of the entities that the subject is shown. */
  readonly roster: ReadonlySet<string>;
}

/**
 * Where the arguments come from that a model has chosen. A value is known where it is a constant of the schema, an id of
 * the roster, or a whole word of a text that only trusted origins wrote; any other may come from all that the model saw.
 */
export function traceArguments(args: Json, { messages, schema, roster }: Shown): TracedRequest {
  // Descriptions and schemas repeat words of every kind; only what its author wrote as a text makes a value known.
  const trusted = messages.flatMap(({ segments }) =>
    segments.filter((segment) => segment.origin !== 'schema' && isTrusted(originsOf(segment))),
  );
  const known = new Map<string, Origins>();
  for (const { tokens, value } of leavesOf(args)) {
    const declared = declaredAt(schema, tokens);
    const origins = declared && findKnown(value, { constants: constantsOf(declared), roster, trusted });
    if (origins !== undefined) known.set(toPointer(tokens), origins);
  }
  return { seen: originsSeen(messages), known };
}

interface Trusted {
  readonly constants: readonly Json[];
  readonly roster: ReadonlySet<string>;
  readonly trusted: readonly Segment[];
}

function findKnown(value: Json, { constants, roster, trusted }: Trusted): Origins | undefined {
  const written = canonicalText(value);
  if (constants.some((constant) => canonicalText(constant) === written)) return OF_AUTHOR;
  if (typeof value === 'string' && roster.has(value)) return OF_SCENARIO;
  // Any text has a word such as true, or nothing: that does not make it the source of an argument.
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = typeof value === 'string' ? value : written;
  const found = trusted.find(({ text }) => holdsWord(text, word));
  return found && originsOf(found);
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

/** Letters, digits and the signs of addresses and paths join a longer word; a dot or comma does within one. In JSON, a quote is escaped. */
const CONTINUES_BEFORE = /[\p{L}\p{M}\p{N}_@/\\+~-]$|[\p{L}\p{N}][.:,]$/u;
const CONTINUES_AFTER = /^[\p{L}\p{M}\p{N}_@/+~-]|^\\(?!")|^[.:,][\p{L}\p{N}]/u;

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
export function declaredAt(
  root: JsonObject,
  tokens: readonly string[],
  schema: Json | undefined = root,
): JsonObject | undefined {
  const declared = follow(root, schema);
  const [token, ...rest] = tokens;
  if (declared === undefined || token === undefined) return declared;
  const { properties, items } = declared;
  const member = isObject(properties) && Object.hasOwn(properties, token) ? properties[token] : undefined;
  const below = member ?? (/^\d+$/.test(token) ? items : undefined);
  return below === undefined ? undefined : declaredAt(root, rest, below);
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

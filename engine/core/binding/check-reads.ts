import { type Problem, problem } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
import type { Held } from '../../contract/problems/workflows.js';
import { appendToken, pointerTokens, toPointer } from '../content/json-pointer.js';
import { among, nearestFirst, nearestName } from '../content/nearest-name.js';
import { complainIf } from '../protocol/document-problem.js';
import { listMalformedReads, listReads } from '../protocol/request-template.js';
import { type JoinedReading, type Reader, readAsAll } from '../typing/join-readings.js';
import { objectAt } from '../typing/schema-cases.js';
import { type Shape, unveil, withoutAbsence } from '../typing/shape.js';
import { possibleCases, stepInto } from '../typing/step.js';
import { listPlaceholders, type PlacedPrompt } from './prompt-messages.js';

const NAMES_SHOWN = 5;

/** A path that something reads. */
export interface Read {
  readonly pointer: string;
  /** As its author wrote it. */
  readonly text: string;
  readonly tokens: readonly string[];
  readonly by: 'template' | 'prompt';
  readonly has_default: boolean;
}

/**
 * Every `$from` of a template must be well formed, and lead to something that its place can read: to something that is
 * always there, unless it has a default.
 */
export function checkTemplate(template: Json, pointer: string, readers: readonly Reader[]): readonly Problem[] {
  const reads = listReads(template).flatMap((read) =>
    checkRead(
      {
        pointer: appendToken(`${pointer}${read.pointer}`, '$from'),
        text: read.from,
        tokens: pointerTokens(read.from),
        by: 'template',
        has_default: read.has_default,
      },
      readers,
    ),
  );
  const malformed = listMalformedReads(template).map((place) =>
    problem('TEMPLATE_READ_MALFORMED', undefined, { pointer: `${pointer}${place}` }),
  );
  return [...reads, ...malformed, ...noteBraces(template, pointer)];
}

/** A placeholder of prompts. */
const BRACES = /\{\{\s*(?:world|subject|ambient|tools|nodes|gate)\.[\w.-]+\s*\}\}/;

/** Notes texts that look like placeholders: a request has none, and sends them as they are. */
function noteBraces(template: Json, pointer: string): readonly Problem[] {
  if (typeof template !== 'object' || template === null)
    return complainIf(BRACES.test(String(template)), problem('TEMPLATE_BRACES', undefined, { pointer }));
  return Object.entries(template).flatMap(([member, inner]) => noteBraces(inner, appendToken(pointer, member)));
}

/** Every value that the prompts of a node read must be there: prompts have no defaults. @param pointer where the node is */
export function checkPromptReads(
  prompts: readonly PlacedPrompt[],
  pointer: string,
  readers: readonly Reader[],
): readonly Problem[] {
  return listPlaceholders(prompts).flatMap(({ placeholder: { name, tokens }, offset, ...place }) => {
    if (tokens === undefined) return [];
    const complaints = checkRead(
      { pointer: `${pointer}${place.pointer}`, text: `{{${name}}}`, tokens, by: 'prompt', has_default: false },
      readers,
    );
    return complaints.map((complaint) => ({ ...complaint, offset }));
  });
}

/** A path must lead to something that its place can read: to something that is always there, unless it has a default. */
export function checkRead(read: Read, readers: readonly Reader[]): readonly Problem[] {
  const { text, tokens, by, pointer } = read;
  const reading = readAsAll(readers, tokens);
  if (reading === undefined || reading.presence === 'there') return [];
  if (reading.presence === 'maybe')
    return complainIf(
      !read.has_default,
      problem('PATH_MAY_BE_MISSING', { text, by, where: whereMissing(read, readers, reading) }, { pointer }),
    );
  if (reading.never === undefined) return [];
  const { depth, known } = reading.never;
  if (depth === 0) return [problem('TEMPLATE_PATH_UNREADABLE', { text, known }, { pointer })];
  if (tokens[0] === 'nodes' && depth === 1)
    return [problem('NODE_UNKNOWN', { text, ...among(tokens[1] ?? '', known) }, { pointer })];
  if (isHidden(read, readers)) return [problem('PATH_HIDDEN', { text }, { pointer })];
  const above = toPointer(tokens.slice(0, depth));
  return [problem('PATH_NEVER_THERE', { text, above, has: findHeld(read, reading.never) }, { pointer })];
}

function isHidden(read: Read, readers: readonly Reader[]): boolean {
  const bare = readers.map((reader) => ({ ...reader, context: unveil(reader.context) }));
  return readAsAll(bare, read.tokens)?.presence !== 'never';
}

function whereMissing({ tokens }: Read, readers: readonly Reader[], { lacking }: JoinedReading) {
  const present = readers.map((reader) => ({ ...reader, context: withoutAbsence(reader.context) }));
  return readAsAll(present, tokens)?.presence === 'there' ? 'absent' : lacking;
}

function findHeld({ tokens, by }: Read, { depth, known, shape }: NonNullable<JoinedReading['never']>): Held {
  if (known.length > 0) {
    const missing = tokens[depth] ?? '';
    const nearest = nearestFirst(missing, known).slice(0, NAMES_SHOWN);
    return { kind: 'members', meant: nearestName(missing, known), nearest, more: known.length - nearest.length };
  }
  // Items have numbers, and only a pattern may describe the names of members.
  if (stepInto(shape, '0').presence !== 'never') return { kind: 'items' };
  const patterns = patternsOf(shape);
  if (patterns.length > 0) return { kind: 'matching', patterns };
  return { kind: 'nothing', is_reading_of_prompt: by === 'prompt' && tokens[0] === 'ambient' };
}

function patternsOf(shape: Shape): readonly string[] {
  if (shape.kind !== 'schema') return [];
  const cases = possibleCases(shape).flatMap(({ schemas }) => schemas);
  return [...new Set(cases.flatMap((schema) => Object.keys(objectAt(schema, 'patternProperties'))))];
}

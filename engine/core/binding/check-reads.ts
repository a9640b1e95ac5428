import type { Json } from '../../contract/json.js';
import type { PromptMessage } from '../../generated/workflow.js';
import { appendToken, pointerTokens, toPointer } from '../content/json-pointer.js';
import { nearestFirst, nearestName, suggestName } from '../content/nearest-name.js';
import type { Complaint } from '../protocol/document-problem.js';
import { listMalformedReads, listReads } from '../protocol/request-template.js';
import { type JoinedReading, type Reader, readAsAll } from '../typing/join-readings.js';
import { objectAt } from '../typing/schema-cases.js';
import { type Shape, unveil, withoutAbsence } from '../typing/shape.js';
import { possibleCases, stepInto } from '../typing/step.js';
import { listPlaceholders } from './prompt-messages.js';

const NAMES_SHOWN = 5;

/** A path that something reads. */
interface Read {
  /** Where it is in the document. */
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
export function checkTemplate(template: Json, pointer: string, readers: readonly Reader[]): readonly Complaint[] {
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
  const malformed = listMalformedReads(template).map(
    (place): Complaint => ({
      code: 'TEMPLATE_READ_MALFORMED',
      message: '"$from" needs a JSON Pointer, and nothing beside it but "default".',
      pointer: `${pointer}${place}`,
      repair: 'Write {"$from": "/world/attempted_turn"} or the like.',
    }),
  );
  return [...reads, ...malformed];
}

/** Every output that a prompt reads must be there: a prompt has no defaults. @param pointer where the node is */
export function checkPromptReads(
  messages: readonly PromptMessage[],
  pointer: string,
  readers: readonly Reader[],
): readonly Complaint[] {
  return listPlaceholders(messages, 'nodes').flatMap(({ placeholder: { name, node_id, path }, offset, ...place }) => {
    const complaints = checkRead(
      {
        pointer: `${pointer}${place.pointer}`,
        text: `{{${name}}}`,
        tokens: ['nodes', node_id, 'output', ...path],
        by: 'prompt',
        has_default: false,
      },
      readers,
    );
    return complaints.map((complaint) => ({ ...complaint, offset }));
  });
}

function checkRead(read: Read, readers: readonly Reader[]): readonly Complaint[] {
  const reading = readAsAll(readers, read.tokens);
  if (reading === undefined || reading.presence === 'there') return [];
  if (reading.presence === 'maybe') {
    if (read.has_default) return [];
    const present = readers.map((reader) => ({ ...reader, context: withoutAbsence(reader.context) }));
    return [readAsAll(present, read.tokens)?.presence === 'there' ? mayBeAbsent(read) : mayBeMissing(read, reading)];
  }
  if (reading.never === undefined) return [];
  if (reading.never.depth === 0) return [unreadable(read, reading.never.known)];
  if (read.tokens[0] === 'nodes' && reading.never.depth === 1) return [unknownNode(read, reading.never.known)];
  return [isHidden(read, readers) ? hidden(read) : neverThere(read, reading.never)];
}

function isHidden(read: Read, readers: readonly Reader[]): boolean {
  const bare = readers.map((reader) => ({ ...reader, context: unveil(reader.context) }));
  return readAsAll(bare, read.tokens)?.presence !== 'never';
}

function mayBeMissing(read: Read, { lacking }: JoinedReading): Complaint {
  const whom = lacking.length === 0 ? '' : ` for ${lacking.join(', ')}`;
  const how =
    read.by === 'template'
      ? 'Write a "default" beside "$from", or a result schema that requires it.'
      : 'A prompt has no defaults: read a whole output, or write a result schema that requires the member.';
  return {
    code: 'PATH_MAY_BE_MISSING',
    message: `${read.text} may be missing${whom}.`,
    pointer: read.pointer,
    repair: how,
  };
}

function mayBeAbsent(read: Read): Complaint {
  return {
    code: 'PATH_MAY_BE_MISSING',
    message: `${read.text} is missing where the reading is absent, which its "inject_absence" allows.`,
    pointer: read.pointer,
    repair: 'Write a "default" beside "$from", or let the binding fail: "on_failure": "fail".',
  };
}

function hidden(read: Read): Complaint {
  return {
    code: 'PATH_HIDDEN',
    message: `${read.text} can never be seen: redaction does not let it through.`,
    pointer: read.pointer,
    repair: 'Add it to the "allow" of the binding that produces it.',
  };
}

function unreadable(read: Read, known: readonly string[]): Complaint {
  return {
    code: 'TEMPLATE_PATH_UNREADABLE',
    message: `${read.text} cannot be read here.`,
    pointer: read.pointer,
    repair: `Read one of ${known.map((name) => `/${name}/...`).join(', ')}.`,
  };
}

function unknownNode(read: Read, known: readonly string[]): Complaint {
  return {
    code: 'NODE_UNKNOWN',
    message: `${read.text} reads a node that is not there.`,
    pointer: read.pointer,
    repair: suggestName(read.tokens[1] ?? '', known),
  };
}

function neverThere(read: Read, { depth, known, shape }: NonNullable<JoinedReading['never']>): Complaint {
  const above = toPointer(read.tokens.slice(0, depth));
  const below = known.length === 0 ? belowUnnamed(shape, above) : belowNamed(read.tokens[depth] ?? '', known, above);
  return {
    code: 'PATH_NEVER_THERE',
    message: `${read.text} is never there: ${above} has ${below.has}.`,
    pointer: read.pointer,
    repair: below.repair,
  };
}

interface Below {
  readonly has: string;
  readonly repair: string;
}

function belowNamed(missing: string, known: readonly string[], above: string): Below {
  const nearest = nearestFirst(missing, known).slice(0, NAMES_SHOWN);
  const meant = nearestName(missing, known);
  const more = known.length > nearest.length ? ` and ${known.length - nearest.length} more` : '';
  return {
    has: `${nearest.join(', ')}${more}`,
    repair: meant === undefined ? `Read ${above}, or one of those.` : `Did you mean ${meant}?`,
  };
}

/** Items have numbers, and only a pattern may describe the names of members. */
function belowUnnamed(shape: Shape, above: string): Below {
  if (stepInto(shape, '0').presence !== 'never') return { has: 'items', repair: 'Write an index, such as 0.' };
  const patterns = patternsOf(shape);
  if (patterns.length === 0) return { has: 'nothing below it', repair: `Read ${above}.` };
  return { has: `members whose names match ${patterns.join(' or ')}`, repair: 'Write a name that does.' };
}

function patternsOf(shape: Shape): readonly string[] {
  if (shape.kind !== 'schema') return [];
  const cases = possibleCases(shape).flatMap(({ schemas }) => schemas);
  return [...new Set(cases.flatMap((schema) => Object.keys(objectAt(schema, 'patternProperties'))))];
}

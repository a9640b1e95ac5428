import type { Json } from '../../contract/json.js';
import type { PromptMessage } from '../../generated/workflow.js';
import { appendToken, pointerTokens, toPointer } from '../content/json-pointer.js';
import { nearestFirst, nearestName, suggestName } from '../content/nearest-name.js';
import { type Complaint, complainIf } from '../protocol/document-problem.js';
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
      message: '"$from" must be a JSON Pointer, with no neighbour but "default".',
      pointer: `${pointer}${place}`,
      repair: 'Write, for example, {"$from": "/world/attempted_turn"}.',
    }),
  );
  return [...reads, ...malformed, ...noteBraces(template, pointer)];
}

/** A placeholder of prompts. */
const BRACES = /\{\{\s*(?:world|subject|ambient|tools|nodes)\.[\w.-]+\s*\}\}/;

/** Notes texts that look like placeholders: a request has none, and sends them as they are. */
function noteBraces(template: Json, pointer: string): readonly Complaint[] {
  if (typeof template !== 'object' || template === null)
    return complainIf(BRACES.test(String(template)), {
      code: 'TEMPLATE_BRACES',
      message: 'A request has no placeholders in braces: this text is sent as it is.',
      pointer,
      repair: 'Write, for example, {"$from": "/world/attempted_turn"} in place of the text.',
      severity: 'note',
    });
  return Object.entries(template).flatMap(([member, inner]) => noteBraces(inner, appendToken(pointer, member)));
}

/** Every value that a prompt reads must be there: a prompt has no defaults. @param pointer where the node is */
export function checkPromptReads(
  messages: readonly PromptMessage[],
  pointer: string,
  readers: readonly Reader[],
): readonly Complaint[] {
  return listPlaceholders(messages).flatMap(({ placeholder: { name, tokens }, offset, ...place }) => {
    if (tokens === undefined) return [];
    const complaints = checkRead(
      { pointer: `${pointer}${place.pointer}`, text: `{{${name}}}`, tokens, by: 'prompt', has_default: false },
      readers,
    );
    return complaints.map((complaint) => ({ ...complaint, offset }));
  });
}

function checkRead(read: Read, readers: readonly Reader[]): readonly Complaint[] {
  const { text, tokens, pointer } = read;
  const complain = (code: Complaint['code'], { says, repair }: Fault): readonly Complaint[] => [
    { code, message: `${text} ${says}.`, pointer, repair },
  ];
  const reading = readAsAll(readers, tokens);
  if (reading === undefined || reading.presence === 'there') return [];
  if (reading.presence === 'maybe')
    return read.has_default ? [] : complain('PATH_MAY_BE_MISSING', mayBeMissing(read, readers, reading));
  if (reading.never === undefined) return [];
  const { depth, known } = reading.never;
  if (depth === 0) {
    const repair = `Read one of ${known.map((name) => `/${name}/...`).join(', ')}.`;
    return complain('TEMPLATE_PATH_UNREADABLE', { says: 'cannot be read here', repair });
  }
  if (tokens[0] === 'nodes' && depth === 1) {
    const repair = suggestName(tokens[1] ?? '', known);
    return complain('NODE_UNKNOWN', { says: 'reads a node that does not exist', repair });
  }
  if (isHidden(read, readers)) return complain('PATH_HIDDEN', HIDDEN);
  return complain('PATH_NEVER_THERE', neverThere(read, reading.never));
}

/** The end of a sentence on a path, and the repair. */
interface Fault {
  readonly says: string;
  readonly repair: string;
}

const HIDDEN: Fault = {
  says: 'is hidden by redaction',
  repair: 'Add it to the "allow" of the binding that produces it.',
};

function isHidden(read: Read, readers: readonly Reader[]): boolean {
  const bare = readers.map((reader) => ({ ...reader, context: unveil(reader.context) }));
  return readAsAll(bare, read.tokens)?.presence !== 'never';
}

function mayBeMissing(read: Read, readers: readonly Reader[], { lacking }: JoinedReading): Fault {
  const present = readers.map((reader) => ({ ...reader, context: withoutAbsence(reader.context) }));
  if (readAsAll(present, read.tokens)?.presence === 'there')
    return {
      says: 'is missing where the reading is absent, which its "inject_absence" allows',
      repair: `${read.by === 'template' ? 'Write a "default" beside "$from"' : 'Write {{ambient.visible}}, which says what is absent'}, or let the binding fail: "on_failure": "fail".`,
    };
  return {
    says: `may be missing${lacking.length === 0 ? '' : ` for ${lacking.join(', ')}`}`,
    repair:
      read.by === 'template'
        ? 'Write a "default" beside "$from", or a result schema that requires it.'
        : 'A prompt has no defaults: read a whole output, or write a result schema that requires the member.',
  };
}

function neverThere({ tokens, by }: Read, { depth, known, shape }: NonNullable<JoinedReading['never']>): Fault {
  const above = toPointer(tokens.slice(0, depth));
  const says = (has: string): string => `never exists: ${above} has ${has}`;
  if (known.length > 0) {
    const missing = tokens[depth] ?? '';
    const nearest = nearestFirst(missing, known).slice(0, NAMES_SHOWN);
    const meant = nearestName(missing, known);
    const more = known.length > nearest.length ? ` and ${known.length - nearest.length} more` : '';
    const repair = meant === undefined ? `Read ${above}, or one of those.` : `Did you mean ${meant}?`;
    return { says: says(`${nearest.join(', ')}${more}`), repair };
  }
  // Items have numbers, and only a pattern may describe the names of members.
  if (stepInto(shape, '0').presence !== 'never') return { says: says('items'), repair: 'Write an index, such as 0.' };
  const patterns = patternsOf(shape);
  if (patterns.length === 0) {
    const all = by === 'prompt' && tokens[0] === 'ambient' ? '{{ambient.visible}}, which shows all readings' : above;
    return { says: says('nothing below it'), repair: `Read ${all}.` };
  }
  const has = `members whose names match ${patterns.join(' or ')}`;
  return { says: says(has), repair: 'Write a name that does.' };
}

function patternsOf(shape: Shape): readonly string[] {
  if (shape.kind !== 'schema') return [];
  const cases = possibleCases(shape).flatMap(({ schemas }) => schemas);
  return [...new Set(cases.flatMap((schema) => Object.keys(objectAt(schema, 'patternProperties'))))];
}

import { content, note } from './entry.js';
import { type KnownNames, meant, suggested } from './phrases.js';

/** A reference that leads out of the document, or a keyword that may. */
export type FarReference = { readonly keyword: string } | { readonly target: string } | { readonly inner_id: true };

/** What makes a schema too large. */
export type Size =
  | { readonly characters_max: number }
  | { readonly schemas_max: number }
  | { readonly because: 'tracking' | 'patterns' | 'compiling' };

/** The values that a schema permits, where they are few: a list, two limits, or true and false. */
export type Values =
  | { readonly kind: 'listed'; readonly count: number }
  | { readonly kind: 'between'; readonly least: number; readonly most: number };

/** A name that JSON Schema does not have, and its name today. */
export interface UnknownWord {
  readonly name: string;
  readonly nearest: string | undefined;
  /** How the dialect says it, as a sentence. */
  readonly today?: string | undefined;
}

function correctOrAccept({ nearest, today }: UnknownWord): string {
  return today ?? (nearest === undefined ? 'Remove it, or accept that.' : `Did you mean "${nearest}"?`);
}

/** Problems of the JSON Schemas that authors write. */
export const SCHEMA_PROBLEMS = {
  UNKNOWN_DIALECT: content(
    'only JSON Schema 2020-12 is known here',
    'Write "https://json-schema.org/draft/2020-12/schema".',
  ),
  UNSUPPORTED_REFERENCE: content<FarReference>({
    meaning: 'A reference points outside the document.',
    message: (facts) => {
      if ('keyword' in facts) return `"${facts.keyword}" is not supported`;
      return 'target' in facts
        ? `"${facts.target}" is no pointer within the document`
        : 'a "$id" within a schema is not supported';
    },
    repair: 'Refer by "$ref" to a pointer within the document, such as "#/$defs/name".',
    example: { target: 'https://example.com/schema.json' },
  }),
  UNKNOWN_REFERENCE: content<{ readonly target: string } & KnownNames>({
    message: ({ target }) => `no schema stands at "#${target}"`,
    repair: (names) =>
      names.known.length === 0 ? 'Define it under "$defs", and refer to "#/$defs/" and its name.' : suggested(names),
    example: { target: '/$defs/moood', nearest: '#/$defs/mood', known: ['#/$defs/mood'] },
  }),
  BAD_PATTERN: content({
    message: ({ pattern, reason }) => `${JSON.stringify(pattern)} is no regular expression: ${reason}`,
    repair: 'Correct it; a sign that only means itself is written with a backslash.',
    example: { pattern: '[a-z', reason: 'Invalid regular expression: /[a-z/u: Unterminated character class' },
  }),
  PATTERN_NOT_LINEAR: content({
    meaning: 'The pattern cannot be matched in linear time.',
    message: ({ pattern, reason }) =>
      `${JSON.stringify(pattern)} cannot be matched in time that grows with the text alone: ${reason}`,
    repair: 'Write it without lookaround and backreferences, and with at most 1000 repeats.',
    example: { pattern: '(a)\\1', reason: 'it refers back to a group' },
  }),
  NAME_NOT_CHECKED: content({
    meaning: 'The name is one that every object inherits.',
    message: ({ name }) => `"${name}" names what every object inherits, and cannot be checked`,
    repair: 'Choose another name.',
    example: { name: '__proto__' },
  }),
  UNKNOWN_FORMAT: note<UnknownWord>({
    message: ({ name }) => `the format "${name}" is not known and checks nothing`,
    repair: correctOrAccept,
    example: { name: 'datetime', nearest: 'date-time' },
  }),
  UNKNOWN_KEYWORD: note<UnknownWord>({
    meaning: 'The keyword is unknown, and checks nothing.',
    message: ({ name }) => `"${name}" is no keyword of JSON Schema 2020-12 and checks nothing`,
    repair: correctOrAccept,
    example: { name: 'requird', nearest: 'required' },
  }),
  DECLASSIFY_NOT_CLOSED: content<{ readonly because: 'open' | 'no_result' }>({
    meaning: '"declassify" is for values that the author has listed or bounded.',
    message: ({ because }) =>
      because === 'open'
        ? '"declassify" stands where a value can be anything: a text could come in as a trusted one'
        : '"declassify" stands in a schema that describes no result',
    repair: ({ because }) =>
      because === 'open'
        ? 'Give the member an "enum" or a "const", the type "boolean", or a number a "minimum" and a "maximum"; or remove "declassify".'
        : 'Remove it: only the schema of a result can declassify what a source has answered.',
    example: { because: 'open' },
  }),
  DECLASSIFIED: note<{ readonly values: Values }>({
    meaning: 'A source may choose a value here that no rule by its origin sees.',
    message: ({ values }) => {
      const what =
        values.kind === 'listed' ? `one of ${values.count} values` : `a number from ${values.least} to ${values.most}`;
      return `"declassify" lets a source choose ${what} here, and no rule of a policy by the origin of that source sees it`;
    },
    repair: 'Accept that, or remove "declassify".',
    example: { values: { kind: 'listed', count: 3 } },
  }),
  CONNECTION_ID_IN_SCHEMA: content({
    meaning: 'A member would hold the id of a connection, which only a binding may choose.',
    message: ({ name }) => `${JSON.stringify(name)} would let a model or a service choose a connection.`,
    repair: 'Remove it, and name the connection in "connection" of the binding; give another id another name.',
    example: { name: 'connectionId' },
  }),
  SCHEMA_NEVER_ENDS: content(
    'this schema refers to itself without looking deeper into the value',
    'Break the circle, or refer back only from within "properties" or "items".',
  ),
  REQUIRED_REFUSED: content<{ readonly name: string; readonly nearest: string | undefined }>({
    message: ({ name }) => `no object fits this schema: "${name}" is required, and no value of it is let in`,
    repair: ({ nearest }) =>
      `${meant(nearest)}Describe it under "properties" by a schema that a value fits, or do not require it.`,
    example: { name: 'naem', nearest: 'name' },
  }),
  CHECK_BROKEN: content(
    'the validator breaks on this value and this schema, and the value counts as one that does not fit',
    'Write the schema without "unevaluatedProperties" and "unevaluatedItems", or without alternatives beside them.',
  ),
  CHECK_TOO_COSTLY: content({
    message: ({ steps_max }) =>
      `checking this value takes more than ${steps_max} steps, and it counts as one that does not fit`,
    repair:
      'Make the value smaller, or the schema simpler: fewer alternatives, or alternatives that a constant distinguishes.',
    example: { steps_max: 1_000_000 },
  }),
  SCHEMA_TOO_LARGE: content<Size>({
    meaning: 'The schema is too large, or takes too long to compile.',
    message: (size) => {
      if ('characters_max' in size) return `this schema is longer than ${size.characters_max} characters`;
      if ('schemas_max' in size) return `this schema is of more than ${size.schemas_max} schemas`;
      if (size.because === 'tracking') return 'this schema is too large for "unevaluatedProperties"';
      const fault = size.because === 'patterns' ? 'its patterns repeat too much' : 'it takes too long to compile';
      return `this schema is too large from here on: ${fault}`;
    },
    repair: 'Ask for less, or split it.',
    example: { schemas_max: 2000 },
  }),
  SCHEMA_NOT_COMPILABLE: content({
    message: ({ reason }) => `this schema cannot be compiled: ${reason}`,
    repair: 'Write it otherwise; the message says what cannot be understood.',
    example: { reason: '"items" must be an object or a boolean' },
  }),
};

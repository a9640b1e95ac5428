import { byKind, content, note, type Texts } from './entry.js';

/** A comma or a colon that is missing, in front of the fault or at the end of a line before it. */
export interface MissingMark {
  readonly mark: ',' | ':';
  readonly after_line?: number;
}

const nameOf = (mark: MissingMark['mark']): string => (mark === ',' ? 'comma' : 'colon');

/** Each fault of a text that is not JSON, with its repair. Authors read these sentences, and models get them. */
const SYNTAX_FAULTS = byKind(
  {
    empty: ['the file is empty', 'Write a document, {...}, or remove the file.'],
    cut: ['the text ends before its value does', 'Close what is still open: a string, list or object.'],
    comma_before: [
      ({ closing }: Texts<'closing'>) => `a comma stands before the closing ${closing}`,
      'Remove the comma.',
    ],
    missing: [
      ({ mark, after_line }: MissingMark) =>
        `a ${nameOf(mark)} is missing ${after_line === undefined ? 'before this' : `after line ${after_line}`}`,
      ({ mark, after_line }: MissingMark) =>
        `Put a ${mark} ${after_line === undefined ? 'in front of it' : `at the end of line ${after_line}`}.`,
    ],
    quotes: ['text stands in single quotes', 'Use double quotes.'],
    comment: ['comments are not JSON', 'Remove the comment; documents have a description.'],
    control: ['a control character stands here as it is', 'Escape it, as in \\n.'],
    character: [({ rest }: Texts<'rest'>) => `${JSON.stringify(rest.slice(0, 1))} cannot stand here`, adviseOn],
    // Faults that models make and authors of documents do not.
    comment_of_model: ['comments are not JSON', 'Remove the comment.'],
    line_break: ['a line break stands within a text', 'Write it as \\n.'],
    more: ['more follows the end of the value', 'Answer with the one object alone.'],
    text_goes_on: [
      'a text ends here, and goes on',
      'Write a double quote within a text as \\", or put the missing comma or colon.',
    ],
  },
  { kind: 'comma_before', closing: '}' },
);

export type SyntaxFault = typeof SYNTAX_FAULTS.example;

/** @param rest the text from the character on that cannot stand there */
function adviseOn({ rest }: Texts<'rest'>): string {
  if (/^[+-]?(NaN|Infinity)/.test(rest))
    return 'Write a number, null, or a text in double quotes: JSON has no such number.';
  if (rest.startsWith('\\'))
    return 'Write a backslash as \\\\; only \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits are escapes.';
  if (/^[{["]/.test(rest)) return 'Remove it: a file holds one value, and an object names its members.';
  return /^\w/.test(rest)
    ? 'Put text in double quotes; without them, only numbers, true, false and null stand.'
    : 'Remove it.';
}

/** What cannot be read: something below a folder, the file of an answer, or one of exported worlds. */
export type Unreadable =
  | { readonly found: keyof typeof FOUND }
  | { readonly answer: string }
  | { readonly exported: string; readonly reason: string };

const FOUND = {
  path: 'this path cannot be read',
  folder: 'this folder cannot be read',
  file: 'this file cannot be read',
  name: 'its name is not UTF-8',
  deleted: 'this was deleted meanwhile',
  link: 'this link leads to nothing readable',
};

const EXPORTED = 'Name a file that chukwa world export has written.';

/** Problems of files: a file cannot be read, or is not JSON. */
export const FILE_PROBLEMS = {
  INVALID_JSON: content({
    meaning: 'The text is not JSON.',
    ...SYNTAX_FAULTS,
  }),
  NOT_UTF8: content<{ readonly byte: number } | { readonly answer: string }>({
    message: (facts) =>
      'byte' in facts ? `byte ${facts.byte} is not UTF-8` : `The file ${JSON.stringify(facts.answer)} is not UTF-8.`,
    repair: 'Save the file as UTF-8.',
    example: { byte: 17 },
  }),
  TOO_DEEP: content({
    message: ({ levels_max }) => `this is nested deeper than ${levels_max} levels`,
    repair: 'Flatten it.',
    example: { levels_max: 64 },
  }),
  REPEATED_NAME: content({
    meaning: 'A name is twice in one object.',
    message: ({ name, line }) =>
      `${JSON.stringify(name)} is in this object twice; it was first written on line ${line}`,
    repair: 'Keep one of the two.',
    example: { name: 'label', line: 3 },
  }),
  NUMBER_CHANGES: content({
    meaning: 'A number would be kept as another one.',
    message: ({ written, kept }) => `the number ${written} would be kept as ${kept}`,
    repair: 'Write a number that a double holds exactly, or write it as a string.',
    example: { written: '9007199254740993', kept: 9_007_199_254_740_992 },
  }),
  TEXT_NOT_STORABLE: content({
    meaning: 'Text holds U+0000 or half a character.',
    message: ({ reason }) => `this is ${reason}`,
    repair: 'Remove the character.',
    example: { reason: 'text with the character U+0000' },
  }),
  FILE_MISSING: content<
    | { readonly referred: string; readonly nearest: string | undefined }
    | { readonly given: string; readonly nearest: string | undefined }
    | { readonly exported: string }
  >({
    message: (facts) => {
      if ('exported' in facts) return `${facts.exported} cannot be read: it does not exist.`;
      return 'referred' in facts ? `there is no file "${facts.referred}"` : 'there is no such file or folder';
    },
    repair: (facts) => {
      if ('exported' in facts) return EXPORTED;
      const { nearest } = facts;
      if ('referred' in facts)
        return nearest === undefined ? 'Correct the path, or add the file.' : `Did you mean "${nearest}"?`;
      return nearest === undefined ? 'Correct the path.' : `Did you mean ${nearest}?`;
    },
    example: { referred: './plna.json', nearest: './plan.json' },
  }),
  NO_DOCUMENTS: content(
    'there is no JSON document here, so nothing was checked',
    'Documents are files that end in .json; hidden folders and node_modules are skipped.',
  ),
  FILE_TOO_LARGE: content<
    { readonly values_max: number } | { readonly bytes: number; readonly bytes_max: number; readonly answer?: string }
  >({
    meaning: 'A file has more than 16 MiB, or a million values.',
    message: (facts) => {
      if ('values_max' in facts) return `this document holds more than ${facts.values_max} values`;
      const { bytes, bytes_max, answer } = facts;
      const limit = `has ${bytes} bytes; the limit is ${bytes_max}`;
      return answer === undefined ? `this file ${limit}` : `The file ${JSON.stringify(answer)} ${limit}.`;
    },
    repair: (facts) => ('answer' in facts ? 'Hand in a smaller answer.' : 'Split it.'),
    example: { bytes: 20_000_000, bytes_max: 16_777_216 },
  }),
  FILE_UNREADABLE: content<Unreadable>({
    meaning: 'A file or folder cannot be read, or its name is not UTF-8.',
    message: (facts) => {
      if ('found' in facts) return FOUND[facts.found];
      if ('answer' in facts) return `The file ${JSON.stringify(facts.answer)} cannot be read.`;
      return `${facts.exported} cannot be read: ${facts.reason}.`;
    },
    repair: (facts) => {
      if ('found' in facts) return 'Check name and permissions, or remove it.';
      return 'answer' in facts ? 'Name a JSON file with the answer of the call.' : EXPORTED;
    },
    example: { found: 'file' },
  }),
  NOT_A_FILE: content<{ readonly path?: string }>({
    message: ({ path }) =>
      path === undefined ? 'this is not a regular file' : `${JSON.stringify(path)} is not a regular file.`,
    repair: 'Name a file; write the output of a pipe into one first.',
    example: {},
  }),
  TOO_MANY_FILES: content({
    message: ({ files_max }) => `there are more than ${files_max} JSON files here`,
    repair: 'Name a smaller folder.',
    example: { files_max: 10_000 },
  }),
  WORKFLOW_UNREAD: note(
    'no scenario here uses this workflow, so its paths and requests are not checked',
    'Check it together with a scenario that uses it.',
  ),
  LINK_LOOP: content({
    meaning: 'A link leads back to itself; a note where it leads to a folder around it.',
    message: ({ is_around }) =>
      is_around
        ? 'this link leads to a folder that contains it, and is not followed'
        : 'this link leads back to itself',
    repair: ({ is_around }) => (is_around ? 'Remove it, or keep it: the folder is read once.' : 'Remove it.'),
    example: { is_around: false },
  }),
  LINK_LEAVES_ROOT: content(
    'this link leaves the root folder',
    'Copy the file, or name a folder that holds both with --root.',
  ),
  UNKNOWN_DOCUMENT: content({
    message: ({ is_object }) =>
      is_object ? 'the kind of this document is unknown' : 'every document is an object, and this is not',
    repair: ({ is_object }) =>
      is_object
        ? 'Add "$schema": a JSON Schema names "https://json-schema.org/draft/2020-12/schema", any other document its file in schemas/.'
        : 'Write an object, {...}, with "$schema", "version" and the members of its kind.',
    example: { is_object: true },
  }),
  SCHEMA_OF_ANOTHER_KIND: content({
    meaning: '"$schema" names another kind than the members show.',
    message: ({ named, kind }) => `"$schema" names the schema of a ${named}, and the members are those of a ${kind}`,
    repair: ({ kind }) => `Name the schema of a ${kind}, or leave "$schema" out.`,
    example: { named: 'tool_policy', kind: 'scenario' },
  }),
};

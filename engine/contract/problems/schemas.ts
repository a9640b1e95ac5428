import { content } from './entry.js';

/** Problems of the JSON Schemas that authors write. */
export const SCHEMA_PROBLEMS = {
  UNKNOWN_DIALECT: content(
    'The schema is of another dialect than JSON Schema 2020-12.',
    'Name `https://json-schema.org/draft/2020-12/schema`.',
  ),
  UNSUPPORTED_REFERENCE: content(
    'A reference points outside the document.',
    'Refer to a pointer within it, such as `#/$defs/name`.',
  ),
  UNKNOWN_REFERENCE: content('A reference points to nothing.', 'Correct the pointer.'),
  BAD_PATTERN: content('A pattern is not a regular expression.', 'Correct it.'),
  PATTERN_NOT_LINEAR: content(
    'A pattern cannot be matched in linear time.',
    'Write it without lookaround or backreferences, and with at most 1000 repeats.',
  ),
  NAME_NOT_CHECKED: content('A schema names a member `__proto__`, which validators ignore.', 'Choose another name.'),
  UNKNOWN_FORMAT: content('A note: the format is unknown and checks nothing.', 'Remove it, or accept that.'),
  UNKNOWN_KEYWORD: content(
    'A note: the keyword is not part of JSON Schema and checks nothing.',
    'Correct the spelling.',
  ),
  SCHEMA_NEVER_ENDS: content('The schema refers to itself without looking deeper into the value.', 'Break the cycle.'),
  CHECK_BROKEN: content(
    'The validator of this schema fails with an error of its own on a value; the value counts as invalid.',
    'Write the schema without `unevaluatedProperties` and `unevaluatedItems`, or without alternatives beside them.',
  ),
  CHECK_TOO_COSTLY: content(
    'Validating a value by this schema takes too many steps; the value counts as invalid.',
    'Make the value smaller, or the schema simpler.',
  ),
  SCHEMA_TOO_LARGE: content('The schema exceeds the limits of size or depth.', 'Simplify or split it.'),
  SCHEMA_NOT_COMPILABLE: content('The schema cannot be compiled for another reason.', 'The message says which.'),
};

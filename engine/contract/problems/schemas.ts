import { content } from './entry.js';

/** Problems of the JSON Schemas that authors write. */
export const SCHEMA_PROBLEMS = {
  UNKNOWN_DIALECT: content(
    'The schema is of another dialect than JSON Schema 2020-12.',
    'Name `https://json-schema.org/draft/2020-12/schema`.',
  ),
  UNSUPPORTED_REFERENCE: content(
    'A reference leads out of the document.',
    'Refer to a pointer within it, such as `#/$defs/name`.',
  ),
  UNKNOWN_REFERENCE: content('A reference leads to nothing.', 'Correct the pointer.'),
  BAD_PATTERN: content('A pattern is no regular expression.', 'Correct it.'),
  PATTERN_NOT_LINEAR: content(
    'A pattern is not one that can be matched in time that grows with the text alone.',
    'Write it without lookaround and backreferences, and with at most 1000 repeats.',
  ),
  NAME_NOT_CHECKED: content(
    'A schema gives a member the name `__proto__`, which no validator looks at.',
    'Choose another name.',
  ),
  UNKNOWN_FORMAT: content('A note: the format is not known and checks nothing.', 'Take it away, or accept that.'),
  UNKNOWN_KEYWORD: content(
    'A note: the keyword is not one of JSON Schema and checks nothing.',
    'Correct the spelling.',
  ),
  SCHEMA_EXPONENTIAL: content(
    'The schema leads back to itself by two ways that look at one part of a value: each level of a value would ' +
      'double the work.',
    'Say it once, beside the alternatives; or let each alternative require another constant of one member.',
  ),
  SCHEMA_NEVER_ENDS: content('The schema refers to itself without looking deeper into the value.', 'Break the circle.'),
  SCHEMA_TOO_COSTLY: content('Its references multiply beyond what may be spent at one place.', 'Ask for less.'),
  CHECK_BROKEN: content(
    "The validator's own code fails on a value by this schema; the value counts as one that does not fit.",
    'Write the schema without `unevaluatedProperties` and `unevaluatedItems`, or without alternatives beside them.',
  ),
  CHECK_TOO_COSTLY: content(
    'Checking a value by this schema takes too many steps; the value counts as one that does not fit.',
    'Make the value smaller, or the schema simpler.',
  ),
  SCHEMA_TOO_LARGE: content('It is larger or deeper than may be.', 'Ask for less, or split it.'),
  SCHEMA_NOT_COMPILABLE: content('It cannot be compiled for another reason.', 'The message says which.'),
};

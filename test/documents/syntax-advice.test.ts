import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSource } from '../../engine/core/content/source-text.js';

const ADVICE: readonly (readonly [name: string, text: string, place: string, said: string])[] = [
  [
    'a comma left out at the end of a line',
    '{\n  "a": 1\n  "b": 2\n}',
    '3:3',
    'a comma is missing after line 2. Put a , at the end of line 2.',
  ],
  [
    'a comma left out before an object, lines later',
    '[\n  {"a": 1}\n\n\n  {"b": 2}\n]',
    '5:3',
    'a comma is missing after line 2. Put a , at the end of line 2.',
  ],
  ['nothing', '', '1:1', 'the file is empty. Write a document, {...}, or remove the file.'],
  ['nothing but white space', ' \n\n', '1:1', 'the file is empty. Write a document, {...}, or remove the file.'],
  ['a comma left out within a line', '[1 2]', '1:4', 'a comma is missing before this. Put a , in front of it.'],
  ['a colon left out', '{"a" 1}', '1:6', 'a colon is missing before this. Put a : in front of it.'],
  ['a colon left out before text', '{"a" "b"}', '1:6', 'a colon is missing before this. Put a : in front of it.'],
  [
    'a value after the value',
    '{} {}',
    '1:4',
    '"{" cannot stand here. Remove it: a file holds one value, and an object names its members.',
  ],
  [
    'a word that JSON does not know',
    '[1, yes]',
    '1:5',
    '"y" cannot stand here. Put text in double quotes; without them, only numbers, true, false and null stand.',
  ],
  [
    'a number that JSON does not have',
    '[NaN]',
    '1:2',
    '"N" cannot stand here. Write a number, null, or a text in double quotes: JSON has no such number.',
  ],
  [
    'an escape that JSON does not have',
    '["\\x41"]',
    '1:3',
    '"\\\\" cannot stand here. Write a backslash as \\\\; only \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits are escapes.',
  ],
  [
    'quotation marks of prose',
    '{“a”: 1}',
    '1:2',
    'quotation marks of prose stand here. Use the plain double quote, ".',
  ],
  [
    'a space that is none',
    '{\u00A0"a": 1}',
    '1:2',
    'an invisible character (U+00A0) stands here. Remove it, or put a plain space.',
  ],
  ['UTF-16', '\0{\0}', '1:1', 'the file is UTF-16, or no text. Save the file as UTF-8.'],
  ['something else', '[1] ;', '1:5', '";" cannot stand here. Remove it.'],
];

for (const [name, text, place, said] of ADVICE) {
  test(`${name} is called so`, () => {
    const parsed = parseSource('a.json', text);
    const [problem] = parsed.ok ? [] : parsed.problems;
    const { message, repair, location } = problem ?? assert.fail('it was taken for JSON');
    assert.equal(`${location?.line}:${location?.column}`, place);
    assert.equal(`${message}. ${repair}`, said);
  });
}

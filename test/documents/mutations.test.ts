import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { appendToken, findAt, isList, pointerTokens } from '../../engine/core/content/json-pointer.js';
import { parseSource } from '../../engine/core/content/source-text.js';
import { documentKindOf } from '../../engine/core/workflow/link/document-kind.js';
import { compose } from '../../engine/main.js';
import {
  type DocumentParts,
  type LoadedFile,
  loadDocuments,
  validateLoaded,
} from '../../engine/operations/documents/index.js';
import { compileScenario } from '../../engine/operations/running/load-program.js';
import { documentParts, PACKAGE_ROOT } from './document-parts.js';

const value = await (await compose({})).openAuthoring();
const parts: DocumentParts = {
  ...(await documentParts(PACKAGE_ROOT)),
  validateDocument: value.validateDocument,
  checkScenario: (find, hash) => {
    const compiled = compileScenario(value, hash, find);
    return compiled.ok ? compiled.notes : compiled.problems;
  },
};
const scenarios = ['workflows/park/scenario.json', 'fixtures/invalid/sound/scenario.json'];
const loaded = await Promise.all(scenarios.map((path) => loadDocuments([path], parts.place, parts.shipped)));

/** Values that mean something somewhere, in places where they do not. */
const STRANGE: readonly Json[] = [
  null,
  0,
  -1,
  1e21,
  '',
  'act',
  '/nodes/act/output',
  'all',
  [],
  {},
  { $from: '/nodes/look/output/condition/x' },
  { $from: '/subject/environment' },
  { $from: '/', default: { $from: '' } },
  { $ref: '#' },
  { $ref: '#/$defs/none' },
  { anyOf: [false, { $ref: '#/properties' }] },
  { enum: [] },
  { hash: '0'.repeat(64) },
  { path: '../../../package.json' },
  { path: 'chukwa:scenario.schema.json' },
  '{{nodes.act.output.effects.0}} {{nodes..output}} {{{{}}',
  { type: ['object', 'object'], required: 'x', properties: { constructor: true } },
  JSON.parse('{"__proto__": {"type": "string"}}') as Json,
];

type Mutation = (value: Json) => Json;

/** Every place of a value. */
function pointersOf(value: Json, pointer = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [pointer];
  return [pointer, ...Object.entries(value).flatMap(([name, inner]) => pointersOf(inner, appendToken(pointer, name)))];
}

/** A value in which the member or item at a pointer has become another, or several, or none. */
function replaceAt(value: Json, [token, ...rest]: readonly string[], change: (inner: Json) => readonly Json[]): Json {
  if (token === undefined) return change(value)[0] ?? null;
  const swap = (inner: Json): readonly Json[] => (rest.length === 0 ? change(inner) : [replaceAt(inner, rest, change)]);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.flatMap((item, index) => (String(index) === token ? swap(item) : [item]));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name === token
        ? swap(inner).map((one, index): [string, Json] => [index === 0 ? name : `${name}x`, one])
        : [[name, inner]],
    ),
  );
}

const strange = fc.oneof(
  fc.constantFrom(...STRANGE),
  fc.jsonValue({ maxDepth: 2 }).map((json) => json as Json),
);
const mutation: fc.Arbitrary<Mutation> = fc
  .tuple(fc.nat(), fc.nat(), fc.constantFrom('drop', 'twice', 'swap', 'strange'), strange)
  .map(([at, other, how, put]) => (value) => {
    const pointers = pointersOf(value);
    const tokens = pointerTokens(pointers[at % pointers.length] ?? '');
    const elsewhere = findAt(value, pointerTokens(pointers[other % pointers.length] ?? '')) ?? null;
    return replaceAt(value, tokens, (inner) => {
      if (how === 'drop') return [];
      if (how === 'twice') return [inner, inner];
      return [how === 'swap' ? elsewhere : put];
    });
  });

function mutate(file: LoadedFile, mutations: readonly Mutation[]): LoadedFile {
  if (!file.source) return file;
  const changed = mutations.reduce((value, change) => change(value), file.source.value);
  const text = JSON.stringify(changed, null, 1);
  const parsed = parseSource(file.name, text);
  if (!parsed.ok) return { ...file, kind: undefined, source: undefined, problems: parsed.problems };
  return { ...file, kind: documentKindOf(file.path, parsed.value.value), source: parsed.value };
}

test('documents that ship, changed at random, are checked to the end', async () => {
  const counts = { sound: 0, broken: 0, typed: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...loaded),
      fc.nat(),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      async (documents, which, mutations) => {
        const own = documents.files.filter(({ path }) => !path.startsWith('chukwa:'));
        const target = own[which % own.length];
        const files = documents.files.map((file) => (file === target ? mutate(file, mutations) : file));
        const { ok, findings } = await validateLoaded(parts, { ...documents, files });
        counts[ok ? 'sound' : 'broken'] += 1;
        if (findings.some(({ code }) => /^(PATH_|REQUEST_|REDACTION_|ARGUMENTS_)/.test(code))) counts.typed += 1;
        for (const { line, column, code, message } of findings)
          assert.ok(line >= 1 && column >= 1 && message !== '', JSON.stringify({ line, column, code }));
      },
    ),
    { seed: 20_250_104, numRuns: 600 },
  );
  for (const [kind, count] of Object.entries(counts)) assert.ok(count >= 5, `${kind}: ${count}`);
});

test('the text of a document that ships, changed at random, is parsed or refused at a place', async () => {
  const text = await readFile(join(PACKAGE_ROOT, 'workflows/park/bob-workflow.json'), 'utf8');
  // Any character. The library's own unit for them makes a table of all of Unicode, which takes a second.
  const character = fc
    .nat(0x10_ffff - 0x800)
    .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));
  let refused = 0;
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(20), fc.string({ unit: character, maxLength: 5 }), (from, length, put) => {
      const parsed = parseSource('f.json', text.slice(0, from) + put + text.slice(from + length));
      if (parsed.ok) return;
      refused += 1;
      for (const { location } of parsed.problems) assert.ok(location !== undefined && location.line >= 1);
    }),
    { seed: 20_250_105, numRuns: 500 },
  );
  assert.ok(refused > 100, `${refused}`);
});

test('a mutation changes what it says and nothing else', () => {
  const object: JsonObject = { a: [1, 2], b: 'x' };
  assert.deepEqual(
    replaceAt(object, ['a', '0'], () => []),
    { a: [2], b: 'x' },
  );
  assert.deepEqual(
    replaceAt(object, ['a', '1'], (inner) => [inner, inner]),
    { a: [1, 2, 2], b: 'x' },
  );
  assert.deepEqual(
    replaceAt(object, ['b'], () => [null]),
    { a: [1, 2], b: null },
  );
});

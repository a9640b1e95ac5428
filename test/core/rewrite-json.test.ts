import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { rewriteJson } from '../../engine/core/content/rewrite-json.js';

const AUTHORED = `{
    "label": "bell",   "turns": 2,
    "answers": {
        "1": { "olav/act": { "json": {"kind": "final_patch", "patch": {"ops": [ ]}} } }
    },
    "tools": ["ring", "look"],
    "size": 1.0
}

`;

test('a JSON text with another value stays as its author wrote it where nothing has changed', () => {
  const value = JSON.parse(AUTHORED) as { readonly answers: { readonly '1': Readonly<Record<string, Json>> } };
  const { 'olav/act': answer = null } = value.answers['1'];
  const changed = {
    ...value,
    turns: 3,
    answers: { '1': { 'olav/decide': answer }, '2': { 'olav/decide': { json: [true] } } },
    tools: ['sound', 'look', 'go'],
  };
  const expected = AUTHORED.replace('"turns": 2', '"turns": 3')
    .replace('   "turns"', '\n    "turns"')
    .replace('olav/act', 'olav/decide')
    .replace(
      '} }\n    },',
      '} },\n        "2": {\n            "olav/decide": {\n                "json": [\n                    true\n                ]\n            }\n        }\n    },',
    )
    .replace('["ring", "look"]', '["sound", "look", "go"]');
  assert.equal(rewriteJson(AUTHORED, changed), expected);
  assert.equal(rewriteJson(AUTHORED, value), AUTHORED);
});

test('a JSON text holds the other value, whatever both are', () => {
  const values = fc.jsonValue({ maxDepth: 4 });
  const property = fc.property(values, values, fc.nat(3), (before, after, indentation) => {
    const text = JSON.stringify({ kept: before, other: [before] }, null, indentation);
    const wanted = JSON.parse(JSON.stringify({ kept: after, other: [before, after] })) as Json;
    assert.deepEqual(JSON.parse(rewriteJson(text, wanted)), wanted);
  });
  fc.assert(property, { seed: 5, numRuns: 500 });
});

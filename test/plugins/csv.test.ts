import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseTable, readRow } from '../../plugins/csv/answer.js';
import { findWanted } from '../../plugins/csv/request.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a table is read as it was written, whatever its values hold', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', '"', ',', '\n', '\r', ';') });
  const row = fc.array(value, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), (rows, end, isEnded) => {
      const lines = rows.map((one) => one.map((text) => `"${text.replaceAll('"', '""')}"`).join(','));
      assert.deepEqual(parseTable(lines.join(end) + (isEnded ? end : '')), rows);
    }),
  );
});

test('values need no quotes, an empty line is no row, and the last value may be empty', () => {
  assert.deepEqual(parseTable('id,age\r\n\r\nada,34\nben,'), [
    ['id', 'age'],
    ['ada', '34'],
    ['ben', ''],
  ]);
  assert.deepEqual(parseTable(''), []);
});

test('a quote out of its place is refused', () => {
  for (const text of ['a"b,c', '"a"b,c', '"a,b', 'a,"b']) assert.equal(parseTable(text), undefined, text);
});

test('a row is found by its key, and a table that leaves doubt is refused', () => {
  const found = (text: string, wanted = 'ada') => {
    const row = readRow(bytes(text), 'id', wanted);
    return row.ok ? row.value : row.failure_class;
  };
  assert.deepEqual(found('id,age\nada,34\n'), { id: 'ada', age: '34' });
  assert.equal(found('id,age\nada,34\n', 'Ada'), 'tool_error');
  assert.equal(found('id,age\nada,34\nada,35\n'), 'non_json');
  assert.equal(found('id,age\nada\n'), 'non_json');
  assert.equal(found('id,age,age\nada,1,2\n'), 'non_json');
  assert.equal(found('name,age\nada,34\n'), 'non_json');
  assert.equal(readRow(new Uint8Array([0xff]), 'id', 'ada').ok, false);
});

test('a request is the key alone', () => {
  assert.deepEqual(findWanted({ id: 2 }, 'id'), { ok: true, value: '2' });
  for (const request of [null, 'ada', ['ada'], {}, { id: null }, { id: 'ada', age: 34 }])
    assert.equal(findWanted(request, 'id').ok, false, JSON.stringify(request));
});

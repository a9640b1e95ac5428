import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid, namedUuid } from '../../engine/core/content/uuid.js';

test('a UUID that follows from names is one, of version 8, and another for other names', () => {
  const made = Array.from({ length: 100 }, (_, index) => namedUuid('park', `${index}`));
  for (const uuid of made) {
    assert.ok(isUuid(uuid), uuid);
    assert.match(uuid, /^.{14}8.{4}[89ab]/);
  }
  assert.equal(new Set(made).size, made.length);
  assert.equal(namedUuid('park', '7'), made[7]);
  assert.notEqual(namedUuid('a', 'b'), namedUuid('ab'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInvisible } from '../../engine/core/content/variable-value.js';
import { parseNatsUrl } from '../../engine/doorbells/nats-url.js';
import { parseCommand } from '../../engine/sources/command.js';
import { parseOrigin } from '../../engine/sources/origin.js';

test('an invisible character of a value is named by its number and its position', () => {
  for (const [character, code] of [
    ['\u200B', '200B'],
    ['\n', '000A'],
    ['\u00A0', '00A0'],
    ['\uFEFF', 'FEFF'],
  ] as const)
    assert.equal(findInvisible(`sk-1${character}2`), `an invisible character (U+${code}) at position 5`);
  for (const value of ['', 'Bearer sk-1', 'schl\u00FCssel']) assert.equal(findInvisible(value), undefined);
});

test('a command may be written on several lines, and holds nothing else that is unseen', () => {
  assert.equal(parseCommand('CHUKWA_MCP_A', 'node\n  server.mjs\n').ok, true);
  const refused = parseCommand('CHUKWA_MCP_A', '["node", "ser\u200Bver.mjs"]');
  assert.match(
    refused.ok ? '' : refused.message,
    /CHUKWA_MCP_A holds an invisible character \(U\+200B\) at position 14/,
  );
});

test('a password that is not encoded shows in parts in no message of a URL', () => {
  for (const sign of ['/', '#', '?', '\\\\']) {
    const [http, nats] = ['http', 'nats'].map((scheme) => `${scheme}://keeper:123${sign}canary@127.0.0.1`);
    for (const parsed of [parseOrigin('CHUKWA_A_URL', http ?? ''), parseNatsUrl(nats ?? '')]) {
      assert.equal(parsed.ok, false, sign);
      assert.match(JSON.stringify(parsed), /percent-encode the password/);
      assert.doesNotMatch(JSON.stringify(parsed), /canary|keeper|123/);
    }
  }
  for (const url of ['http://keeper:ca%2Fnary@127.0.0.1/base', 'http://keeper:c@nary@127.0.0.1'])
    assert.equal(parseOrigin('CHUKWA_A_URL', url).ok, true);
});

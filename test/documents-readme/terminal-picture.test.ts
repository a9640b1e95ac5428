import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawTerminal } from '../../tools/terminal-picture.js';

test('text that looks like markup is drawn as text', () => {
  const picture = drawTerminal(['<script>alert("1 & 2")</script>'], `'</title><script>`);
  assert.ok(!picture.includes('<script'), picture);
  assert.ok(picture.includes('&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;'), picture);
  assert.ok(picture.includes('<title>&#39;&lt;/title&gt;&lt;script&gt;</title>'), picture);
});

test('colours become fills, and no control is left', () => {
  const picture = drawTerminal(['plain \u001b[31mbad\u001b[39m\u0007 again'], 'colours');
  assert.match(picture, /fill="#ff8f8f">bad</);
  assert.match(picture, /fill="#d6deeb">plain</);
  assert.doesNotMatch(picture.replaceAll('\n', ''), /\p{Cc}/u);
});

test('each span is at its own column', () => {
  const [, first = '', second = ''] =
    /x="(\d+)"[^>]*>ab<.*x="(\d+)"[^>]*>cd</s.exec(drawTerminal(['\u001b[1mab\u001b[22m  cd'], 'columns')) ?? [];
  assert.equal(Number(second) - Number(first), 4 * 8);
});

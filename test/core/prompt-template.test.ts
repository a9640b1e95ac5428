import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PromptScope, renderPrompt } from '../../engine/core/prompt/render.js';
import { parsePromptText } from '../../engine/core/prompt/template.js';

/** A text as its parts, each placeholder by its name in angle brackets. */
function cut(text: string): string {
  const { parts, unknown, unclosed } = parsePromptText(text);
  const shown = parts.map((part) => (part.kind === 'text' ? part.text : `<${part.placeholder.name}>`));
  const faults = [
    ...unknown.map(({ offset, text: said }) => `${offset} ${said}`),
    ...(unclosed ? [`${unclosed.offset} open`] : []),
  ];
  return [shown.join('|'), ...faults].join(' ! ');
}

for (const [name, text, expected] of [
  ['text stays text', 'a { b } c }} d', 'a { b } c }} d'],
  ['a placeholder is cut out', 'in {{ world.slug }}!', 'in |<world.slug>|!'],
  ['placeholders may touch', '{{subject.id}}{{subject.name}}', '<subject.id>|<subject.name>'],
  ['an unknown name is told with its place', 'a{{b}}c', 'a|c ! 1 {{b}}'],
  ['braces close at the first that can', '{{{world.slug}}}', '} ! 0 {{{world.slug}}'],
  [
    'braces that never close are reported, and the rest is text',
    'a {{world.slug}} {{subject.id',
    'a |<world.slug>| {{subject.id ! 17 open',
  ],
  [
    'braces that do not close before others open are reported, and those others hold',
    '{{world.slug} and {{world.projection} and {{subject.id}} and {{subject.name}}',
    '{{world.slug} and {{world.projection} and |<subject.id>| and |<subject.name> ! 0 open',
  ],
  ['braces that open twice are told, and the second hold', '{{{{world.slug}}', '{{|<world.slug> ! 0 open'],
  ['braces that close at once are told alone, whatever opened before them', '{{a {{}}', '{{a  ! 4 {{}} ! 0 open'],
] as const) {
  test(`in a prompt ${name}`, () => assert.equal(cut(text), expected));
}

test('a prompt that reads what is not there names the placeholder', () => {
  const { parts } = parsePromptText('Hello {{subject.id}}: {{nodes.look.output.seen}}');
  const scope = { world: {}, subject: { id: 'bob', name: 'Bob' }, nodes: { look: { output: {} } } };
  const rendered = renderPrompt({ messages: [{ role: 'user', parts }] }, scope as unknown as PromptScope);
  assert.deepEqual(rendered, { ok: false, placeholder: 'nodes.look.output.seen' });
});

test('a prompt of braces that never close is looked through once', () => {
  const { parts, unclosed } = parsePromptText('{'.repeat(3_000_000));
  assert.deepEqual([parts.length, unclosed], [1, { offset: 0 }]);
  const closed = parsePromptText(`${'{'.repeat(3_000_000)}world.slug}}`);
  assert.deepEqual([closed.parts.length, closed.unclosed], [2, { offset: 0 }]);
  const many = parsePromptText('{{world.slug}}'.repeat(200_000));
  assert.deepEqual([many.parts.length, many.unclosed], [200_000, undefined]);
});

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { html, styleElement } from '../../../engine/surfaces/browser/html.js';
import { foldable, moment, worldTime } from '../../../engine/surfaces/browser/parts/text.js';
import { isNode, parseTypeScript, type SyntaxNode } from '../../architecture/syntax.js';
import { ROOT } from '../../support/park-stage.js';

test('moments of this world and of a played one name their zone', () => {
  for (const shown of [moment('2026-11-27T08:09:10.123Z'), worldTime('2026-11-27T08:09:00Z')])
    assert.match(shown.toString(), />[^<]*0?8:09[^<]*<span class="zone">UTC<\/span><\/time>$/);
});

test('a long text is folded behind its first words with its length, and a short one is not', () => {
  assert.equal(foldable('word '.repeat(100)).toString(), 'word '.repeat(100));
  const folded = foldable('word '.repeat(200)).toString();
  assert.match(folded, /^<details class="long"><summary>(word )+word… <span class="dim">1.000 characters<\/span>/);
  assert.ok(folded.endsWith(`</summary>${'word '.repeat(200)}</details>`));
});

describe('the html tag', () => {
  test('the html tag escapes a value in text and in an attribute', () => {
    const hostile = `<script>alert("1")</script>' & x`;
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39; &amp; x';
    assert.equal(html`<p title="${hostile}">${hostile}</p>`.toString(), `<p title="${escaped}">${escaped}</p>`);
  });

  test('the html tag shows characters that reorder or hide text', () => {
    assert.equal(html`${'abc\u202edef\u0007\u001b[31m'}`.toString(), 'abc\\u202edef\\u0007\\u001b[31m');
  });

  test('the html tag keeps markup of its own, joins lists, and leaves nothing out as nothing', () => {
    assert.equal(html`${[html`<b>1</b>`, undefined, null, false, 0]}`.toString(), '<b>1</b>0');
  });

  test('the html tag refuses a link to another host, or to a script', () => {
    for (const path of ['javascript:alert(1)', '//evil.example', '/\\evil.example', 'https://evil.example', ' /x'])
      assert.throws(() => html`<a href="${path}">x</a>`, /leads elsewhere/);
    assert.equal(html`<a href="${'/worlds/park'}">x</a>`.toString(), '<a href="/worlds/park">x</a>');
  });

  test('the html tag refuses a value in an attribute without quotes', () => {
    assert.throws(() => html`<a title=${'x'}>x</a>`, /no quotes/);
  });

  test('the html tag refuses a stylesheet that could end its element', () => {
    assert.throws(() => styleElement('a { color: red }</style><script>'), /holds markup/);
  });

  test('the html tag takes no other object for markup', () => {
    const forged = { toString: () => '<script>' } as unknown as string;
    assert.equal(html`${forged}`.toString(), '&lt;script&gt;');
  });
});

test('no file of the browser but the tag writes markup as text', async () => {
  const folder = join(ROOT, 'engine/surfaces/browser');
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && file !== 'html.ts',
  );
  assert.ok(files.length > 20);
  for (const file of files) assert.deepEqual(findMarkup(await readFile(join(folder, file), 'utf8')), [], file);
  assert.deepEqual(findMarkup("const a = '<b>' + name;"), ['<b>']);
  assert.deepEqual(findMarkup('const a = `<b>${name}</b>`;'), ['<b>', '</b>']);
});

/** Markup in texts and templates that no `html` tag makes safe. */
function findMarkup(source: string): readonly string[] {
  const { nodes } = parseTypeScript(source);
  const tagged = nodes.flatMap((node) =>
    node.type === 'TaggedTemplateExpression' && (node['tag'] as { value?: unknown }).value === 'html'
      ? [node['template']]
      : [],
  );
  const safe = new Set(tagged.flatMap((node) => (isNode(node) ? quasisOf(node) : [])));
  return nodes.flatMap((node) => {
    const text = node.type === 'StringLiteral' ? node['value'] : node.type === 'TemplateElement' ? node['raw'] : '';
    return typeof text === 'string' && !safe.has(node) && /<\/?[a-z]/i.test(text) ? [text] : [];
  });
}

function quasisOf(template: SyntaxNode): readonly unknown[] {
  return template['quasis'] as readonly unknown[];
}

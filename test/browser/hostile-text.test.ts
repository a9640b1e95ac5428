import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Json } from '../../engine/contract/json.js';
import { openTestDatabase } from '../support/databases.js';
import { NEEDS_CHROMIUM, openChromium, type OwnBrowser } from '../support/chromium.js';
import { loadScript } from '../support/park-stage.js';
import { type ServedPark, servePark, TOKENS } from '../support/served-park.js';
import { makeWorld } from '../store/record-fixtures.js';
import { runTurns } from '../../engine/catalogue/actions/worlds.js';
import { act } from '../../engine/catalogue/act.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';

/** Markup for texts, attributes, styles and pictures; characters that reorder text or that a terminal would obey. */
const HOSTILE = [
  `<img src="/x" onerror="document.title='owned'"><script>document.title='owned'</script>`,
  `</pre></section></svg></title></style><iframe src="/"></iframe><form action="/sign-out"><input name=form_token>`,
  `" onmouseover="document.title='owned'" x="' autofocus onfocus='document.title="owned"' <!-- ]]>`,
  `javascript:document.title='owned' &lt;b&gt; {{subject.name}}`,
  '\u202ereversed\u2066 \u200fright\u061c \u001b]8;;http://evil.example\u0007a link\u001b]8;;\u0007 \u001b[2J\u009b31m',
].join('\n');
const ATTEMPTS = 10_000;
const MEGABYTE = 1_048_576;

/** Elements that no page of ours holds; of forms, those that are ours are left out. */
const FOREIGN =
  'img, script:not([src^="/copy.js?"], [src^="/live.js?"], [src^="/pace.js?"]), iframe, object, embed, style, [onerror], [onmouseover], [onfocus], [autofocus], form[action="/sign-out"] input';
const UNSEEN = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u001b\u0007\u009b]/;

describe('hostile text in a browser', NEEDS_CHROMIUM, () => {
  let chromium: OwnBrowser;
  let page: Page;

  before(async () => {
    chromium = await openChromium();
    page = await chromium.newPage();
  });
  after(() => chromium?.close());

  /** Opens a page and looks for what a text has made of it. @returns what is to be read on it */
  async function look(url: string): Promise<string> {
    const response = await page.goto(url);
    assert.equal(response?.status(), 200, url);
    const text = (await page.locator('main').textContent()) ?? '';
    assert.doesNotMatch(text, UNSEEN, url);
    assert.equal(await page.locator(FOREIGN).count(), 0, url);
    assert.doesNotMatch(await page.title(), /owned/, url);
    return text;
  }

  test('hostile text in a browser creates no element on any page, runs nothing, and stays readable', async (t) => {
    const park = await servePark(withHostileText(await loadScript('park')));
    t.after(() => park.close());
    const { world_slug, attempts } = park.play;
    assert.deepEqual(
      attempts.map(({ failure_message }) => failure_message),
      [null, null, null],
    );
    await act(
      park.stage.engine,
      runTurns,
      { world_slug, turns: 1 },
      { acted_by: 'token', surface: 'http', address: '', reason: HOSTILE },
    );
    await page.goto(park.server.makeSignInLink());
    let shown = 0;
    for (const path of listPaths(park)) if ((await look(`${park.server.url}${path}`)).includes('<img src=')) shown += 1;
    assert.ok(shown > 8, `the text was shown on ${shown} pages`);
  });

  test('hostile text in a browser of a megabyte without a space leaves a page that is small, and no wider than a phone', async (t) => {
    const script = await loadScript('park');
    const first = { ...script.turns['1'] };
    const long = { text: `<script>${'x'.repeat(MEGABYTE)}` };
    const ant = first['ant/act/round-1/try-1'];
    assert.ok(ant);
    const turns = { ...script.turns, '1': { ...first, 'ant/act/round-1/try-1': long, 'ant/act/round-1/try-2': ant } };
    const park = await servePark({ ...script, turns });
    t.after(() => park.close());
    const call = park.play.attempts[0]?.invocations.find(({ failure_class }) => failure_class !== null);
    await page.goto(park.server.makeSignInLink());
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of [`/llm-calls/${call?.llm_call_id}`, `/attempts/${park.play.attempts[0]?.attempt_id}`]) {
      const text = await look(`${park.server.url}${path}`);
      assert.ok(text.length < 200_000, `${path} has ${text.length} characters`);
      const over = (await page.evaluate<number>('document.documentElement.scrollWidth')) - 390;
      assert.ok(over <= 0, `${path} is ${over} pixels too wide`);
    }
  });

  test('hostile text in a browser in ten thousand attempts of a world is text in every row', async (t) => {
    const { store, outside, close } = await openTestDatabase('PostgreSQL');
    t.after(close);
    await makeWorld(store, 'crowded');
    await outside.query(
      `INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, status, scenario_hash, renderer_version,
         plugin_versions, holder_host, holder_pid, failure_class, failure_message, started_at, ended_at)
       SELECT world_slug, named_uuid('attempt', number::text), 1, number, 'failed', scenario_hash, '1', '{}', 'here', 1,
         'transport', $1, now(), now()
       FROM worlds, generate_series(1, $2::int) AS number WHERE world_slug = 'crowded'`,
      [HOSTILE.replaceAll('\u0000', ''), ATTEMPTS],
    );
    const refuse = async () => ({ ok: false, because: 'content', problems: [] }) as const;
    const server = await startServer(
      {
        report: refuse,
        act: refuse,
        isReady: async () => true,
        use: async () => ({ ok: false, because: 'environment', problems: [] }) as const,
        checkReadable: async () => ({ ok: true, value: undefined }),
        look: (operation) => operation({ store }),
      },
      TOKENS,
      { host: '127.0.0.1', port: 0 },
    );
    t.after(() => server.close(0));
    await page.goto(server.makeSignInLink());
    await look(`${server.url}/worlds/crowded`);
    assert.ok((await page.content()).length < 100_000);
    const [latest] = (await store.records.attempts('crowded')).slice(-1);
    assert.match(await look(`${server.url}/attempts/${latest?.attempt_id}`), /<img src=/);
    await look(`${server.url}/worlds/crowded/attempts`);
    assert.ok((await page.locator('main tbody tr').count()) > 40);
  });
});

function listPaths({ play }: ServedPark): readonly string[] {
  const { world_slug, attempts } = play;
  const [first] = attempts;
  const calls = first?.invocations ?? [];
  return [
    `/worlds/${world_slug}`,
    `/worlds/${world_slug}/turns/1`,
    `/worlds/${world_slug}/diff`,
    `/attempts/${first?.attempt_id}`,
    `/attempts/${attempts[1]?.attempt_id}/diff?other=${attempts[0]?.attempt_id}`,
    ...(first?.agent_turns ?? []).map(({ agent_turn_id }) => `/agent-turns/${agent_turn_id}`),
    ...calls.map(({ source_invocation_id: id }) => `/source-invocations/${id}`),
    ...calls.flatMap(({ llm_call_id: id }) => (id === null ? [] : [`/llm-calls/${id}`])),
  ];
}

/** The park's script in which every narration, state and memory is hostile. */
function withHostileText(answers: Answers): Answers {
  const change = (value: Json, member = ''): Json => {
    if (typeof value === 'string') return ['narration', 'state', 'content'].includes(member) ? HOSTILE : value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((item: Json) => change(item));
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item, name)]));
  };
  return change(answers as unknown as Json) as unknown as Answers;
}

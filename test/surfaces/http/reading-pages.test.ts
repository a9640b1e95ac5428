import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { settleCall } from '../../../engine/catalogue/actions/calls.js';
import { act } from '../../../engine/catalogue/act.js';
import { compareWords } from '../../../engine/surfaces/browser/parts/change.js';
import { STYLE } from '../../../engine/surfaces/browser/assets.js';
import { misbehave } from '../../support/faults.js';
import { loadScript } from '../../support/park-stage.js';
import { type ServedPark, servePark, TOKENS } from '../../support/served-park.js';

/** A zero-width space, a variation selector, a mark of direction, a tag and a soft hyphen. */
const HIDDEN = 'calm\u200b\ufe0f\u202e\u{e0041}\u00ad';

describe('what a page says', () => {
  let park: ServedPark;

  before(async () => {
    const script = await loadScript('park');
    const says = JSON.parse(
      JSON.stringify(script).replaceAll('"narration":"', `"narration":"${HIDDEN}`),
    ) as typeof script;
    park = await servePark(says);
  });
  after(() => park?.close());

  async function read(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${TOKENS.operator_token}`, accept: 'text/html' };
    const response = await fetch(`${park.server.url}${path}`, { headers });
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return text;
  }

  test('a page of a world until an earlier turn is that turn: its places, its time, and ways on', async () => {
    const { world_slug } = park.play;
    const page = await read(`/worlds/${world_slug}?until=1`);
    assert.match(page, new RegExp(`<h1>${world_slug} until turn 1</h1>`));
    assert.match(page, /Turn 1 of 3/);
    assert.ok(page.includes(`href="/worlds/${world_slug}" title="${world_slug}">now, at turn 3`));
    const shown = JSON.parse(await read(`/worlds/${world_slug}?until=1&format=json`)) as Record<string, unknown>;
    const { entities, environments, simulation_time } = await park.stage.world(world_slug, 1);
    assert.deepEqual(
      [shown['entities'], shown['environments'], shown['simulation_time'], shown['turn'], shown['last_turn']],
      [JSON.parse(JSON.stringify(entities)), environments, simulation_time, 1, 3],
    );
  });

  test('an exact text shows each character that is never drawn', async () => {
    const call = park.play.attempts[0]?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
    const page = await read(`/llm-calls/${call?.llm_call_id}`);
    assert.ok(page.includes(String.raw`calm<span class="hidden">\u200b\ufe0f\u202e\udb40\udc41\u00ad</span>`));
    assert.doesNotMatch(page, /\u200b|\ufe0f|\u00ad/);
  });

  test('a stylesheet is kept for ever under the name of its own version alone', async () => {
    for (const [path, cached] of [
      [STYLE.path, /immutable/],
      ['/style.css?v=anything', /^no-cache$/],
      ['/style.css', /^no-cache$/],
    ] as const)
      assert.match((await fetch(`${park.server.url}${path}`)).headers.get('cache-control') ?? '', cached, path);
  });

  test('a settled call and its attempt say how it was settled, and warn of nothing', async () => {
    const { stage } = park;
    misbehave(stage.toys.vending, 'reset_connection');
    const { attempts } = await stage.play({ scenario: 'tools' });
    misbehave(stage.toys.vending);
    const [attempt] = attempts;
    const source_invocation_id = attempt?.failed_source_invocation_id ?? '';
    const pages = [`/attempts/${attempt?.attempt_id}`, `/source-invocations/${source_invocation_id}`];
    for (const path of pages) assert.match(await read(path), /class="reason failure">/);
    const by = { acted_by: 'token', surface: 'http', address: '', reason: 'the machine sold nothing' } as const;
    assert.ok((await act(stage.engine, settleCall, { source_invocation_id }, by)).ok);
    for (const path of pages) {
      const page = await read(path);
      assert.match(page, /Settled.*did not take place.*the machine sold nothing/);
      assert.doesNotMatch(page, /class="reason failure"/);
    }
  });

  test('two texts that are much alike are compared word by word', () => {
    assert.deepEqual(compareWords('Bob sits on the old bench.', 'Bob sleeps on the old bench.'), [
      { kind: 'same', text: 'Bob ' },
      { kind: 'gone', text: 'sits ' },
      { kind: 'new', text: 'sleeps ' },
      { kind: 'same', text: 'on the old bench.' },
    ]);
    assert.equal(compareWords('It rains.', 'Ant walks home with a candy bar.'), undefined);
  });
});

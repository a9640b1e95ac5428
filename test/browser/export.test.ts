import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import type { JsonObject } from '../../engine/contract/json.js';
import type { PagesToExport } from '../../engine/operations/composition.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { writePages } from '../../engine/operations/worlds/write-pages.js';
import { exportPages } from '../../engine/surfaces/browser/export.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { NEEDS_CHROMIUM, openChromium, type OwnBrowser } from '../support/chromium.js';
import { loadScript, must, openParkStage, type ParkStage, type Play } from '../support/park-stage.js';

describe('pages in a file', NEEDS_CHROMIUM, () => {
  let stage: ParkStage;
  let play: Play;
  let other: Play;
  let chromium: OwnBrowser;
  let folder = '';
  const asked: string[] = [];

  before(async () => {
    [stage, chromium, folder] = await Promise.all([
      openParkStage('PostgreSQL'),
      openChromium(),
      mkdtemp(join(tmpdir(), 'chukwa-pages-')),
    ]);
    play = await stage.play({ scenario: 'park', turns: 3 });
    other = await stage.play({ scenario: 'park', turns: 1 });
  });
  after(async () => {
    await chromium?.close();
    await stage?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes the pages, and opens them from the file without scripts. */
  async function open(file: string, attempt_id?: string): Promise<Page> {
    const { world_slug } = play;
    const wanted = { world_slug, ...(attempt_id === undefined ? {} : { attempt_id }) };
    must(await writePages({ exportPages }, stage.engine, { ...wanted, file, working_folder: folder }));
    const context = await chromium.newContext({ javaScriptEnabled: false, offline: true });
    const page = await context.newPage();
    asked.length = 0;
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(join(folder, file)).href);
    return page;
  }

  const exportText = async (wanted: PagesToExport): Promise<string> =>
    must(await exportPages(stage.engine, wanted)).text;

  const requests = (): readonly string[] => asked.filter((url) => !url.startsWith('data:')).slice(1);

  test('lead from a world to the prompt behind what Bob did, send no request, and hold no script', async () => {
    const page = await open('park.html');
    const title = () => page.locator('.leaf:visible h1').innerText();
    assert.equal(await title(), play.world_slug);
    await page.getByRole('link', { name: 'Why did bob do that in turn 2?' }).click();
    assert.match(await title(), /What bob was asked/);
    assert.match(await page.locator('.leaf:visible').innerText(), /cold front/);
    await page.getByRole('link', { name: /attempt at turn 2/ }).click();
    assert.match(await title(), /Attempt at turn 2/);
    await page.locator('.leaf:visible svg.timeline a', { hasText: 'tool buy_candy' }).click();
    assert.equal(await title(), 'buy_candy');
    await page.goBack();
    assert.match(await title(), /Attempt at turn 2/);
    await page.getByRole('link', { name: 'All pages' }).click();
    assert.equal(await title(), 'All pages');
    assert.deepEqual(requests(), []);
    assert.equal(await page.locator('script, form, img, iframe, link[rel=stylesheet]').count(), 0);
  });

  test('pages in a file have links within the file alone, each of which leads to a place that is there', async () => {
    const text = await exportText({ world_slug: play.world_slug });
    assert.ok(listLinks(text).length > 500, `${listLinks(text).length} links`);
    assert.deepEqual(listDeadLinks(text), []);
    assert.match(text, /<nav class="trail"/);
    assert.doesNotMatch(text, /<nav class="trail"[^>]*>((?!<\/nav>).)*<a>/, 'a crumb without a link');
    const places = listPlaces(text);
    assert.equal(new Set(places).size, places.length, 'each place has a name of its own');
  });

  test('a file takes less than 180 KB a turn of the park, and holds each long text once', async () => {
    const text = await exportText({ world_slug: play.world_slug });
    const bytes = Buffer.byteLength(text) / 3;
    assert.ok(bytes < 180_000, `${Math.round(bytes)} bytes a turn`);
    const long = [...text.matchAll(/<pre[^>]*>([^]*?)<\/pre>/g)].map(([, said = '']) =>
      said.replaceAll(/<[^>]*>/g, ''),
    );
    const texts = long.filter(({ length }) => length > 600);
    assert.ok(texts.length > 20 && new Set(texts).size === texts.length, 'a text stands in two places');
    assert.match(text, /<a href="#page-\d+-prompt">The same text as in “What \w+ was asked, and said”<\/a>/);
  });

  test('hold nothing of another world, and nothing of operators', async () => {
    const { world_slug } = play;
    await stage.engine.store.actions.begin({
      world_slug,
      action_id: stage.engine.runtime.clock.uuid(),
      action: 'run_turns',
      acted_by: 'session of-mine',
      surface: 'browser',
      address: '127.0.0.1',
      reason: 'a reason of mine',
      details: {},
      attempt_id: null,
      source_invocation_id: null,
      acted_at: Date.now(),
    });
    const text = await exportText({ world_slug });
    assert.ok(!text.includes(other.world_slug) && !text.includes(other.attempts[0]?.attempt_id ?? ''));
    assert.ok(!text.includes('a reason of mine'));
  });

  test('pages in a file of one attempt hold it and its calls, and no other attempt', async () => {
    const [first, second] = play.attempts;
    const page = await open('attempt.html', second?.attempt_id);
    assert.match(await page.locator('.leaf:visible h1').innerText(), /Attempt at turn 2/);
    const text = await readFile(join(folder, 'attempt.html'), 'utf8');
    assert.ok(!text.includes(first?.attempt_id ?? ''), 'the first attempt');
    await page.locator('.leaf:visible svg.timeline a', { hasText: 'tool buy_candy' }).click();
    assert.equal(await page.locator('.leaf:visible h1').innerText(), 'buy_candy');
    assert.deepEqual(requests(), []);
  });

  test('pages in a file of one attempt hold nothing of the one that it is compared with', async () => {
    const script = await loadScript('park');
    const broken = { ...script.turns['2'], 'ant/act/round-1/try-1': { status: 500 } };
    const turns = { ...script.turns, '2': broken };
    const { after: world, attempts } = await stage.play({ scenario: 'park', turns: 2, says: { ...script, turns } });
    stage.model.setScript(script);
    const [committed] = (await stage.run(world)).attempts;
    assert.equal(committed?.adopts, attempts[1]?.attempt_id);
    const page = await exportText({ world_slug: world.world_slug, attempt_id: committed?.attempt_id ?? '' });
    assert.doesNotMatch(page, /Two attempts at turn 2|status 500/);
    assert.match(await exportText({ world_slug: world.world_slug }), /Two attempts at turn 2/);
  });

  test('show as text what a model said that looks like a link, where no page is behind it', async () => {
    const named = { llm_call_id: stage.engine.runtime.clock.uuid() };
    const { world_slug } = await stage.play({ scenario: 'park', says: await answering('1', named) });
    const text = await exportText({ world_slug });
    assert.ok(text.includes(named.llm_call_id), 'what the model said');
    assert.deepEqual(listDeadLinks(text), []);
  });

  test('pages in a file of a world leave out other worlds, even where a text names them', async () => {
    const [foreign] = other.attempts;
    const call = foreign?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
    const named = {
      attempt_id: foreign?.attempt_id ?? '',
      agent_turn_id: foreign?.agent_turns[0]?.agent_turn_id ?? '',
      source_invocation_id: call?.source_invocation_id ?? '',
      llm_call_id: call?.llm_call_id ?? '',
    };
    const { world_slug } = await stage.play({ scenario: 'park', says: await answering('1', named) });
    const text = await exportText({ world_slug });
    assert.ok(
      Object.values(named).every((id) => id !== '' && text.includes(id)),
      'what the model said',
    );
    assert.ok(!text.includes(other.world_slug));
    assert.deepEqual(listDeadLinks(text), []);
  });

  test('pages in a file of an attempt leave out the calls of other attempts, even where a text names them', async () => {
    const first = await stage.play({ scenario: 'park' });
    const { world_slug, after: world } = first;
    const [call] = first.attempts[0]?.invocations ?? [];
    stage.model.setScript(await answering('2', { source_invocation_id: call?.source_invocation_id ?? '' }));
    const { attempts } = await stage.run(world);
    const text = await exportText({ world_slug, attempt_id: attempts[0]?.attempt_id ?? '' });
    assert.ok(text.includes(call?.source_invocation_id ?? 'none'), 'what the model said');
    assert.match(text, />attempt at turn 2</);
    assert.doesNotMatch(text, />attempt at turn 1</);
  });

  test('pages in a file of a fork hold the turns that it shares, and none after them', async () => {
    const world_slug = 'fork-of-the-park';
    const request = { source_slug: play.world_slug, at_turn: 1, world_slug };
    const world = must(await forkWorld(stage.engine, request));
    const [shared, later] = play.attempts;
    stage.model.setScript(await answering('2', { attempt_id: later?.attempt_id ?? '' }));
    await stage.run(world);
    const text = await exportText({ world_slug });
    const title = (turn: number): string => `<h1>Attempt at turn ${turn} of ${play.world_slug}</h1>`;
    assert.ok(shared && text.includes(title(1)), 'the shared turn');
    assert.ok(later && text.includes(later.attempt_id), 'what the model said');
    assert.ok(!text.includes(title(2)), 'the turn after it');
  });

  test('pages in a file of a world that has played nothing hold no prompt of another', async () => {
    const { world_slug } = await stage.makeWorld({ scenario: 'park' });
    const text = await exportText({ world_slug });
    assert.match(text, /as it was written/);
    assert.doesNotMatch(text, /as it was sent/);
  });

  test('hold narrations unchanged, and pictures that find their parts', async () => {
    const script = await loadScript('park');
    const turns = JSON.stringify(script.turns).replaceAll(/"narration":"/g, '"narration":"By url(#lamp) id=0: ');
    const says = { ...script, turns: JSON.parse(turns) as Answers['turns'] };
    const { world_slug } = await stage.play({ scenario: 'park', says });
    const text = await exportText({ world_slug });
    assert.match(text, /<div class="prose">By url\(#lamp\) id=0: /);
    const parts = [...text.matchAll(/ (?:fill|marker-end)="url\(#([^"]+)\)"/g)].map(([, place = '']) => place);
    assert.ok(parts.length > 0);
    const places = new Set(listPlaces(text));
    assert.deepEqual(
      parts.filter((place) => !places.has(place)),
      [],
    );
  });

  test('replace no file, and are refused for an attempt of another world', async () => {
    const { world_slug } = play;
    const request = { world_slug, file: 'park.html', working_folder: folder };
    const again = await writePages({ exportPages }, stage.engine, request);
    assert.equal(!again.ok && again.problems[0]?.code, 'FILE_EXISTS');
    const attempt_id = other.attempts[0]?.attempt_id ?? '';
    const foreign = await writePages({ exportPages }, stage.engine, { ...request, file: 'x.html', attempt_id });
    assert.equal(!foreign.ok && foreign.problems[0]?.code, 'ATTEMPT_UNKNOWN');
    const unknown = await writePages({ exportPages }, stage.engine, {
      ...request,
      world_slug: 'nobody',
      file: 'x.html',
    });
    assert.equal(!unknown.ok && unknown.problems[0]?.code, 'WORLD_UNKNOWN');
  });
});

const listPlaces = (text: string): readonly string[] => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

const listLinks = (text: string): readonly string[] =>
  [...text.matchAll(/ href="([^"]*)"/g)].map(([, link = '']) => link).filter((link) => link !== 'data:,');

function listDeadLinks(text: string): readonly string[] {
  const places = new Set(listPlaces(text));
  return [...new Set(listLinks(text))].filter((link) => !link.startsWith('#') || !places.has(link.slice(1)));
}

/** The park's script in which the ant's first answer in a turn is this object, which is rejected. */
async function answering(turn: string, said: JsonObject): Promise<Answers> {
  const script = await loadScript('park');
  const answers = script.turns[turn] ?? {};
  const ant = answers['ant/act/round-1/try-1'];
  assert.ok(ant);
  const first = { text: JSON.stringify(said) };
  return {
    ...script,
    turns: { ...script.turns, [turn]: { ...answers, 'ant/act/round-1/try-1': first, 'ant/act/round-1/try-2': ant } },
  };
}

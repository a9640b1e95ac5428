import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { HttpServer } from '../../engine/operations/composition.js';
import { NEEDS_CHROMIUM, openChromium, type OwnBrowser } from '../support/chromium.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { serveStored } from '../support/stream-servers.js';
import { waitUntil } from '../support/wait-until.js';

/** The model waits before this piece of its first answer. */
const HELD_PIECE = 4;

describe('a page of what goes on', NEEDS_CHROMIUM, () => {
  const open = sharedStage('PostgreSQL');
  let chromium: OwnBrowser;

  before(async () => {
    chromium = await openChromium();
  });
  after(() => chromium?.close());

  /** A page of somebody who has signed in, in which a mark stands that a reload would remove. */
  async function openPage(server: HttpServer, path: string): Promise<Page> {
    const page = await (await chromium.newContext()).newPage();
    await page.goto(server.makeSignInLink());
    await page.goto(`${server.url}${path}`);
    await page.evaluate('globalThis.mark = 1');
    return page;
  }

  const isUntouched = (page: Page): Promise<boolean> => page.evaluate<boolean>('globalThis.mark === 1');
  const noteOf = (page: Page): Promise<string> => page.locator('.live').innerText();
  const waitForNote = (page: Page, words: RegExp): Promise<void> =>
    waitUntil(async () => words.test(await noteOf(page)));

  test('an attempt grows as it happens, and says when it is over', async (t) => {
    const stage = await open();
    stage.model.setScript(await loadScript('park'));
    const goOn = holdFirstAnswer(stage);
    const world = await stage.makeWorld({ scenario: 'park' });
    const server = await serveStored(t, stage.engine);
    const running = stage.run(world);
    const page = await openPage(server, `/attempts/${await findRunning(stage, world.world_slug)}`);
    await waitForNote(page, /grows as it happens/);
    const bars = page.locator('svg.timeline a');
    await page.locator('#running .so-far').first().waitFor();
    const shown = await bars.count();
    await page.locator('#events details').evaluate((one: { open: boolean }) => (one.open = true));
    goOn();
    await waitUntil(async () => (await bars.count()) > shown);
    const { attempts } = await running;
    await waitForNote(page, /over/);
    assert.equal(await bars.count(), attempts[0]?.invocations.length);
    assert.match(await page.locator('.lede').innerText(), /committed/);
    assert.equal(await page.locator('#events details').getAttribute('open'), '', 'the events stay unfolded');
    assert.ok(await isUntouched(page), 'the page was loaded anew');
  });

  test('the page of a generation grows as the model speaks', async (t) => {
    const stage = await open();
    stage.model.setScript(await loadScript('park'));
    const goOn = holdFirstAnswer(stage);
    const world = await stage.makeWorld({ scenario: 'park' });
    const server = await serveStored(t, stage.engine);
    const running = stage.run(world);
    const attempt_id = await findRunning(stage, world.world_slug);
    const page = await openPage(server, `/llm-calls/${await findGeneration(stage, attempt_id)}`);
    const said = page.locator('#answer');
    await waitUntil(async () => /kind/.test(await said.innerText()));
    const { length } = await said.innerText();
    goOn();
    await waitUntil(async () => (await said.innerText()).length > length);
    await waitForNote(page, /over/);
    assert.match(await page.locator('#answer .prose').innerText(), /Bob/);
    assert.ok(await isUntouched(page), 'the page was loaded anew');
    await running;
  });

  test('a world says that its server is lost, and goes on after the restart', async (t) => {
    const stage = await open();
    stage.model.setScript(await loadScript('park'));
    stage.model.onPiece(async () => {});
    const world = await stage.makeWorld({ scenario: 'park' });
    const first = await serveStored(t, stage.engine);
    const page = await openPage(first, `/worlds/${world.world_slug}`);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await waitForNote(page, /grows as it happens/);
    await first.close(0);
    await waitForNote(page, /out of reach/);
    await stage.run(world);
    await serveStored(t, stage.engine, Number(new URL(first.url).port));
    await waitForNote(page, /grows as it happens/);
    await page.locator('#story li, #story article, #story h3').first().waitFor();
    assert.match(await page.locator('#story').innerText(), /Bob/);
    await stage.run(world);
    await waitUntil(async () => /Turn 2/.test(await page.locator('.lede').innerText()));
    assert.ok(await isUntouched(page), 'the page was loaded anew');
    assert.deepEqual(problems, []);
  });

  test('nothing but this server is asked, and a policy lets no other script run', async (t) => {
    const stage = await open();
    const play = await stage.play({ scenario: 'park' });
    const server = await serveStored(t, stage.engine);
    const page = await (await chromium.newContext()).newPage();
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    await page.goto(server.makeSignInLink());
    await page.goto(`${server.url}/worlds/${play.world_slug}`);
    await waitForNote(page, /grows as it happens/);
    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.body.append(script);
    `);
    assert.equal(await page.evaluate('globalThis.ran'), undefined);
    assert.deepEqual(
      [...asked].filter((origin) => origin !== 'null'),
      [server.url],
    );
  });
});

/** Holds the model's first answer in its midst, however slowly a page opens, until the function that it gives is called. */
function holdFirstAnswer(stage: ParkStage): () => void {
  const { promise: isSeen, resolve: goOn } = newPromise();
  let pieces = 0;
  stage.model.onPiece(() => ((pieces += 1) === HELD_PIECE ? isSeen : sleep(1)));
  return goOn;
}

/** The open attempt of a world. */
async function findRunning(stage: ParkStage, world_slug: string): Promise<string> {
  for (;;) {
    const [attempt] = await stage.engine.store.records.attempts(world_slug);
    if (attempt !== undefined) return attempt.attempt_id;
    await sleep(5);
  }
}

/** The first generation of an attempt. */
async function findGeneration(stage: ParkStage, attempt_id: string): Promise<string> {
  for (;;) {
    const attempt = await stage.engine.store.records.attempt(attempt_id);
    const call = attempt?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
    if (call?.llm_call_id) return call.llm_call_id;
    await sleep(5);
  }
}

function newPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

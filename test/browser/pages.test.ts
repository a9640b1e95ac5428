import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { NEEDS_CHROMIUM, openChromium, type OwnBrowser } from '../support/chromium.js';
import { must } from '../support/park-stage.js';
import { type ServedPark, servePark, TOKENS } from '../support/served-park.js';

const WIDTHS = [360, 390, 820, 1280];

describe('the pages in a browser', NEEDS_CHROMIUM, () => {
  let park: ServedPark;
  let chromium: OwnBrowser;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    [park, chromium] = await Promise.all([servePark(), openChromium()]);
    context = await chromium.newContext({ javaScriptEnabled: true });
    page = await context.newPage();
    await page.goto(park.server.makeSignInLink());
    const { world_slug } = park.play;
    must(await forkWorld(park.stage.engine, { source_slug: world_slug, at_turn: 1, world_slug: 'park-forked' }));
  });
  after(async () => {
    await chromium?.close();
    await park?.close();
  });

  const open = (path: string) => page.goto(`${park.server.url}${path}`);

  /** One page of each kind that people come for. */
  async function listPaths(): Promise<readonly string[]> {
    const { world_slug, attempts } = park.play;
    const attempt = attempts[1];
    const call = attempt?.invocations.find(({ failure_class }) => failure_class !== null);
    const { workflow_hash } = await park.stage.llmCall(call?.llm_call_id ?? null);
    return [
      '/',
      `/worlds/${world_slug}`,
      `/worlds/${world_slug}/turns/2`,
      `/worlds/${world_slug}/diff?from=0&to=3`,
      `/worlds/${world_slug}/diff?other=park-forked`,
      `/attempts/${attempt?.attempt_id}`,
      `/attempts/${attempt?.attempt_id}/diff?other=${attempts[0]?.attempt_id}`,
      `/agent-turns/${attempt?.agent_turns[0]?.agent_turn_id}`,
      `/source-invocations/${call?.source_invocation_id}`,
      `/llm-calls/${call?.llm_call_id}`,
      `/cognition-workflows/hash/${workflow_hash}`,
      '/source-invocations',
      '/scenarios',
      '/inbox',
    ];
  }

  test('a link signs in once, and leads to the worlds', async () => {
    await open('/');
    assert.equal(await page.locator('h1').innerText(), 'Worlds');
  });

  test('three clicks lead from the worlds to the prompt behind what Bob did', async () => {
    await open('/');
    await page.getByRole('link', { name: park.play.world_slug, exact: true }).click();
    await page.getByRole('link', { name: 'Why did bob do that in turn 2?' }).click();
    assert.match(await page.locator('h1').innerText(), /What bob was asked/);
    assert.match(await page.locator('#prompt').innerText(), /cold front/);
    assert.match(await page.locator('#answer').innerText(), /buys the last candy bar/);
    await page.getByRole('link', { name: /attempt at turn 2/ }).click();
    assert.match(await page.locator('h1').innerText(), /Attempt at turn 2/);
  });

  test('a bar of the timeline leads to its call, by mouse and by keyboard', async () => {
    const [, attempt] = park.play.attempts;
    await open(`/attempts/${attempt?.attempt_id}`);
    const bars = page.locator('svg.timeline a');
    assert.equal(await bars.count(), attempt?.invocations.length);
    await page.locator('svg.timeline a', { hasText: 'tool buy_candy' }).click();
    assert.equal(await page.locator('h1').innerText(), 'buy_candy');
    await open(`/attempts/${attempt?.attempt_id}`);
    await bars.last().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/llm-calls\//);
  });

  test('a node of the workflow shows its prompt as an attempt resolved it', async () => {
    const path = (await listPaths()).find((one) => one.includes('workflows'));
    await open(path ?? '');
    await page.locator('svg.graph a.box-node').click();
    assert.match(page.url(), /#node-act$/);
    assert.match(await page.locator('#node-act .conversation').first().innerText(), /You decide what/);
  });

  test('the JSON of a prompt stands on lines, a switch shows it exactly, and a button copies the whole answer', async () => {
    const path = (await listPaths()).find((one) => one.includes('llm-calls')) ?? '';
    await open(path);
    const views = page.locator('#prompt .views').first();
    const exact = views.locator('.exact');
    assert.equal(await exact.isVisible(), false);
    assert.ok((await views.locator('.pretty').innerText()).split('\n').length > 3);
    await views.getByLabel('exactly as it was').check();
    assert.equal(await exact.isVisible(), true);
    assert.equal(await views.locator('.pretty').isVisible(), false);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#answer .copy').click();
    await page.locator('#answer .copy', { hasText: 'Copied' }).waitFor();
    const { raw_text } = await park.stage.llmCall(path.replace(/.*\//, ''));
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), raw_text);
  });

  test('a button plays what a model said at its pace, and shows all of it again', async () => {
    const path = (await listPaths()).find((one) => one.includes('llm-calls'));
    await open(path ?? '');
    await page.locator('#pace summary').click();
    const said = await page.locator('#pace .pieces').innerText();
    // The last piece never comes by itself: the test decides when all of it is shown.
    await page
      .locator('#pace li')
      .last()
      .evaluate((piece) => piece.setAttribute('data-at', '600000'));
    await page.locator('[data-pace]').evaluate((pace) => pace.setAttribute('data-pace', '600000'));
    await page.getByRole('button', { name: 'Play at its pace' }).click();
    assert.equal(await page.locator('#pace li').last().locator('.piece').isVisible(), false);
    await page.getByRole('button', { name: 'Show all of it' }).click();
    assert.equal(await page.locator('#pace .pieces').innerText(), said);
    assert.equal(await page.locator('[data-waits]').count(), 0);
  });

  test('a reader who prefers reduced motion gets no button, and the whole text', async () => {
    const path = (await listPaths()).find((one) => one.includes('llm-calls'));
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(path ?? '');
    assert.equal(await page.locator('#pace button').count(), 0);
    assert.ok((await page.locator('#pace li').count()) > 1);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
  });

  test('a world and its fork lead to each other, and to what is different in them', async () => {
    await open('/worlds/park-forked');
    await page.getByRole('link', { name: 'how it differs from this one' }).click();
    assert.match(await page.locator('h1').innerText(), /park-forked at turn 1, .* at turn 3/);
    await page.locator('#changes').getByRole('link', { name: /Why\?/ }).first().click();
    assert.match(await page.locator('h1').innerText(), /was asked, and said/);
  });

  /** The rules of accessibility that the open page breaks. @param rules all of them where they are left out */
  const violations = (...rules: readonly string[]): Promise<readonly string[]> =>
    page.evaluate(async (only) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run: (wanted: object) => Promise<{
            violations: readonly { id: string; nodes: readonly { html: string }[] }[];
          }>;
        };
      };
      const found = await axe.run(only.length === 0 ? {} : { runOnly: only });
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    }, rules);

  test('no page breaks a rule of accessibility, light or dark, or is wider than the screen', async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const path of await listPaths()) {
      await page.emulateMedia({ colorScheme: 'light' });
      await open(path);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const over = (await page.evaluate<number>('document.documentElement.scrollWidth')) - width;
        assert.ok(over <= 0, `${path} is ${over} pixels wider than ${width}`);
      }
      await page.evaluate(axe);
      assert.deepEqual(await violations(), [], path);
      // The schemes differ in colours alone.
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await violations('color-contrast'), [], `${path}, dark`);
    }
  });

  test('a refused form breaks no rule of accessibility, and an empty part of a list does not deny the worlds', async () => {
    await open(`/worlds/${park.play.world_slug}`);
    await page.locator('#fork').getByLabel('Name of the new world').fill('Not A Name');
    await page.locator('#fork').getByLabel('Why').fill('to see');
    await page.locator('#fork').getByRole('button', { name: 'Fork' }).click();
    assert.match(await page.getByRole('alert').innerText(), /cannot be a world's name/);
    assert.deepEqual(await page.locator('h1, h2, h3').allInnerTexts(), ['Fork']);
    for (const query of [`scenario=${'0'.repeat(64)}`, 'after=zz']) {
      await open(`/worlds?${query}`);
      assert.equal(await page.locator('.empty').innerText(), 'Nothing here, or nothing more.');
    }
  });

  test('a page needs no script and asks no other host', async () => {
    const asked: string[] = [];
    const plain = await chromium.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
    const other = await plain.newPage();
    other.on('request', (request) => asked.push(new URL(request.url()).origin));
    for (const path of await listPaths()) {
      const response = await other.goto(`${park.server.url}${path}`);
      assert.equal(response?.status(), 200, path);
    }
    assert.deepEqual([...new Set(asked.filter((origin) => origin !== 'null'))], [park.server.url]);
    await plain.close();
  });

  test('a reader who signs in by a token gets the page that was asked for', async () => {
    const fresh = await chromium.newContext();
    const other = await fresh.newPage();
    const response = await other.goto(`${park.server.url}/inbox`);
    assert.equal(response?.status(), 401);
    await other.getByLabel('Token').fill('wrong');
    await other.getByRole('button', { name: 'Sign in' }).click();
    assert.match(await other.getByRole('alert').innerText(), /not a token of this server/);
    await other.getByLabel('Token').fill(TOKENS.operator_token);
    await other.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(new URL(other.url()).pathname, '/inbox');
    await other.getByRole('button', { name: 'Sign out' }).click();
    assert.equal((await other.goto(`${park.server.url}/inbox`))?.status(), 401);
    await fresh.close();
  });
});

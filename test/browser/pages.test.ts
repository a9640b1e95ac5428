import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startChromium } from '../../tools/chromium.js';
import { NEEDS_CHROMIUM } from '../support/chromium.js';
import { type ServedPark, servePark, TOKENS } from '../support/served-park.js';

const WIDTHS = [390, 820, 1280];
const SCHEMES = ['light', 'dark'] as const;

describe('the pages in a browser', NEEDS_CHROMIUM, () => {
  let park: ServedPark;
  let chromium: Browser;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    [park, chromium] = await Promise.all([servePark(), startChromium()]);
    context = await chromium.newContext({ javaScriptEnabled: true });
    page = await context.newPage();
    await page.goto(park.server.makeSignInLink());
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
      `/attempts/${attempt?.attempt_id}`,
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

  for (const scheme of SCHEMES)
    test(`no page breaks a rule of accessibility or is wider than the screen (${scheme})`, async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      await page.emulateMedia({ colorScheme: scheme });
      for (const path of await listPaths()) {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await open(path);
          const over = (await page.evaluate<number>('document.documentElement.scrollWidth')) - width;
          assert.ok(over <= 0, `${path} is ${over} pixels wider than ${width}`);
        }
        await page.evaluate(axe);
        const violations = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as {
            axe: { run: () => Promise<{ violations: readonly { id: string; nodes: readonly { html: string }[] }[] }> };
          };
          return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        });
        assert.deepEqual(violations, [], path);
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

  test('whoever signs in by a token comes to the page that was asked for', async () => {
    const fresh = await chromium.newContext();
    const other = await fresh.newPage();
    const response = await other.goto(`${park.server.url}/inbox`);
    assert.equal(response?.status(), 401);
    await other.getByLabel('Token').fill('wrong');
    await other.getByRole('button', { name: 'Sign in' }).click();
    assert.match(await other.getByRole('alert').innerText(), /no token of this server/);
    await other.getByLabel('Token').fill(TOKENS.operator_token);
    await other.getByRole('button', { name: 'Sign in' }).click();
    assert.equal(new URL(other.url()).pathname, '/inbox');
    await other.getByRole('button', { name: 'Sign out' }).click();
    assert.equal((await other.goto(`${park.server.url}/inbox`))?.status(), 401);
    await fresh.close();
  });
});

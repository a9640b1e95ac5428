import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { NEEDS_CHROMIUM, openChromium, type OwnBrowser } from '../support/chromium.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { serveStored } from '../support/stream-servers.js';
import { waitUntil } from '../support/wait-until.js';

describe('who reads or writes on a page that grows', NEEDS_CHROMIUM, () => {
  const open = sharedStage('PostgreSQL');
  let chromium: OwnBrowser;

  before(async () => {
    chromium = await openChromium();
  });
  after(() => chromium?.close());

  interface Scene {
    readonly page: Page;
    /** Commits a turn, and waits until the page says so at its top. */
    commit(): Promise<void>;
  }

  /** The page of a world, which has so many turns. */
  async function openWorld(t: TestContext, turns: number): Promise<Scene> {
    const stage: ParkStage = await open();
    stage.model.setScript(await loadScript('park'));
    const made = await stage.makeWorld({ scenario: 'park' });
    let world: WorldSnapshot = (await stage.run(made, { turns })).after;
    const server = await serveStored(t, stage.engine);
    const page = await (await chromium.newContext({ viewport: { width: 1000, height: 700 } })).newPage();
    await page.goto(server.makeSignInLink());
    await page.goto(`${server.url}/worlds/${made.world_slug}`);
    await page.getByText('this page grows').waitFor();
    const commit = async (): Promise<void> => {
      world = (await stage.run(world)).after;
      await page
        .locator('#story h3', { hasText: `Turn ${world.turn}` })
        .or(page.locator('#story .news'))
        .waitFor();
      await waitUntil(async () => (await page.locator('#attempts tbody tr').count()) === world.turn);
    };
    return { page, commit };
  }

  test('a form keeps what was typed, the focus and the caret while turns are committed, and the other forms follow', async (t) => {
    const { page, commit } = await openWorld(t, 1);
    const name = page.getByLabel('Name of the new world');
    await page.locator('#fork').getByLabel('After turn').fill('0');
    await name.fill('park-what-if');
    await page.evaluate(`document.activeElement.setSelectionRange(4, 4)`);
    await commit();
    await page.keyboard.type('-now');
    await commit();
    assert.equal(await name.inputValue(), 'park-now-what-if');
    assert.equal(await page.locator('#fork').getByLabel('After turn').inputValue(), '0');
    assert.match(await page.locator('#fork .news').innerText(), /something new/);
    await page.locator('#fork .news button').click();
    assert.equal(await name.inputValue(), 'park-now-what-if', 'the newer form has what was typed');
    assert.equal(await page.locator('#fork .news').count(), 0);
  });

  test('a turn that nobody typed follows the world, and the form says so', async (t) => {
    const { page, commit } = await openWorld(t, 1);
    await page.locator('#run-turns').getByLabel('Why').fill('to see more');
    await commit();
    assert.equal(await page.locator('#fork').getByLabel('After turn').inputValue(), '2');
    assert.match(await page.locator('#fork .moved').innerText(), /After turn.* was 1, and is 2 now/);
    assert.equal(await page.locator('#run-turns').getByLabel('Why').inputValue(), 'to see more');
  });

  test('selected text stays selected, and its section is brought up to date once the selection is gone', async (t) => {
    const { page, commit } = await openWorld(t, 1);
    await page.locator('#story .narration').first().selectText();
    const selected = await page.evaluate<string>('getSelection().toString()');
    assert.ok(selected.length > 20);
    await commit();
    assert.equal(await page.evaluate<string>('getSelection().toString()'), selected);
    assert.match(await page.locator('#story .news').innerText(), /something new/);
    await page.evaluate('getSelection().removeAllRanges()');
    await page.locator('#story h3', { hasText: 'Turn 2' }).waitFor();
    assert.equal(await page.locator('.news').count(), 0);
  });

  test('a question, a choice and the search of the head keep what was typed, and the focus', async (t) => {
    const { page, commit } = await openWorld(t, 2);
    const from = page.getByLabel('What changed from turn');
    const scenario = page.locator('#fork select');
    const search = page.getByRole('searchbox');
    await from.fill('1');
    await scenario.selectOption({ index: 1 });
    const chosen = await scenario.inputValue();
    assert.notEqual(chosen, '');
    await scenario.focus();
    await commit();
    assert.equal(await page.evaluate('document.activeElement.localName'), 'select');
    await search.fill('zoe');
    await page.evaluate('document.activeElement.setSelectionRange(1, 1)');
    await commit();
    await page.keyboard.type('x');
    assert.equal(await search.inputValue(), 'zxoe');
    assert.equal(await scenario.inputValue(), chosen);
    assert.equal(await from.inputValue(), '1');
    await page.locator('#questions .news button').click();
    await page.locator('#fork .news button').click();
    assert.equal(await from.inputValue(), '1', 'the newer question has what was typed');
    assert.equal(await page.getByLabel('The story until turn').inputValue(), '4');
    assert.equal(await scenario.inputValue(), chosen);
  });

  test('a row stays where it is on the screen, a table stays scrolled, and a fold whose summary counts stays open', async (t) => {
    const { page, commit } = await openWorld(t, 4);
    await page.setViewportSize({ width: 1000, height: 400 });
    await page.evaluate(`{
      const wide = new CSSStyleSheet();
      wide.replaceSync('#attempts table { width: 2000px; }');
      document.adoptedStyleSheets = [wide];
    }`);
    const memories = page.locator('#places details', { hasText: /memor/ });
    await memories.evaluateAll((all: { open: boolean }[]) => all.forEach((one) => (one.open = true)));
    const opened = await memories.count();
    assert.ok(opened > 0);
    const counts = await memories.locator('> summary').allInnerTexts();
    const row = page.locator('#attempts tbody tr', { has: page.locator('td:first-child', { hasText: /^2$/ }) });
    const topOf = () => row.evaluate((one) => Math.round(one.getBoundingClientRect().top));
    await page.evaluate(`scrollBy(0, ${(await topOf()) - 40})`);
    const table = page.locator('#attempts .scroll');
    await table.evaluate((one: { scrollLeft: number }) => (one.scrollLeft = 60));
    const [top, left] = [await topOf(), await table.evaluate((one) => one.scrollLeft)];
    assert.equal(left, 60);
    await commit();
    await page.locator('#story h3', { hasText: 'Turn 5' }).waitFor();
    assert.ok(Math.abs((await topOf()) - top) <= 1, `it was at ${top}, and is at ${await topOf()}`);
    assert.equal(await table.evaluate((one) => one.scrollLeft), left);
    assert.notDeepEqual(await memories.locator('> summary').allInnerTexts(), counts, 'the turn was remembered');
    assert.equal(await page.locator('#places details[open]', { hasText: /memor/ }).count(), opened);
  });

  test('what is read stays where it is on the screen, and what was opened stays open', async (t) => {
    const { page, commit } = await openWorld(t, 3);
    const read = page.locator('#story article', { has: page.getByRole('heading', { name: 'Turn 1', exact: true }) });
    await read.locator('details > summary').first().click();
    await page.evaluate('document.activeElement.blur()');
    const topOf = () => read.evaluate((one) => Math.round(one.getBoundingClientRect().top));
    await page.evaluate(`scrollBy(0, ${(await topOf()) - 40})`);
    const top = await topOf();
    await commit();
    await page.locator('#story h3', { hasText: 'Turn 4' }).waitFor();
    assert.ok(Math.abs((await topOf()) - top) <= 1, `it was at ${top}, and is at ${await topOf()}`);
    assert.equal(await read.locator('details').first().getAttribute('open'), '');
  });
});

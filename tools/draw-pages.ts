import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from './chromium.js';

// Draws the pictures of docs/browser.md: `npm run build`, then `npx tsx tools/draw-pages.ts`. It plays the park and the
// village on databases of their own, serves them, and takes pictures of their pages. Two runs give the same pictures, but
// for how long things took.

const FOLDER = 'docs/browser';
const SIZE = { width: 1120, height: 780 };

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const browser = await startChromium();
  try {
    await lookAt('park', browser, drawPark);
    await lookAt('village', browser, drawVillage);
  } finally {
    await browser.close();
  }
}

/** Plays a scenario, serves it, and hands out its first page. */
async function lookAt(scenario: string, browser: Browser, draw: (page: Page) => Promise<void>): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'chukwa-pages-'));
  const served = spawn(process.execPath, ['dist/engine/chukwa.js', 'park', '--scenario', scenario, '--serve'], {
    env: { ...process.env, CHUKWA_DATA_DIR: data, CHUKWA_DATABASE_URL: '', CHUKWA_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
    await page.goto(await readLink(served.stderr));
    await draw(page);
  } finally {
    served.kill();
    await once(served, 'exit');
    await rm(data, { recursive: true });
  }
}

/** The sign-in link, which is printed on standard error. */
async function readLink(errors: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of errors) {
    text += piece.toString();
    const [link] = /http:\S+ticket=\S+/.exec(text) ?? [];
    if (link !== undefined) return link;
  }
  throw new Error(`nothing is served: ${text}`);
}

const draw = (page: Page, name: string) => page.screenshot({ path: join(FOLDER, `${name}.png`) });

const MARGIN = 20;

/** One section of a page, with a margin. */
async function drawSection(page: Page, id: string): Promise<void> {
  const section = page.locator(`#${id}`);
  await page.evaluate('scrollTo(0, 0)');
  const { x, y, width, height } = (await section.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const clip = { x: x - MARGIN, y: y - MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  await page.screenshot({ path: join(FOLDER, `${id}.png`), fullPage: true, clip });
}

async function drawPark(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'park', exact: true }).first().click();
  await page.getByText('Live: this page grows').waitFor();
  await draw(page, 'world');
  const world = page.url();
  await page.getByRole('link', { name: 'Why did bob do that in turn 2?' }).click();
  await page.getByRole('link', { name: 'What the model saw' }).click();
  await draw(page, 'prompt');
  await page.getByRole('link', { name: /attempt at turn 2/ }).click();
  await draw(page, 'attempt');
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('link', { name: 'park-bob' }).click();
  await draw(page, 'workflow');
  await drawForks(page, world);
}

/** Forks the world twice by its page's form, and lets the first fork play on. */
async function drawForks(page: Page, world: string): Promise<void> {
  for (const [after, name] of [
    ['2', 'park-later'],
    ['1', 'park-what-if'],
  ] as const) {
    await page.goto(world);
    const form = page.locator('#fork');
    await form.getByLabel('After turn').fill(after);
    await form.getByLabel('Name of the new world').fill(name);
    await form.getByLabel('Why').fill('to see another day');
    await form.getByRole('button', { name: 'Fork' }).click();
    await page.waitForURL(`**/${name}`);
  }
  const form = page.locator('#run-turns');
  await form.getByLabel('How many').fill('2');
  await form.getByLabel('Why').fill('to see how it goes on');
  await form.getByRole('button', { name: 'Queue them' }).click();
  await page.getByRole('heading', { name: 'Turn 3', exact: true }).waitFor({ timeout: 120_000 });
  await drawSection(page, 'forks');
}

async function drawVillage(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'village', exact: true }).first().click();
  await drawSection(page, 'lives');
}

await main();

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startChromium } from './chromium.js';

// Draws the pictures of docs/browser.md: `npm run build`, then `npx tsx tools/draw-pages.ts`. It plays the park on a
// database of its own, serves it, and takes pictures of four pages.

const FOLDER = 'docs/browser';
const SIZE = { width: 1120, height: 780 };

async function main(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'chukwa-pages-'));
  const park = spawn(process.execPath, ['dist/engine/chukwa.js', 'park', '--serve'], {
    env: { ...process.env, CHUKWA_DATA_DIR: data, CHUKWA_DATABASE_URL: '', CHUKWA_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const browser = await startChromium();
  try {
    await mkdir(FOLDER, { recursive: true });
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
    await page.goto(await readLink(park.stderr));
    await drawPages(page);
  } finally {
    await browser.close();
    park.kill();
    await once(park, 'exit');
    await rm(data, { recursive: true });
  }
}

/** The link that signs in once, which stands on standard error. */
async function readLink(errors: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of errors) {
    text += piece.toString();
    const [link] = /http:\S+ticket=\S+/.exec(text) ?? [];
    if (link !== undefined) return link;
  }
  throw new Error(`nothing is served: ${text}`);
}

async function drawPages(page: Page): Promise<void> {
  const draw = (name: string) => page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.getByRole('link', { name: 'park', exact: true }).first().click();
  await draw('world');
  await page.getByRole('link', { name: 'Why did bob do that in turn 2?' }).click();
  await page.getByRole('link', { name: 'What the model saw' }).click();
  await draw('prompt');
  await page.getByRole('link', { name: /attempt at turn 2/ }).click();
  await draw('attempt');
  await page.getByRole('link', { name: 'Workflows' }).click();
  await page.getByRole('link', { name: 'park-bob' }).click();
  await draw('workflow');
}

await main();

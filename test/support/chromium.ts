import type { Browser } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../../tools/chromium.js';
import { needs } from './needs.js';

/** For tests that look at pages in a real browser. */
export const NEEDS_CHROMIUM = needs('pages in a browser', findChromium() !== undefined, CHROMIUM_MISSING);

/** What a test file uses of a browser. */
export type OwnBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>;

/** How long the browser waits for the next file, in milliseconds. */
const IDLE_MS = 1_000;
let shared: Promise<Browser> | undefined;
let ending: NodeJS.Timeout | undefined;

/** Opens a browser that the files of a process share, one after the other. Close it: what the file has opened is closed. */
export async function openChromium(): Promise<OwnBrowser> {
  clearTimeout(ending);
  const browser = await (shared ??= startChromium());
  return {
    newContext: (options) => browser.newContext(options),
    newPage: (options) => browser.newPage(options),
    close: async () => {
      for (const context of browser.contexts()) await context.close();
      ending = setTimeout(() => {
        shared = undefined;
        void browser.close();
      }, IDLE_MS);
    },
  };
}

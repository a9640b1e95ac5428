import type { TestOptions } from 'node:test';
import { CHROMIUM_MISSING, findChromium } from '../../tools/chromium.js';

/**
 * For tests that look at pages in a real browser. Without one they are skipped, with one message for each test file;
 * where `CI` is `true` they run all the same, and fail.
 */
export const NEEDS_CHROMIUM: TestOptions = toOptions();

function toOptions(): TestOptions {
  if (findChromium() !== undefined || process.env['CI'] === 'true') return {};
  process.stderr.write(`SKIPPED: tests of pages in a browser, because ${CHROMIUM_MISSING}\n`);
  return { skip: CHROMIUM_MISSING };
}

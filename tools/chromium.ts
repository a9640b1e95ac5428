import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Why there is no browser, and how to get one. */
export const CHROMIUM_MISSING = 'there is no Chromium; on Debian: sudo apt-get install chromium';

/** The browser that this machine has. */
export function findChromium(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** Starts it. Close it. @throws Error where there is none */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(CHROMIUM_MISSING);
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

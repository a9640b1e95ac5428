import { CHROMIUM_MISSING, findChromium } from '../../tools/chromium.js';
import { needs } from './needs.js';

/** For tests that look at pages in a real browser. */
export const NEEDS_CHROMIUM = needs('pages in a browser', findChromium() !== undefined, CHROMIUM_MISSING);

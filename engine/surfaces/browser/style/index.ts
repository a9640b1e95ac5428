import { sha256 } from '../../../core/content/sha256.js';
import { BASE } from './base.js';
import { PARTS } from './parts.js';
import { PICTURES } from './pictures.js';
import { PRINT } from './print.js';

/** The one stylesheet. */
export const STYLE = `${BASE}${PARTS}${PICTURES}${PRINT}`.replace(/\n+/g, '\n').trim();

/** Its path: the digest makes browsers fetch a new version. */
export const STYLE_PATH = `/style.css?v=${sha256(STYLE).slice(0, 12)}`;

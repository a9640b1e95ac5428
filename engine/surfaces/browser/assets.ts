import { readFileSync } from 'node:fs';
import { sha256 } from '../../core/content/sha256.js';

interface Asset {
  readonly url: string;
  readonly summary: string;
  readonly type: 'text/css' | 'text/javascript';
  readonly text: string;
  /** As pages name it: the digest makes browsers fetch a new version. */
  readonly path: string;
  /** The first digits of its digest. */
  readonly version: string;
}

export const STYLE = toAsset('/style.css', 'The stylesheet of all pages.', 'text/css', [
  'base.css',
  'parts.css',
  'pictures.css',
  'print.css',
]);

export const LIVE_SCRIPT = toAsset('/live.js', 'The script of pages that grow.', 'text/javascript', ['live.js']);

export const PACE_SCRIPT = toAsset('/pace.js', 'The script of pages that show how a model spoke.', 'text/javascript', [
  'pace.js',
]);

export const COPY_SCRIPT = toAsset('/copy.js', 'The script of the buttons that copy.', 'text/javascript', ['copy.js']);

export const EXPORT_STYLE = `${STYLE.text}${readAsset('export.css')}`;

function toAsset(url: string, summary: string, type: Asset['type'], files: readonly string[]): Asset {
  const text = files.map(readAsset).join('');
  const version = sha256(text).slice(0, 12);
  return { url, summary, type, text, version, path: `${url}?v=${version}` };
}

function readAsset(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
}

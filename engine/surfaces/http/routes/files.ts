import { LIVE_SCRIPT, PACE_SCRIPT, STYLE } from '../../browser/assets.js';
import { type Route, TEXT } from './route.js';

/** The files that pages load. A page names each with its digest, so it never changes. */
export const FILE_ROUTES: readonly Route[] = [STYLE, LIVE_SCRIPT, PACE_SCRIPT].map(({ url, summary, type, text }) => ({
  method: 'GET',
  url,
  access: 'anybody',
  summary,
  answers: { 200: { [type]: TEXT } },
  answer: async ({ reply }) =>
    reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=31536000, immutable').send(text),
}));

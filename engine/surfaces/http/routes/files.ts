import { COPY_SCRIPT, LIVE_SCRIPT, PACE_SCRIPT, STYLE } from '../../browser/assets.js';
import { type Route, TEXT } from './route.js';

/** The files that pages load. A page names each with its digest, so what it names never changes. */
export const FILE_ROUTES: readonly Route[] = [STYLE, COPY_SCRIPT, LIVE_SCRIPT, PACE_SCRIPT].map((asset) => ({
  method: 'GET',
  url: asset.url,
  access: 'anybody',
  summary: asset.summary,
  answers: { 200: { [asset.type]: TEXT } },
  answer: async ({ request, reply }) => {
    const { v } = request.query as { readonly v?: unknown };
    const isThisVersion = v === asset.version;
    return reply
      .type(`${asset.type}; charset=utf-8`)
      .header('cache-control', isThisVersion ? 'public, max-age=31536000, immutable' : 'no-cache')
      .send(asset.text);
  },
}));

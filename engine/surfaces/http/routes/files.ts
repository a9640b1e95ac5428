import { LIVE_SCRIPT } from '../../browser/live-script.js';
import { PACE_SCRIPT } from '../../browser/pace-script.js';
import { STYLE } from '../../browser/style/index.js';
import { type Route, TEXT } from './route.js';

interface File {
  readonly url: string;
  readonly summary: string;
  readonly type: string;
  readonly text: string;
}

const FILES: readonly File[] = [
  { url: '/style.css', summary: 'The stylesheet of all pages.', type: 'text/css', text: STYLE },
  { url: '/live.js', summary: 'The script of pages that grow.', type: 'text/javascript', text: LIVE_SCRIPT },
  {
    url: '/pace.js',
    summary: 'The script of pages that show how a model spoke.',
    type: 'text/javascript',
    text: PACE_SCRIPT,
  },
];

/** What pages load. A page names each with its digest, so it never changes. */
export const FILE_ROUTES: readonly Route[] = FILES.map(({ url, summary, type, text }) => ({
  method: 'GET',
  url,
  access: 'anybody',
  summary,
  schema: {},
  answers: { 200: { [type]: TEXT } },
  answer: async (_desk, _request, reply) =>
    reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=31536000, immutable').send(text),
}));

import type { FastifyReply } from 'fastify';
import { type Outcome, problem, type Problem, succeed } from '../../../contract/problem.js';
import { suggestName } from '../../../core/content/nearest-name.js';
import type { HttpDesk } from '../../../operations/composition.js';
import { PAGES } from '../../browser/page.js';
import { withoutClosedLinks } from '../../browser/export.js';
import { renderPage } from '../../browser/layout.js';
import type { Asked } from '../../../catalogue/resource.js';
import type { Page, Shown, View } from '../../browser/page.js';
import { firstOf, statusOf } from '../problem-document.js';
import { refuseViewer, sendHtml, sendJson, viewerOf, wantsJson, wantsPage } from '../viewer.js';
import { A_PAGE, type Exchange, type Route } from './route.js';

/** The pages of the catalogue: for people, and with `?format=json` for programs. */
export const PAGE_ROUTES: readonly Route[] = PAGES.map((page) => ({
  method: 'GET',
  url: page.path,
  access: page.reader === 'operator' ? 'operator_viewer' : 'viewer',
  summary: page.says,
  query: [...page.takes, 'format'],
  answers: { 200: { 'application/json': { $ref: `#/components/schemas/${page.gives}` }, ...A_PAGE } },
  answer: (exchange) => answerPage(page, exchange).catch((error: unknown) => refuseUnreadable(exchange, error)),
}));

/** A page fails by its world or workflow where that cannot be read; every other error is a fault of the program, and stays one. */
async function refuseUnreadable({ desk, request, reply }: Exchange, error: unknown): Promise<FastifyReply> {
  const checked = await desk.checkReadable(request.params as Asked['parameters']);
  if (checked.ok) throw error;
  return refuseViewer(request, reply, firstOf(checked));
}

/** A form sends the fields that a person leaves empty; a program that sends an empty limit or cursor has lost it. */
function withoutEmpty(query: Asked['query']): Readonly<Record<string, string>> {
  const isSaid = ([name, value]: readonly [string, string]): boolean =>
    value !== '' || ['limit', 'after', 'format'].includes(name);
  return Object.fromEntries(Object.entries(query).filter(isSaid));
}

async function answerPage(page: Page, { desk, request, reply }: Exchange): Promise<FastifyReply> {
  const query = withoutEmpty(request.query as Asked['query']);
  const unknown = findUnknown(query, [...page.takes, 'format']);
  if (unknown !== undefined) return refuseViewer(request, reply, unknown);
  const { format } = query;
  if (format !== undefined && format !== 'json' && format !== 'html')
    return refuseViewer(request, reply, problem('FORMAT_UNKNOWN', { of: 'page', format }));
  const parameters = request.params as Asked['parameters'];
  const viewer = viewerOf(request);
  const send = (status: number, view: View): FastifyReply => {
    const text = renderPage(view, { path: request.url, ...viewer });
    return sendHtml(reply, status, viewer?.reader === 'operator' ? text : withoutClosedLinks(text));
  };
  const asked = { parameters, query, reader: viewer?.reader ?? 'consumer' };
  const shown = await desk.shareRead(JSON.stringify([page.path, asked]), () => readPage(desk, page, asked));
  if (!shown.ok) {
    const view = wantsPage(request) ? page.refused?.(firstOf(shown), asked) : undefined;
    if (view === undefined) return refuseViewer(request, reply, firstOf(shown), statusOf(shown));
    return send(statusOf(shown), view);
  }
  if (format === 'json' || (format === undefined && wantsJson(request))) return sendJson(reply, shown.value.value);
  return send(200, shown.value.view());
}

/** A page is drawn once for all that share it. */
async function readPage({ look }: HttpDesk, page: Page, asked: Asked): Promise<Outcome<Shown>> {
  const shown = await look((archive) => page.read(archive, asked));
  if (!shown.ok) return shown;
  let drawn: View | undefined;
  return succeed({ ...shown.value, view: () => (drawn ??= shown.value.view()) });
}

/** A misspelt parameter is refused: without it, the page would be another one than the reader wanted. */
function findUnknown(query: Readonly<Record<string, string>>, known: readonly string[]): Problem | undefined {
  const name = Object.keys(query).find((one) => !known.includes(one));
  return name === undefined ? undefined : problem('PARAMETER_UNKNOWN', { name, suggestion: suggestName(name, known) });
}

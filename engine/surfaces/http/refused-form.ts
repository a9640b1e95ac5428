import type { Refused } from '../../contract/problem.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDesk } from '../../operations/composition.js';
import { PAGES } from '../browser/page.js';
import { renderRefusedForm } from '../browser/layout.js';
import { type Asked, matchPath } from '../../catalogue/resource.js';
import type { View } from '../browser/page.js';
import { type Decision, fieldsOf } from '../browser/parts/decision.js';
import { readTexts } from './fields.js';
import type { Exchange } from './routes/route.js';
import { firstOf, statusOf } from './problem-document.js';
import { refuseViewer, sendHtml, viewerOf, wantsPage } from './viewer.js';

/** Answers a refused form with the form as it was sent and the problem; without its page, with a problem. */
export async function refuseForm({ desk, request, reply }: Exchange, refused: Refused): Promise<FastifyReply> {
  const problem = firstOf(refused);
  const status = statusOf(refused);
  const viewer = viewerOf(request);
  const fields = readTexts(request);
  const back = pageOf(request.url);
  const view = wantsPage(request) && viewer?.form_token !== undefined ? await readView(desk, request, back) : undefined;
  if (view === undefined || !fields.ok) return refuseViewer(request, reply, problem, status);
  const decision = findDecision(view.decisions ?? [], request.url, fields.value);
  if (decision === undefined) return refuseViewer(request, reply, problem, status);
  const typed = Object.fromEntries(fieldsOf(decision).map(({ name }) => [name, fields.value[name]?.trim() ?? '']));
  const place = { path: request.url, ...viewer };
  const page = renderRefusedForm({ decision, typed, problem }, { ...view, path: back, text: view.title }, place);
  return sendHtml(reply, status, page);
}

/** The page of a form: what an action is on is the nearest page at its path, or above it. */
export function pageOf(path: string): string {
  const isPage = path === '' || PAGES.some((page) => matchPath(page.path, path) !== undefined);
  return isPage ? path : pageOf(path.replace(/\/[^/]*$/, ''));
}

async function readView(desk: HttpDesk, request: FastifyRequest, path: string): Promise<View | undefined> {
  const parameters = request.params as Asked['parameters'];
  const page = PAGES.find((each) => matchPath(each.path, path) !== undefined);
  const asked = { parameters, query: {}, reader: 'operator' } as const;
  const shown = page && (await desk.look((archive) => page.read(archive, asked)));
  return shown?.ok === true ? shown.value.view() : undefined;
}

/** Forms that are posted to one path differ in what they send: a call took place, with an answer, or it did not. */
function findDecision(
  decisions: readonly Decision[],
  path: string,
  sent: Readonly<Record<string, string>>,
): Decision | undefined {
  const names = Object.keys(sent).toSorted().join(' ');
  return decisions.find((decision) => {
    const own = Object.entries(decision.sends ?? {});
    const fields = [...fieldsOf(decision).map(({ name }) => name), ...own.map(([name]) => name), 'form_token'];
    const isSame = own.every(([name, value]) => sent[name] === value);
    return decision.path === path && isSame && fields.toSorted().join(' ') === names;
  });
}

import { createHash } from 'node:crypto';
import type { Problem } from '../../contract/problem.js';
import { COPY_SCRIPT, EXPORT_STYLE, LIVE_SCRIPT, PACE_SCRIPT, STYLE } from './assets.js';
import { type Html, html, type HtmlValue, NOTHING, styleElement } from './html.js';
import type { Crumb, Section, View } from './page.js';
import { drawDecisions, drawRefusedForm, type RefusedForm } from './parts/decision.js';

export type Reader = 'consumer' | 'operator';

/** The lists of the navigation, and who may see them. */
const LISTS: readonly { readonly path: string; readonly text: string; readonly is_for_operators: boolean }[] = [
  { path: '/', text: 'Worlds', is_for_operators: false },
  { path: '/studies', text: 'Studies', is_for_operators: false },
  { path: '/search', text: 'Search', is_for_operators: true },
  { path: '/cognition-workflows', text: 'Workflows', is_for_operators: false },
  { path: '/source-invocations', text: 'Calls', is_for_operators: true },
  { path: '/llm-calls', text: 'LLM calls', is_for_operators: true },
  { path: '/inbox', text: 'Inbox', is_for_operators: true },
];

interface PagePlace {
  /** The path with its query. */
  readonly path: string;
  /** Absent where nobody has signed in. */
  readonly reader?: Reader;
  /** The form token of this session; absent where the reader may decide nothing. */
  readonly form_token?: string;
}

/** A whole page. */
export function renderPage(view: View, place: PagePlace): string {
  const sections = withDecisions(view, place);
  return renderDocument(view.title, navigation(place), drawView({ ...view, sections }), jsonLink(place.path), view);
}

function drawView({ title, eyebrow, trail, lede, sections }: View): Html {
  return html`${drawTrail(trail)}<p class="eyebrow">${eyebrow}</p><h1>${title}</h1>${lede === undefined ? undefined : html`<div class="lede">${lede}</div>`}${contents(sections)}${sections.map(drawSection)}`;
}

/** A page within a file of many. @param id names it there */
export function renderLeaf(view: View, id: string): string {
  return html`<article class="leaf" id="${id}">${drawView(view)}</article>`.toString();
}

/** A file of many pages that needs nothing else. @param left_out how many more there would have been */
export function renderLeaves(
  leaves: readonly string[],
  pages: readonly { readonly id: string; readonly view: View }[],
  left_out: number,
): string {
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(EXPORT_STYLE).digest('base64')}'; img-src data:`;
  const title = pages[0]?.view.title ?? '';
  const first = pages[0]?.id ?? '';
  return [
    html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · Chukwa</title><link rel="icon" href="data:,">${styleElement(EXPORT_STYLE)}</head>
<body><header class="top"><div><a class="brand" href="#${first}">Chukwa</a><nav aria-label="Main"><ul><li><a href="#${first}">${title}</a></li><li><a href="#all-pages">All pages</a></li></ul></nav></div></header>
<main>`,
    ...leaves,
    html`<article class="leaf" id="all-pages"><p class="eyebrow">Contents</p><h1>All pages</h1><ul class="plain">${pages.map(({ id, view }) => html`<li><span class="dim">${view.eyebrow}</span> <a href="#${id}">${view.title}</a></li>`)}</ul>${left_out === 0 ? undefined : html`<p class="note">${left_out} more are not in this file.</p>`}</article></main>
<footer><p>Pages of a world as they were stored. Links to what is not in this file are plain text.</p></footer></body></html>
`,
  ].join('\n');
}

/** Decisions that something waits for come first; those that may be taken at any time come last. */
function withDecisions({ sections, decisions = [], is_waiting }: View, place: PagePlace): readonly Section[] {
  const { reader, form_token } = place;
  if (reader !== 'operator' || form_token === undefined || decisions.length === 0) return sections;
  const body = drawDecisions(decisions, form_token);
  if (is_waiting === true) return [{ id: 'decisions', title: 'What you decide', body }, ...sections];
  return [...sections, { id: 'decisions', title: 'What you can do', body }];
}

function drawSection({ id, title, body }: Section): Html {
  return html`<section class="section" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`;
}

function drawTrail(trail: readonly Crumb[]): Html {
  if (trail.length === 0) return NOTHING;
  return html`<nav class="trail" aria-label="Trail"><ol>${trail.map(({ path, text }) => html`<li><a href="${path}">${text}</a></li>`)}</ol></nav>`;
}

function contents(sections: readonly Section[]): Html {
  if (sections.length < 3) return NOTHING;
  return html`<nav class="contents" aria-label="On this page"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
}

function navigation({ path, reader }: PagePlace): Html {
  if (reader === undefined) return NOTHING;
  const here = path.replace(/\?.*$/, '');
  const items = LISTS.filter(({ is_for_operators }) => reader === 'operator' || !is_for_operators);
  const search =
    reader === 'operator' && here !== '/search'
      ? html`<form class="find" role="search" method="get" action="/search"><input name="q" type="search" maxlength="200" aria-label="Search all texts and ids" placeholder="Search"></form>`
      : NOTHING;
  return html`<nav aria-label="Main"><ul>${items.map((item) => html`<li><a href="${item.path}"${item.path === here ? html` aria-current="page"` : NOTHING}>${item.text}</a></li>`)}</ul></nav>${search}
<form method="post" action="/sign-out"><button type="submit">Sign out</button></form>`;
}

function jsonLink(path: string): Html {
  const [place = '/', query = ''] = path.split('?');
  const kept = new URLSearchParams(query);
  kept.set('format', 'json');
  return html`<p><a href="${place}?${kept.toString()}">This page as JSON</a></p>`;
}

/** The page that asks for a token. */
export function renderSignIn(options: { readonly next: string; readonly problem?: Problem }): string {
  const { next, problem } = options;
  const body = html`<p class="eyebrow">Chukwa</p><h1>Sign in</h1>
${problem === undefined ? undefined : html`<p class="reason failure" role="alert">${problem.message}</p>`}
<p>Paste a token. <code>chukwa serve</code> says where the tokens are, and prints a link that signs in once.</p>
<form class="sign-in" method="post" action="/sign-in"><input type="hidden" name="next" value="${next}">
<label for="token">Token</label><input id="token" name="token" type="password" autocomplete="current-password" required>
<button type="submit">Sign in</button></form>`;
  return renderDocument('Sign in', NOTHING, body, NOTHING);
}

export function renderProblem(problem: Problem, title: string, place: PagePlace): string {
  const { code, message, repair } = problem;
  const body = html`<p class="eyebrow">${code}</p><h1>${title}</h1><p class="lede">${message}</p><p>${repair}</p><p><a href="/">To the worlds</a></p>`;
  return renderDocument(title, navigation(place), body, NOTHING);
}

/** A refused form, filled in as it was sent. @param back the page that has the form */
export function renderRefusedForm(form: RefusedForm, back: Pick<View, 'trail'> & Crumb, place: PagePlace): string {
  const view: View = {
    title: form.decision.title,
    eyebrow: 'Not done',
    trail: [...back.trail, { path: back.path, text: back.text }],
    sections: [],
  };
  const body = html`${drawView(view)}${drawRefusedForm(form, place.form_token ?? '')}`;
  return renderDocument(view.title, navigation(place), body, NOTHING);
}

function renderDocument(
  title: string,
  top: HtmlValue,
  body: Html,
  foot: Html,
  { events, has_pace = false }: Pick<View, 'events' | 'has_pace'> = {},
): string {
  const paths = [
    COPY_SCRIPT.path,
    ...(events === undefined ? [] : [LIVE_SCRIPT.path]),
    ...(has_pace ? [PACE_SCRIPT.path] : []),
  ];
  const script = paths.map((path) => html`<script src="${path}" defer></script>`);
  const live = events === undefined ? NOTHING : html` data-events="${events}"`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · Chukwa</title><link rel="stylesheet" href="${STYLE.path}"><link rel="icon" href="data:,">${script}</head>
<body><a class="skip" href="#main">Skip to the page</a><header class="top"><div><a class="brand" href="/">Chukwa</a>${top}</div></header>
<main id="main" tabindex="-1"${live}>${body}</main><footer>${foot}</footer></body></html>
`.toString();
}

import { present } from '../../contract/present.js';
import { type Outcome, type Problem, succeed } from '../../contract/problem.js';
import type { Answers } from '../../catalogue/answers.js';
import type { Asked, Resource } from '../../catalogue/resource.js';
import { RESOURCES } from '../../catalogue/resources.js';
import type { RecordView } from '../../catalogue/view.js';
import type { Archive } from '../../operations/engine.js';
import { drawBlock, drawPhrase } from './block.js';
import { type Html, html, NOTHING } from './html.js';
import { type Decisions, decisionsOn } from './parts/decision.js';
import { searchForm } from './parts/question.js';

/** One page: the resource that it shows, and its content. */
export interface Page extends Pick<Resource, 'path' | 'reader' | 'says' | 'gives' | 'takes'> {
  /** The view in place of a refused request, with the person's text; left out, the problem alone. */
  readonly refused?: (problem: Problem, asked: Asked) => View;
  read(archive: Archive, asked: Asked): Promise<Outcome<Shown>>;
}

/** The content of a page: the value as JSON, and the view for people. */
export interface Shown {
  readonly value: unknown;
  readonly view: () => View;
}

/** A page for a person. */
export interface View extends Pick<RecordView, 'title' | 'eyebrow' | 'events' | 'has_pace'>, Partial<Decisions> {
  /** The breadcrumbs, from the widest. */
  readonly trail: readonly Crumb[];
  readonly lede?: Html;
  readonly sections: readonly Section[];
}

export interface Crumb {
  readonly path: string;
  readonly text: string;
}

export interface Section {
  /** Names the section in links of the page. */
  readonly id: string;
  readonly title: string;
  /** Whether it is about other worlds or operators; exported files leave it out. */
  readonly is_about_others?: true;
  readonly body: Html;
}

/** The page of a resource: its view, with the forms of what can be done and asked there. */
export function toPage<Kind extends keyof Answers>(declared: Resource<Kind>): Page {
  const { path, reader, says, gives, takes, asks } = declared;
  const refused: Page['refused'] =
    asks &&
    (({ code, message, repair }, asked) => {
      const problem = html`<p class="reason failure" role="alert">${message} ${repair} <code class="dim">${code}</code></p>`;
      return { ...asks, trail: [], lede: html`${problem}${searchForm(path, asks.fields, asked)}`, sections: [] };
    });
  return {
    path,
    reader,
    says,
    gives,
    takes,
    ...present({ refused }),
    async read(archive, asked) {
      const found = await declared.read(archive, asked);
      if (!found.ok) return found;
      const { value } = found;
      const form = asks && { lede: searchForm(path, asks.fields, asked) };
      const view = (): View => ({ ...draw(declared.view(value, asked), asked), ...decisionsOn(gives, value), ...form });
      return succeed({ value, view });
    },
  };
}

/** Every page. Routes, documents in JSON and links follow from it and from the table of places. */
export const PAGES: readonly Page[] = RESOURCES.map((declared) => toPage(declared));

function draw({ trail, lede, status, sections, ...view }: RecordView, asked: Asked): View {
  const state = status === undefined ? NOTHING : html`<p class="world-status">${drawPhrase(status)}</p>`;
  return {
    ...view,
    trail: trail.map(({ path, text }) => ({ path, text })),
    ...(lede === undefined ? {} : { lede: html`${drawPhrase(lede)}${state}` }),
    sections: sections.flatMap(({ blocks, ...section }) => {
      const body = html`${blocks.map((block) => drawBlock(block, { ...asked, title: section.title }))}`;
      return String(body) === '' ? [] : [{ ...section, body }];
    }),
  };
}

import { type Outcome, type Problem, succeed } from '../../contract/problem.js';
import type { Archive } from '../../operations/engine.js';
import type { Answers } from '../../catalogue/answers.js';
import { type Html, html, NOTHING } from './html.js';
import type { Asked, Resource } from '../../catalogue/resource.js';
import type { Decisions } from './parts/decision.js';

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
export interface View extends Partial<Decisions> {
  readonly title: string;
  /** The kind of thing, above the title. */
  readonly eyebrow: string;
  /** The breadcrumbs, from the widest. */
  readonly trail: readonly Crumb[];
  readonly lede?: Html;
  readonly sections: readonly Section[];
  /** The path of the events that update the page; absent where it can no longer change. */
  readonly events?: string;
  /** Whether it shows chunks, which the pace script can replay. */
  readonly has_pace?: boolean;
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
  /** A section without one is left out. */
  readonly body: Html | false | undefined;
}

/** The drawing of a page with one thing on it. */
interface ItemDrawing<Kind extends keyof Answers> extends Pick<Page, 'refused'> {
  readonly view: (value: Answers[Kind], asked: Asked) => View;
}

/** The page of a resource with one thing on it. */
export function itemPage<Kind extends keyof Answers>(
  declared: Resource<Kind>,
  { view, ...drawing }: ItemDrawing<Kind>,
): Page {
  const { path, reader, says, gives, takes } = declared;
  return {
    path,
    reader,
    says,
    gives,
    takes,
    ...drawing,
    async read(archive, asked) {
      const found = await declared.read(archive, asked);
      if (!found.ok) return found;
      return succeed({ value: found.value, view: () => withoutEmpty(view(found.value, asked)) });
    },
  };
}

function withoutEmpty(view: View): View {
  return { ...view, sections: view.sections.filter(({ body }) => body) };
}

/** A link to the next part of a list, with the same query otherwise. */
export function nextPart(next: string | null, { query }: Pick<Asked, 'query'>): Html {
  if (next === null) return NOTHING;
  const kept = new URLSearchParams({ ...query, after: next });
  kept.delete('format');
  return html`<p class="more"><a href="?${kept.toString()}">More</a></p>`;
}

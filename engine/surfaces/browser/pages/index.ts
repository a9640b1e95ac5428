import type { Answers } from '../../../catalogue/answers.js';
import { RESOURCES } from '../../../catalogue/resources.js';
import { isViewed } from '../../../catalogue/resource.js';
import type { Page } from '../page.js';
import { type PageParts, toPage } from '../resource-page.js';
import { attemptParts } from './attempts.js';
import { workflowSections } from './documents.js';
import { overview } from './overview.js';
import { searchParts } from './search.js';
import { world } from './worlds.js';

/** What pages have beside the views of their resources, by what those give. */
const PARTS: { readonly [Kind in keyof Answers]?: PageParts<Kind> } = {
  Attempt: attemptParts,
  LlmCall: { parts: ({ ended_at, chunks }) => ({ has_pace: ended_at === null || chunks.length > 1 }) },
  Found: searchParts,
  Workflow: { sections: workflowSections },
};

/** Every page. Routes, documents in JSON and links follow from it and from the table of places. */
export const PAGES: readonly Page[] = [
  overview,
  world,
  ...RESOURCES.filter(isViewed).map((declared) => toPage(declared, PARTS[declared.gives])),
];

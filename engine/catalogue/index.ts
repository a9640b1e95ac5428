import type { Resource } from './resource.js';
import * as attempts from './resources/attempts.js';
import * as calls from './resources/calls.js';
import { DOCUMENTS } from './resources/documents.js';
import { entity } from './resources/entity.js';
import { event } from './resources/event.js';
import { search } from './resources/search.js';
import * as worlds from './resources/worlds.js';

/** Everything that a person or a program can look at. Commands, pages, JSON, tools and links follow from it. */
export const RESOURCES: readonly Resource[] = [
  ...Object.values(worlds),
  entity,
  ...Object.values(attempts),
  event,
  ...Object.values(calls),
  search,
  ...DOCUMENTS,
];

import type { Resource } from './resource.js';
import { entity } from './resources/entity.js';

/** Everything that a person or a program can look at. Commands, pages, JSON and links follow from it. */
export const RESOURCES: readonly Resource[] = [entity];

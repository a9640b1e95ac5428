import type { Query } from '../query.js';
import * as authoring from './authoring.js';
import * as records from './records.js';

/** What programs ask with inputs, and what has no page. Tools follow from it. */
export const QUERIES: readonly Query[] = [...Object.values(authoring), ...Object.values(records)];

export type { SourceFailureClass } from './failure-class.js';
export type * from './json.js';
export type { Location, Outcome, Problem } from './problem.js';
export type * from './source.js';

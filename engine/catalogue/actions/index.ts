import type { Action } from '../action.js';
import * as calls from './calls.js';
import * as worlds from './worlds.js';

/** Everything that a person or a program can do to what is recorded. Routes, forms and tools follow from it. */
export const ACTIONS: readonly Action[] = [...Object.values(worlds), ...Object.values(calls)] as readonly Action[];

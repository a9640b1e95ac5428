import type { Rule } from '../rule.js';
import { answers, close, concurrency, inputs, once, pending, wayOut } from './exchanges.js';
import { abort, deadline, files, sizeLimit, typedErrors } from './faults.js';
import { secrets } from './secrets.js';

/** The rules for running plugins, in the order of the report. */
export const RULES: readonly Rule[] = [
  inputs,
  answers,
  pending,
  wayOut,
  once,
  typedErrors,
  files,
  sizeLimit,
  abort,
  deadline,
  concurrency,
  secrets,
  close,
];

import type { Rule } from '../rule.js';
import { answers } from './answers.js';
import { close, concurrency, inputs, once, pending, wayOut } from './exchanges.js';
import { files } from './files.js';
import { abort, deadline, sizeLimit } from './limits.js';
import { secrets } from './secrets.js';
import { typedErrors } from './typed-errors.js';

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

import type { Rule } from '../rule.js';
import { answers } from './answers.js';
import { close } from './close.js';
import { concurrency } from './concurrency.js';
import { files } from './files.js';
import { inputs } from './inputs.js';
import { abort, deadline, sizeLimit } from './limits.js';
import { once } from './once.js';
import { pending } from './pending.js';
import { secrets } from './secrets.js';
import { typedErrors } from './typed-errors.js';
import { wayOut } from './way-out.js';

/** What is held against a plugin at work, in the order of the report. */
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

import { type Outcome, problem, refuse, succeed } from '../contract/problem.js';
import { parseSource } from '../core/content/source-text.js';
import type { Validate } from '../core/protocol/program.js';
import type { Prices } from '../generated/prices.js';
import { FILE_BYTES_MAX, readRegularFile } from './documents/read-file.js';
import { locateIn } from './read-answer-file.js';

/** Reads the operator's prices. @param validate checks a value against their schema */
export async function readPriceFile(file: string, validate: Validate): Promise<Outcome<Prices>> {
  const read = await readRegularFile(file, FILE_BYTES_MAX);
  if (read.kind !== 'text') return refuse(problem('PRICES_UNREADABLE', { file }, { details: { file } }));
  const source = parseSource(file, read.text);
  if (!source.ok) return source;
  const problems = validate(source.value.value);
  if (problems.length > 0) return refuse(...locateIn(source.value, problems));
  return succeed(source.value.value as unknown as Prices);
}

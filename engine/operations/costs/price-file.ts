import { type Outcome, type Problem, problem, refuse, succeed } from '../../contract/problem.js';
import { parseSource } from '../../core/content/source-text.js';
import type { Validate } from '../../core/protocol/program.js';
import type { PricedModel, Prices } from '../../generated/prices.js';
import { FILE_BYTES_MAX, readRegularFile } from '../documents/read-file.js';
import { locateIn } from '../settling/read-answer-file.js';

/** Reads the operator's prices. @param validate checks a value against their schema */
export async function readPriceFile(file: string, validate: Validate): Promise<Outcome<Prices>> {
  const read = await readRegularFile(file, FILE_BYTES_MAX);
  if (read.kind !== 'text') return refuse(problem('PRICES_UNREADABLE', { file }, { details: { file } }));
  const source = parseSource(file, read.text);
  if (!source.ok) return source;
  const problems = validate(source.value.value);
  if (problems.length > 0) return refuse(...locateIn(source.value, problems));
  const prices = source.value.value as unknown as Prices;
  const nonsense = prices.models.flatMap(findNonsense);
  return nonsense.length > 0 ? refuse(...locateIn(source.value, nonsense)) : succeed(prices);
}

/** What the schema cannot find in an entry. */
function findNonsense({ endpoint, above = [] }: PricedModel, index: number): readonly Problem[] {
  const pointer = `/models/${index}`;
  const counts = above.map(({ input_tokens }) => input_tokens);
  return [
    ...(endpoint === undefined || URL.canParse(endpoint)
      ? []
      : [problem('PRICE_INVALID', { endpoint }, { pointer: `${pointer}/endpoint` })]),
    ...counts.flatMap((input_tokens, at) =>
      counts.indexOf(input_tokens) === at
        ? []
        : [problem('PRICE_INVALID', { input_tokens }, { pointer: `${pointer}/above/${at}/input_tokens` })],
    ),
  ];
}

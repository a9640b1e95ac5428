import type { Json } from '../../contract/json.js';
import { listPlaceholders } from '../../contract/population.js';
import { type Problem, problem } from '../../contract/problem.js';
import type { Answers, PopulationRule } from '../../generated/answers.js';
import { toPointer } from '../content/json-pointer.js';
import { among } from '../content/nearest-name.js';
import { complainIf } from '../protocol/document-problem.js';

/** Checks answers beyond their schema: what the rules of their population draw and read. */
export function checkPopulation({ population = [] }: Answers): readonly Problem[] {
  return population.flatMap((rule, index) => checkRule(rule, ['population', String(index)]));
}

function checkRule({ values = {}, answer }: PopulationRule, place: readonly string[]): readonly Problem[] {
  const known = ['subject', 'turn', ...Object.keys(values)];
  const unknown = listPlaceholders(answer as unknown as Json, [...place, 'answer']).filter(
    ({ name }) => !known.includes(name),
  );
  return [
    ...Object.entries(values).flatMap(([name, value]) => {
      if (!('draw' in value)) return [];
      const { minimum, maximum } = value.draw;
      const pointer = toPointer([...place, 'values', name, 'draw', 'minimum']);
      return complainIf(minimum > maximum, problem('DRAW_RANGE_EMPTY', { minimum, maximum }, { pointer }));
    }),
    ...unknown.map(({ name, place: at }) =>
      problem('RULE_NAMES_NOTHING', { name, ...among(name, known) }, { pointer: toPointer(at) }),
    ),
  ];
}

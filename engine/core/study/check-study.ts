import { type Problem, problem } from '../../contract/problem.js';
import type { Study, StudyHypothesis, StudyMeasure } from '../../generated/study.js';
import { appendToken, overlaps, pointerTokens, toPointer } from '../content/json-pointer.js';
import { among } from '../content/nearest-name.js';
import { complainIf, complainOfTwins } from '../protocol/document-problem.js';
import { type Condition, listConditions, listSeeds, selectConditions } from './design.js';

/** More runs than anybody waits for. */
const RUNS_MAX = 100_000;

/** Checks a study beyond its schema, as far as it can be checked without other files. */
export function checkStudy(study: Study): readonly Problem[] {
  const { seeds, measures, hypotheses = [] } = study;
  const tooLarge = checkSize(study);
  if (tooLarge.length > 0) return tooLarge;
  const conditions = listConditions(study);
  return [
    ...('from' in seeds ? [] : checkSeeds(seeds)),
    ...checkVariables(study),
    ...complainOfTwins(
      'MEASURE_TWICE',
      measures.map(({ id }) => id),
      (index) => `/measures/${index}/id`,
    ),
    ...measures.flatMap((measure, index) => checkMeasure(study, measure, `/measures/${index}`)),
    ...checkProbes(study),
    ...complainOfTwins(
      'HYPOTHESIS_TWICE',
      hypotheses.map(({ id }) => id),
      (index) => `/hypotheses/${index}/id`,
    ),
    ...hypotheses.flatMap((one, index) => checkHypothesis(study, conditions, one, `/hypotheses/${index}`)),
  ];
}

function checkSize({ variables = {}, seeds }: Study): readonly Problem[] {
  const conditions = Object.values(variables).reduce((product, { levels }) => product * Object.keys(levels).length, 1);
  const count = 'from' in seeds ? seeds.count : seeds.length;
  const facts = { conditions, seeds: count, most: RUNS_MAX };
  return complainIf(conditions * count > RUNS_MAX, problem('STUDY_TOO_LARGE', facts, { pointer: '' }));
}

function checkSeeds(seeds: readonly number[]): readonly Problem[] {
  return seeds.flatMap((seed, index) =>
    complainIf(seeds.indexOf(seed) < index, problem('SEED_TWICE', { seed }, { pointer: `/seeds/${index}` })),
  );
}

/** A file or a member of the scenario that a level changes. */
interface Change {
  readonly variable: string;
  readonly tokens: readonly string[];
  readonly what: string;
  readonly pointer: string;
}

function checkVariables({ variables = {}, turns }: Study): readonly Problem[] {
  const late = Object.entries(variables).flatMap(([name, { from_turn = 1 }]) =>
    complainIf(
      from_turn > turns,
      problem(
        'TURN_OF_NO_RUN',
        { kind: 'variable', turn: from_turn, turns },
        { pointer: toPointer(['variables', name, 'from_turn']) },
      ),
    ),
  );
  const changes = listChanges(variables);
  const meeting = changes.flatMap((change, index) => {
    const earlier = changes
      .slice(0, index)
      .find(({ variable, tokens }) => variable !== change.variable && meets(tokens, change.tokens));
    if (earlier === undefined) return [];
    const { variable, what, pointer } = change;
    return [problem('LEVELS_MEET', { variable: earlier.variable, other: variable, what }, { pointer })];
  });
  return [...late, ...meeting];
}

function meets(one: readonly string[], other: readonly string[]): boolean {
  return overlaps(one, other) || overlaps(other, one);
}

function listChanges(variables: NonNullable<Study['variables']>): readonly Change[] {
  return Object.entries(variables).flatMap(([variable, { levels }]) =>
    Object.entries(levels).flatMap(([level, { replace = {}, set = {} }]) => {
      const place = toPointer(['variables', variable, 'levels', level]);
      const replaced = Object.keys(replace).map((path) => ({
        variable,
        tokens: ['replace', path],
        what: path,
        pointer: appendToken(`${place}/replace`, path),
      }));
      const put = Object.keys(set).map((member) => ({
        variable,
        tokens: ['set', ...pointerTokens(member)],
        what: member,
        pointer: appendToken(`${place}/set`, member),
      }));
      return [...replaced, ...put];
    }),
  );
}

function checkMeasure(
  { turns, probes = [] }: Study,
  { read, of_turns }: StudyMeasure,
  pointer: string,
): readonly Problem[] {
  const { from = 1, to = turns } = of_turns ?? {};
  const place = { pointer: `${pointer}/of_turns` };
  const asked = probes.map(({ ask }) => ask);
  return [
    ...complainIf(from > turns, problem('TURN_OF_NO_RUN', { kind: 'measure', turn: from, turns }, place)),
    ...complainIf(
      from <= turns && from > to,
      problem('TURN_OF_NO_RUN', { kind: 'empty', turn: from, turns: to }, place),
    ),
    ...('probe' in read && !asked.includes(read.probe)
      ? [
          problem(
            'STUDY_NAMES_NOTHING',
            { kind: 'probe', name: read.probe, ...among(read.probe, asked) },
            { pointer: `${pointer}/read/probe` },
          ),
        ]
      : []),
  ];
}

function checkProbes({ probes = [], turns }: Study): readonly Problem[] {
  return probes.flatMap(({ ask, at_turns }, index) => [
    ...complainIf(
      probes.findIndex((one) => one.ask === ask) < index,
      problem('STUDY_PROBE_TWICE', { ask }, { pointer: `/probes/${index}/ask` }),
    ),
    ...at_turns.flatMap((turn, at) =>
      complainIf(
        turn > turns,
        problem('TURN_OF_NO_RUN', { kind: 'probe', turn, turns }, { pointer: `/probes/${index}/at_turns/${at}` }),
      ),
    ),
  ]);
}

function checkHypothesis(
  study: Study,
  conditions: readonly Condition[],
  { measure, compare, decide }: StudyHypothesis,
  pointer: string,
): readonly Problem[] {
  const { variables = {}, measures } = study;
  const known = measures.map(({ id }) => id);
  const unknown = compare.flatMap((side, index) =>
    Object.entries(side).flatMap(([variable, level]) => {
      const place = { pointer: appendToken(`${pointer}/compare/${index}`, variable) };
      const levels = Object.keys(variables[variable]?.levels ?? {});
      if (levels.includes(level)) return [];
      const facts =
        levels.length === 0
          ? { kind: 'variable' as const, name: variable, ...among(variable, Object.keys(variables)) }
          : { kind: 'level' as const, name: level, variable, ...among(level, levels) };
      return [problem('STUDY_NAMES_NOTHING', facts, place)];
    }),
  );
  const [first = [], second = []] = compare.map((side) => selectConditions(conditions, side));
  const shared = unknown.length > 0 ? [] : first.filter((one) => second.includes(one)).map(({ id }) => id);
  const seeds = listSeeds(study).length;
  const { at_least_runs } = decide;
  return [
    ...(known.includes(measure)
      ? []
      : [
          problem(
            'STUDY_NAMES_NOTHING',
            { kind: 'measure', name: measure, ...among(measure, known) },
            { pointer: `${pointer}/measure` },
          ),
        ]),
    ...unknown,
    ...complainIf(
      shared.length > 0,
      problem('SIDES_SHARE_CONDITIONS', { conditions: shared }, { pointer: `${pointer}/compare` }),
    ),
    ...complainIf(
      at_least_runs > seeds,
      problem('RULE_NEVER_MET', { at_least_runs, seeds }, { pointer: `${pointer}/decide/at_least_runs` }),
    ),
  ];
}

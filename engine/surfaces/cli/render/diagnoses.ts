import type { Diagnosis } from '../../../operations/composition.js';
import { advice, bad, faint, good, hanging, type Lines, type Span } from './line.js';

/** The configuration's diagnoses, a line each, with a repair. */
export function diagnosisLines(diagnoses: readonly Diagnosis[]): Lines {
  const width = Math.max(0, ...diagnoses.map(({ subject }) => subject.length));
  return diagnoses.flatMap(({ subject, state, code, message, repair }, at) => [
    hanging(
      width + 11,
      STATES[state],
      `  ${subject.padEnd(width)}  `,
      ...(code === undefined ? [] : [bad(code), '  ']),
      message,
    ),
    // Neighbours with the same repair share one line, beneath the last of them.
    repair !== undefined &&
      repair !== diagnoses[at + 1]?.repair &&
      hanging(width + 11, ...advice(faint(`${' '.repeat(width + 11)}what to do: ${repair}`))),
  ]);
}

const STATES: Readonly<Record<Diagnosis['state'], Span>> = {
  good: good('good   '),
  missing: faint('missing'),
  broken: bad('broken '),
};

import type { Json } from '../../contract/json.js';
import type { StudyMeasure } from '../../generated/study.js';
import { findAt, pointerTokens } from '../content/json-pointer.js';
import type { RunFacts } from './observation.js';
import { meanOf } from './statistics.js';

/** One value that a measure has read. */
interface Reading {
  readonly turn: number;
  readonly value: number;
}

/**
 * The number of a run by one measure.
 * @returns null where there was nothing to measure: a run in which a tool was never called has the count 0, and no mean
 */
export function measureRun(measure: StudyMeasure, facts: RunFacts): number | null {
  const { from = 1, to = Infinity } = measure.of_turns ?? {};
  const readings = readAll(measure, facts).filter(({ turn }) => turn >= from && turn <= to);
  const values = readings.map(({ value }) => value);
  const counted = values.filter((value) => value !== 0).length;
  const isCountable = values.length > 0 || 'tool' in measure.read;
  switch (measure.take) {
    case 'mean':
      return values.length === 0 ? null : meanOf(values);
    case 'sum':
      return isCountable ? values.reduce((sum, value) => sum + value, 0) : null;
    case 'count':
      return isCountable ? counted : null;
    case 'share':
      return values.length === 0 ? null : counted / values.length;
    case 'last': {
      const last = readings.at(-1)?.turn;
      return last === undefined ? null : meanOf(readings.filter(({ turn }) => turn === last).map(({ value }) => value));
    }
  }
}

/** In ascending order of turns. A value that is no number, and cannot be read as one, is left out. */
function readAll({ read, equal_to }: StudyMeasure, facts: RunFacts): readonly Reading[] {
  const isMeant = (subject_id: string): boolean =>
    !('subjects' in read) || read.subjects === undefined || read.subjects.includes(subject_id);
  if ('state_of' in read) {
    const states = facts.states.filter(({ entity_id }) => entity_id === read.state_of);
    return states.flatMap(({ turn, state }) => toReading(turn, readState(state, read.after, equal_to)));
  }
  const found =
    'tool' in read
      ? facts.tool_calls
          .filter(({ tool, subject_id }) => tool === read.tool && isMeant(subject_id))
          .map((call) => ({ turn: call.turn, json: readArgument(call.arguments, read.pointer) }))
      : facts.answers
          .filter(
            ({ ask, question_id, subject_id }) =>
              ask === read.probe && question_id === read.question && isMeant(subject_id),
          )
          .map(({ turn, answer }) => ({ turn, json: answer }));
  return found.flatMap(({ turn, json }) => toReading(turn, json === undefined ? undefined : toNumber(json, equal_to)));
}

function toReading(turn: number, value: number | undefined): readonly Reading[] {
  return value === undefined ? [] : [{ turn, value }];
}

/** A call counts by itself where no argument is named. */
function readArgument(given: Json, pointer: string | undefined): Json | undefined {
  return pointer === undefined ? 1 : findAt(given, pointerTokens(pointer));
}

const WORDS: Readonly<Record<string, number>> = { yes: 1, true: 1, no: 0, false: 0 };
const NUMBER = /(?<![\w.])-?\d+(?:\.\d+)?/;

function toNumber(json: Json, equal_to: StudyMeasure['equal_to']): number | undefined {
  if (json === null) return undefined;
  if (equal_to !== undefined) return json === equal_to ? 1 : 0;
  if (typeof json === 'boolean') return json ? 1 : 0;
  if (typeof json === 'number') return json;
  if (typeof json !== 'string') return undefined;
  const text = json.trim();
  const value = WORDS[text.toLowerCase()] ?? (text === '' ? undefined : Number(text));
  return Number.isFinite(value) ? value : undefined;
}

/** The number behind a text in a state; compared with another value, whether the state goes on with that. */
function readState(state: string, after = '', equal_to?: StudyMeasure['equal_to']): number | undefined {
  const at = state.indexOf(after);
  if (at === -1) return undefined;
  const rest = state.slice(at + after.length).trimStart();
  if (typeof equal_to === 'string') return rest.startsWith(equal_to) ? 1 : 0;
  const [written] = NUMBER.exec(rest) ?? [];
  if (written === undefined) return undefined;
  return toNumber(Number(written), equal_to);
}

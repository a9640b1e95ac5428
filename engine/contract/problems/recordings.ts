import { content } from './entry.js';

export interface UnwritableFile {
  readonly path: string;
  readonly reason: string;
  readonly lacks: 'place' | 'permission' | 'room' | 'size';
}

const TO_WRITE = {
  place: 'Name a place in an existing folder.',
  permission: 'Name a place that you may write.',
  room: 'Free space there, or name a place on another disk.',
  size: 'Allow larger files, such as by ulimit -f unlimited, or name a place on another disk.',
};

/** Why an attempt cannot be recorded as a test. */
export const RECORDING_PROBLEMS = {
  ATTEMPT_RUNNING: content({
    message: ({ attempt_id, status }) => `The attempt ${attempt_id} is ${status}: its outcome is not known yet.`,
    repair: 'Record it when it has ended.',
    example: { attempt_id: 'ID', status: 'running' },
  }),
  ATTEMPT_NOT_RECORDABLE: content<
    | { readonly attempt_id: string; readonly ended: string }
    | { readonly attempt_id: string; readonly turn: number; readonly world_slug: string; readonly turns: number }
  >({
    meaning: 'Answers alone cannot reproduce an attempt that was interrupted or stopped.',
    message: (facts) =>
      'ended' in facts
        ? `The attempt ${facts.attempt_id} ${facts.ended}: its end did not come from its answers.`
        : `Turn ${facts.turn} of ${facts.world_slug} was not committed after attempt ${facts.attempt_id} by the same scenario.`,
    repair: (facts) =>
      'ended' in facts
        ? 'Record one that was committed, or that failed by itself. See chukwa attempts SLUG.'
        : `Record fewer turns: --turns ${facts.turns}.`,
    example: { attempt_id: 'ID', ended: 'was stopped' },
  }),
  RECORDING_HIDDEN: content({
    meaning: 'Redaction hides what a schema requires, and it cannot be made up.',
    message: ({ key, reasons }) =>
      `Redaction hides a part of the answer to ${key} that its schema requires, and that cannot be made up: ${reasons.join('; ')}.`,
    repair: 'If a file may hold the hidden parts, record it with --unredacted.',
    example: { key: 'turn/weather', reasons: ['must match ^[0-9]+$ (at /code)'] },
  }),
  RECORDING_TOO_LARGE: content({
    meaning: 'No document as large as this test is read.',
    message: ({ bytes, bytes_max }) =>
      `The test would have ${bytes} bytes, and no document of more than ${bytes_max} is read.`,
    repair: 'Record an attempt with smaller answers.',
    example: { bytes: 20_000_000, bytes_max: 16_777_216 },
  }),
  RECORD_SCENARIO_DIFFERS: content({
    meaning: 'The file is no longer the scenario of the attempt.',
    message: ({ path, scenario_hash }) =>
      `${path} no longer is the scenario of this attempt, which is ${scenario_hash}.`,
    repair: 'Leave --scenario out: the test then names the scenario by its hash. Or undo the changes.',
    example: { path: 'scenario.json', scenario_hash: '3f1a90b2...' },
  }),
  FILE_EXISTS: content({
    message: ({ path }) => `${path} already exists, and is not overwritten.`,
    repair: 'Name another one, or remove this one.',
    example: { path: 'park.test.json' },
  }),
  FILE_UNWRITABLE: content<UnwritableFile>({
    meaning: 'A file or folder cannot be written; nothing of it was left.',
    message: ({ path, reason }) => `${path} cannot be written: ${reason}.`,
    repair: ({ lacks }) => TO_WRITE[lacks],
    example: { path: 'new/park.test.json', reason: 'its folder does not exist', lacks: 'place' },
  }),
};

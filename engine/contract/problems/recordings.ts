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
  ATTEMPT_RUNNING: content('The attempt has not ended.', 'Record it when it has ended.'),
  ATTEMPT_NOT_RECORDABLE: content(
    'The attempt was interrupted or stopped, which answers alone cannot reproduce.',
    'Record another attempt.',
  ),
  RECORDING_HIDDEN: content(
    "Redaction hides a part of an answer that the answer's schema requires, and the part cannot be made up.",
    '`--unredacted`, if the file may hold the hidden parts.',
  ),
  RECORDING_TOO_LARGE: content(
    'The test would exceed the size limit of documents.',
    'Record an attempt with smaller answers.',
  ),
  RECORD_SCENARIO_DIFFERS: content(
    'The file that `--scenario` names is no longer the scenario of the attempt.',
    'Leave `--scenario` out, or undo the change.',
  ),
  FILE_EXISTS: content({
    meaning: 'The file or folder to write already exists.',
    message: ({ path }: { readonly path: string }) => `${path} already exists, and is not overwritten.`,
    repair: 'Name another one, or remove this one.',
    example: { path: 'park.test.json' },
  }),
  FILE_UNWRITABLE: content({
    meaning: 'The file or folder cannot be written, and nothing of it was left.',
    message: ({ path, reason }: UnwritableFile) => `${path} cannot be written: ${reason}.`,
    repair: ({ lacks }) => TO_WRITE[lacks],
    example: { path: 'new/park.test.json', reason: 'its folder does not exist', lacks: 'place' },
  }),
};

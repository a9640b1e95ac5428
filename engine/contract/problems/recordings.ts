import { content } from './entry.js';

/** Why an attempt cannot be recorded as a test. */
export const RECORDING_PROBLEMS = {
  ATTEMPT_RUNNING: content('The attempt has not ended.', 'Record it when it has.'),
  ATTEMPT_NOT_RECORDABLE: content(
    'The attempt was interrupted or stopped, by something that is none of its answers.',
    'Record another.',
  ),
  RECORDING_HIDDEN: content(
    "Redaction hides a part of an answer that the answer's schema asks for, and that cannot be made up.",
    '`--unredacted`, where a file may hold all of it.',
  ),
  RECORDING_TOO_LARGE: content(
    'The test would be larger than a document may be.',
    'Record an attempt with smaller answers.',
  ),
  RECORD_SCENARIO_DIFFERS: content(
    'The file named by `--scenario` is not the scenario of the attempt any more.',
    'Leave `--scenario` out, or undo the change.',
  ),
  FILE_EXISTS: content('The file that was to be written is there already, and stays.', 'Name another.'),
  FILE_UNWRITABLE: content('The file cannot be written.', 'Name one in a folder that is there.'),
};

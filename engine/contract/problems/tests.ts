import { content } from './entry.js';

/** Problems of workflow tests and of answers. */
export const TEST_PROBLEMS = {
  KEY_NEVER_ASKED: content(
    'No turn of the scenario can make a call of this command key; a note in answers that no test names, which may ' +
      'be meant for another scenario.',
    'Write a key that it can make; the finding names one that is near.',
  ),
  TURN_NEVER_RUN: content('The test does not run this turn.', 'Set `turns`, or `turn` of `given`.'),
  ANSWER_NAMES_NOTHING: content(
    "A note: a model's answer names an entity, environment or tool that is not there, and no next try is answered.",
    'Write one that is, or leave it so if the mistake is meant.',
  ),
  TEST_NAMES_NOTHING: content(
    'A test names an entity, subject, environment or tool that is not there.',
    'Write one that is.',
  ),
  TEST_DIFFERS: content('Something did not come about as the test expects.', 'Mend the workflow, or the expectation.'),
  ANSWER_MISSING: content('A dry run made a call for which no answer is written.', 'Write it; the message shows how.'),
  NO_ANSWERS: content('The file is no document of answers.', 'Name one.'),
  NO_TESTS: content(
    'Nothing that was named is a test, so nothing was tested.',
    'Name a file that ends in `.test.json`, or a folder that holds one.',
  ),
};

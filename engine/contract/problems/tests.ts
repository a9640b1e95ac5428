import { content } from './entry.js';

/** Problems of workflow tests and of answers. */
export const TEST_PROBLEMS = {
  KEY_NEVER_ASKED: content(
    'No turn of the scenario can make a call with this command key. It is only a note in answers that no test ' +
      'names: they may be meant for another scenario.',
    'Write the key of a call that it makes; the finding names a similar one.',
  ),
  TURN_NEVER_RUN: content('The test does not run this turn.', 'Set `turns`, or `turn` of `given`.'),
  ANSWER_NAMES_NOTHING: content(
    "A note: a model's answer names an unknown entity, environment or tool, and the next try has no answer.",
    'Correct the name, or keep it if the mistake is meant.',
  ),
  ANSWER_MISFIT: content(
    'An answer does not fit the schemas that it is checked against, so it is rejected, and the next try has no answer. ' +
      'A note where the failure may be meant.',
    'Correct the answer, or answer the next try as well.',
  ),
  TEST_NAMES_NOTHING: content('A test names an unknown entity, subject, environment or tool.', 'Correct the name.'),
  TEST_DIFFERS: content(
    'The result differs from the expectation of the test.',
    'Correct the workflow, or the expectation.',
  ),
  ANSWER_MISSING: content('A dry run made a call without a written answer.', 'Write it; the message shows how.'),
  NO_ANSWERS: content('The file is not an answers document.', 'Name an answers document.'),
  NO_TESTS: content(
    'The named paths hold no test, so nothing was tested.',
    'Name a file that ends in `.test.json`, or a folder that holds one.',
  ),
};

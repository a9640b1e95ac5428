import { content } from './entry.js';

/** Violations of a document's schema. */
export const DOCUMENT_PROBLEMS = {
  MISSING_FIELD: content('A required field is missing.', 'Add it; the finding shows one that fits.'),
  UNKNOWN_FIELD: content('A field does not exist.', 'Remove it, or spell it as the finding says.'),
  WRONG_TYPE: content('A value has the wrong type.', 'Write a value of the right type, as the finding shows.'),
  UNEXPECTED_VALUE: content('A value is not allowed here.', 'Write one of the allowed values.'),
  BAD_VALUE: content('A value breaks a rule, such as a pattern or a limit.', 'The finding says which.'),
  NO_ALTERNATIVE: content('A value fits none of the allowed forms.', 'Write one of the forms.'),
  TOO_MANY_PROBLEMS: content('There are more problems than are listed.', 'Correct those first.'),
};

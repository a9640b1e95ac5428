import { content } from './entry.js';

/** Violations of a document's schema. */
export const DOCUMENT_PROBLEMS = {
  MISSING_FIELD: content('A required field is missing.', 'Add it; the finding shows one that fits.'),
  UNKNOWN_FIELD: content('A field does not exist.', 'Take it away, or spell it as the finding says.'),
  WRONG_TYPE: content('A value has another type.', 'Write one of the right type, such as the finding shows.'),
  UNEXPECTED_VALUE: content('A value is not one of those that are allowed here.', 'Write one of them.'),
  BAD_VALUE: content('A value breaks a rule, such as a pattern or a limit.', 'The finding says which.'),
  NO_ALTERNATIVE: content('A value fits none of several forms.', 'Write one of the forms.'),
  TOO_MANY_PROBLEMS: content('There are more problems than are listed.', 'Mend those first.'),
};

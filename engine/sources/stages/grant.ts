import type { Authorised, Granted, Stage } from '../passage.js';

/** Every call passes: none carries a connection, so that there is nothing yet that would have to be granted. */
export const grant: Stage<Authorised, Granted> = {
  name: 'grant',
  pass: (passage) => ({ ...passage, granted: true }),
};

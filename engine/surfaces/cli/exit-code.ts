export const EXIT = {
  done: 0,
  /** A document does not validate, an id is unknown. */
  refused: 1,
  usage: 2,
  attempt_failed: 3,
  /** The database or a service is out of reach. */
  environment: 4,
  /** The attempt is suspended until a pending call is answered. */
  suspended: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

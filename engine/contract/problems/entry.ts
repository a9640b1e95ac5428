/** What a problem code means, everywhere: the facts of a case are in the message of the `Problem`. */
export interface ProblemEntry {
  /** One sentence that says what is wrong. */
  readonly meaning: string;
  /** What to do about it, where nothing is known of the case. */
  readonly repair: string;
  /** With which code a command ends. */
  readonly exit: 1 | 2 | 4;
  /** With which status an HTTP request is answered. */
  readonly status: number;
}

/** The request is at fault: a document does not validate, or an id is unknown. */
export function content(meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 1, status: 422 };
}

/** The command line itself is wrong. */
export function usage(meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 2, status: 400 };
}

/** The database or a service is at fault, or another process is in the way. */
export function environment(meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 4, status: 503 };
}

/** An HTTP server refuses a request with a status of its own; a command that goes through the server ends with 4. */
export function overHttp(status: number, meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 4, status };
}

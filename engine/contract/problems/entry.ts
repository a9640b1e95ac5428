/** The catalogue entry of a problem code; the `Problem` itself has the facts of the case. */
export interface ProblemEntry {
  /** One sentence that says what is wrong. */
  readonly meaning: string;
  /** The default repair, in one sentence. */
  readonly repair: string;
  /** The exit code of a command. */
  readonly exit: 1 | 2 | 4;
  /** The status of an HTTP answer. */
  readonly status: number;
}

/** What the request says is at fault: a document does not validate, or a name cannot be one. */
export function content(meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 1, status: 400 };
}

/** A look-up names something that is not there. */
export function unknown(meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 1, status: 404 };
}

/** The command line itself is wrong. */
export function usage(meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 2, status: 400 };
}

/** The database, a service or another process prevents it. */
export function environment(meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 4, status: 503 };
}

/** An HTTP server refuses a request with a status of its own; a command that goes through the server ends with 4. */
export function overHttp(status: number, meaning: string, repair: string): ProblemEntry {
  return { meaning, repair, exit: 4, status };
}

/** The first argument of the process whose model answers. */
export interface ModelOrder {
  readonly subjects: number;
  readonly delay_ms: number;
}

/** The first message of that process. */
export interface ModelWord {
  readonly url: string;
}

/** The first argument of the process that runs the turns. */
export interface TurnsOrder extends ModelWord {
  readonly database_url: string;
  readonly subjects: number;
  readonly turns: number;
}

/** The last message of that process. */
export interface TurnsWord {
  /** Of each turn. */
  readonly seconds: readonly number[];
  /** The peak resident set, from the kernel. */
  readonly peak_mb: number;
  /** Of each turn, in this process. */
  readonly cpu_seconds: readonly number[];
}

/** Time and identity, injected so that no other code reads them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A fresh UUID, ordered by time (version 7). */
  uuid(): string;
}

import type { InstrumentName } from './names.js';

/** What is said of a span or a measurement; members without a value are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A stretch of time in which something was done, as it is exported. */
export interface Span {
  /** 32 hex digits. */
  readonly trace_id: string;
  /** 16 hex digits. */
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly name: string;
  /** `client`: something outside is waited for. */
  readonly kind: 'internal' | 'client';
  /** Milliseconds since 1970. */
  readonly began_at: number;
  readonly ended_at: number;
  readonly attributes: Attributes;
  /** Present where it failed; its message only where contents are exported. */
  readonly error?: { readonly message?: string };
  /** Traces from which this span has taken something. */
  readonly links: readonly { readonly trace_id: string; readonly span_id: string }[];
}

/** One value of an instrument. */
export interface Measurement {
  readonly instrument: InstrumentName;
  readonly value: number;
  readonly attributes: Attributes;
}

/** What follows from something that happened. */
export interface Signals {
  readonly spans: readonly Span[];
  readonly measurements: readonly Measurement[];
}

import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { TokenUsage, TriedQuestion } from '../contract/source.js';
import type { Invoke } from '../core/protocol/command.js';
import type { InvocationFailureClass } from '../core/protocol/failure.js';
import type { PluginManifest } from '../generated/plugin-manifest.js';
import type { SourceProgram } from '../core/protocol/program.js';

/** How a call ended, as its record will say. */
export type CallOutcome = CallSucceeded | CallBroke;

/** What a turn learns of a call, live and from the record alike; `eventOf` makes its event from it. */
export type CallFact =
  | Pick<CallSucceeded, 'key' | 'status' | 'view' | 'usage' | 'duration_ms'>
  | Pick<
      CallBroke,
      | 'key'
      | 'status'
      | 'failure_class'
      | 'failure_message'
      | 'refused'
      | 'outcome_unknown'
      | 'http_status'
      | 'retry_after_ms'
      | 'duration_ms'
      | 'said'
      | 'is_final'
    >
  | PendedFact;

/** A call has not ended, and is waited for until its record's deadline, in milliseconds since 1970. */
export interface PendedFact {
  readonly key: string;
  readonly status: 'pending';
  readonly deadline: number;
}

interface CallEnd {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly ended_at: number;
  readonly duration_ms: number;
  readonly http_status?: number;
  /** Headers by allow-list, secrets replaced. */
  readonly response_headers?: Readonly<Record<string, string>>;
  /** The body as it came, where it is not the canonical JSON of the answer. */
  readonly response_body?: Uint8Array;
  /** Why a model stopped, where its answer is a failure all the same. */
  readonly finish_reason?: string;
  readonly validation_status: 'valid' | 'invalid' | 'not_checked';
  readonly usage?: TokenUsage;
  /** What a chat source left: see `CallTrace`. */
  readonly trace?: CallTrace;
}

export interface CallSucceeded extends CallEnd {
  readonly status: 'succeeded';
  /** The whole validated answer; stored, never shown. */
  readonly answer: Json;
  /** What redaction lets through; all that the turn sees. */
  readonly view: Json;
}

export interface CallBroke extends CallEnd {
  readonly status: 'failed';
  readonly failure_class: InvocationFailureClass;
  readonly failure_message: string;
  /** Refused by a stage before the call; nothing left the process. */
  readonly refused: boolean;
  /** It may have had its side effect all the same, and may not be made again. */
  readonly outcome_unknown?: true;
  /** How long the service asked to be left alone, in milliseconds from the end of the call. */
  readonly retry_after_ms?: number;
  /** The answer, where one arrived and was found unusable. */
  readonly answer?: Json;
  /** What the service said of the failure, as redaction lets it be seen. */
  readonly said?: Json;
  /** Of a record only: the turn went on with this failure. */
  readonly is_final?: true;
}

/** The source has taken the call and answers later. The call has not ended. */
export interface CallPended extends Pick<CallEnd, 'key' | 'http_status' | 'response_headers' | 'response_body'> {
  readonly status: 'pending';
  /** Milliseconds since 1970. */
  readonly pended_at: number;
  /** How long the answer may take from then on. */
  readonly deadline_ms: number;
  /** What the other side calls it. */
  readonly correlation_alias?: string;
}

/** What came of a call. */
export type CallResult = CallOutcome | CallPended;

/** What is reported of a call that was pending. */
export type CallReport =
  | { readonly kind: 'answered'; readonly value: Json }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'timed_out' };

/** What streamed in and has not been flushed yet, and what the plugin left beside it. */
export interface CallTrace {
  readonly chunks: ChunkBatch | undefined;
  readonly artifacts: readonly { readonly kind: string; readonly value: Json }[];
}

/** Streamed pieces of one flush. */
export interface ChunkBatch {
  /** 1-based, without gaps. */
  readonly batch_seq: number;
  /** UTF-8 of all pieces together. */
  readonly text: Uint8Array;
  /** Bytes of each piece. */
  readonly lengths: readonly number[];
  /** Milliseconds from the start of the call to each piece. */
  readonly offsets_ms: readonly number[];
}

/** What the operator's settings made of a call's source, free of secrets. */
export interface ResolvedSource {
  /** The model that is asked. */
  readonly model?: string;
  /** Scheme, host and port of the service. */
  readonly origin?: string;
}

/** What the pipeline reports while a call is under way. Each write returns before the next stage goes on. */
export interface CallRecorder {
  /** Must be durable when it resolves: the first byte leaves after it. */
  started(resolved: ResolvedSource): Promise<void>;
  flushed(batch: ChunkBatch): Promise<void>;
}

/** What a call knows of the turn that it serves. */
export interface CallSurroundings {
  /** `<world>/turn-<n>/<command key>`. */
  readonly client_request_id: string;
  /** The id of the call's record. */
  readonly correlation_id: string;
  /** Aborted when the turn no longer wants the answer; its reason may be a text that says why. */
  readonly signal: AbortSignal;
}

/**
 * The one way out: every call to a source, whatever asked for it, in one documented order of stages.
 * Expected failures are outcomes; a throw is a bug, or the recorder's word that the attempt was overtaken.
 */
export type CallSource = (
  command: Invoke,
  surroundings: CallSurroundings,
  recorder: CallRecorder,
) => Promise<CallResult>;

/**
 * The end of a call that was pending, from what is reported of it: checked, cleaned and redacted as any answer is. Pure but
 * for the operator's variables, which say what is secret.
 */
export type ReceiveReport = (command: Invoke, report: CallReport, call: PendedCall) => Promise<CallOutcome>;

/**
 * Replaces secrets in what somebody says of a call that is over: those that the operator's variables hold now, for its
 * source as it is stored, and the token of its callback.
 */
export type ReplaceSecrets = (call: CallOfSource, said: Json) => Json;

export interface CallOfSource {
  readonly source: Pick<SourceProgram, 'plugin' | 'interface'>;
  /** The id of the call's record. */
  readonly correlation_id: string;
}

/** What the record says of a call that was pending. */
export interface PendedCall {
  readonly correlation_id: string;
  /** When the call was made, in milliseconds since 1970. */
  readonly started_at: number;
}

/** Where one call can be answered over HTTP. */
export interface Callback {
  readonly url: string;
  /** The part of the URL that gives leave to. No record holds it. */
  readonly token: string;
}

export type MakeCallback = (correlation_id: string) => Callback;

/**
 * What a plugin would change in a source whose model does not answer well; nothing where the plugin does not say. Imports its
 * code.
 */
export type ListVariations = (
  plugin: string,
  definition: JsonObject,
  question: TriedQuestion,
) => Promise<readonly JsonObject[]>;

/** What is known of the plugins that were found. */
export interface PluginCatalogue {
  readonly plugins: readonly PluginDescription[];
  /** Why others were left out. */
  readonly problems: readonly Problem[];
}

export interface PluginDescription {
  readonly name: string;
  readonly description: string;
  readonly speaks: 'json' | 'chat';
  readonly folder: string;
  readonly version: string;
  readonly manifest: PluginManifest;
  /** Of a source's `interface`. */
  readonly interface_schema: JsonObject;
  /** The variables with folders and secrets that a source's `interface` names. */
  readonly listVariables: (value: JsonObject) => readonly string[];
  /** Problems of a source's `interface`, with pointers into it. */
  readonly validateInterface: (value: Json) => readonly Problem[];
}

/** What is found where a variable leads; `origin` is its scheme, host and port. */
export type OriginReport =
  | { readonly ok: true; readonly origin: string }
  | { readonly ok: false; readonly message: string; readonly repair: string };

/**
 * Looks whether a service can be connected to; asks it nothing.
 * @param example a good value, for the repair of one that is none
 */
export type ExamineOrigin = (variable: string, value: string, example: string) => Promise<OriginReport>;

/** A model that is asked in the place of every other, with a key that opens nothing. */
export interface ModelPlace {
  readonly url: string;
  readonly key: string;
}

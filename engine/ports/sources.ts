import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import type { TokenUsage, TriedQuestion } from '../contract/source.js';
import type { AskedApproval } from '../core/approvals/approval.js';
import type { Invoke } from '../core/protocol/command.js';
import type { CallFailed } from '../core/protocol/event.js';
import type { Ruling } from '../core/policy/policy.js';
import type { PluginManifest } from '../generated/plugin-manifest.js';
import type { SourceProgram } from '../core/protocol/program.js';
import type { ApprovalState } from './approvals.js';

/** How a call ended, as its record will say. */
export type CallOutcome = CallSucceeded | CallBroke;

/** The facts of a call's end that a turn gets, live and from the record alike; `eventOf` makes its event of them. */
export type CallFact =
  | Pick<CallSucceeded, 'key' | 'status' | 'view' | 'usage' | 'duration_ms'>
  | (Pick<CallEnd, 'key' | 'http_status' | 'duration_ms' | 'usage'> & Omit<CallBroke, keyof CallEnd | 'answer'>)
  /** A pending call, with its recorded deadline in milliseconds since 1970. */
  | { readonly key: string; readonly status: 'pending'; readonly deadline: number };

/** The facts of every call's end, good or bad. */
export interface CallEnd {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly ended_at: number;
  readonly duration_ms: number;
  readonly http_status?: number;
  /** Headers by allow-list, secrets replaced. */
  readonly response_headers?: Readonly<Record<string, string>>;
  /** The received body, where it is not the canonical JSON of the answer. */
  readonly response_body?: Uint8Array;
  /** Why a model stopped, where its answer failed. */
  readonly finish_reason?: string;
  readonly validation_status: 'valid' | 'invalid' | 'not_checked';
  readonly usage?: TokenUsage;
  /** The trace of a chat source. */
  readonly trace?: CallTrace;
}

export interface CallSucceeded extends CallEnd {
  readonly status: 'succeeded';
  /** The whole validated answer; stored, never shown. */
  readonly answer: Json;
  /** The redacted answer; all that the turn sees. */
  readonly view: Json;
}

export interface CallBroke
  extends CallEnd,
    Pick<CallFailed, 'failure_class' | 'outcome_unknown' | 'retry_after_ms' | 'said' | 'is_final' | 'was_pending'> {
  readonly status: 'failed';
  readonly failure_message: string;
  /** Refused by a stage before the call; nothing left the process. */
  readonly refused: boolean;
  /** Of a refused call: the decision of policy about it. */
  readonly ruling?: Ruling;
  /** The answer, where one arrived and was unusable. */
  readonly answer?: Json;
}

/** The source has accepted the call and answers later. The call has not ended. */
export interface CallPended extends Pick<CallEnd, 'key' | 'http_status' | 'response_headers' | 'response_body'> {
  readonly status: 'pending';
  /** Milliseconds since 1970. */
  readonly pended_at: number;
  /** The deadline of the answer, from then on. */
  readonly deadline_ms: number;
  /** The service's own id of the call. */
  readonly correlation_alias?: string;
}

/** A person has to approve the call. Nothing left the process, and nothing of the call is on record. */
export interface CallUnapproved {
  readonly key: string;
  readonly status: 'unapproved';
  readonly approval_id: string;
  /** In milliseconds since 1970. */
  readonly deadline: number;
}

export type CallResult = CallOutcome | CallPended | CallUnapproved;

export type CallReport =
  | { readonly kind: 'answered'; readonly value: Json }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'timed_out' };

/** Streamed text that is not flushed yet, and the plugin's artifacts. */
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

/** A call's source with the operator's settings, without secrets. */
export interface ResolvedSource {
  readonly model?: string;
  /** Scheme, host and port of the service. */
  readonly origin?: string;
}

/** Records a call while it is performed. The pipeline awaits each write before its next stage. */
export interface CallRecorder {
  /** Must be durable when it resolves: the first byte is sent after it. */
  started(resolved: ResolvedSource, ruling?: Ruling): Promise<void>;
  flushed(batch: ChunkBatch): Promise<void>;
  /** Asks a person for the call, or finds what was decided of it; left out where nobody can be asked. */
  asked?(approval: AskedApproval): Promise<ApprovalState>;
}

/** The turn's context of a call. */
export interface CallSurroundings {
  /** `<world>~<mark>/turn-<n>/<command key>`. */
  readonly client_request_id: string;
  /** The id of the call's record. */
  readonly correlation_id: string;
  /** Aborted when the turn no longer wants the answer; its reason may be a text. */
  readonly signal: AbortSignal;
}

/**
 * The one way out: every call to a source passes the same stages in one documented order. Expected failures are
 * outcomes; a throw is a bug, or the recorder's notice that the attempt was overtaken.
 */
export type CallSource = (
  command: Invoke,
  surroundings: CallSurroundings,
  recorder: CallRecorder,
) => Promise<CallResult>;

/**
 * The end of a pending call, from its report: checked, replaced and redacted like any answer. Pure but for the
 * operator's variables, which hold the secrets.
 */
export type ReceiveReport = (command: Invoke, report: CallReport, call: PendedCall) => Promise<CallOutcome>;

/** Replaces secrets in a report: the values of the operator's variables, and the token of the callback. */
export type ReplaceSecrets = (call: CallOfSource, said: Json) => Json;

/** What the operator has to set before a source can be called: a sentence, or undefined where nothing is missing. */
export type FindObstacle = (
  source: Pick<SourceProgram, 'plugin' | 'interface' | 'connection'>,
) => Promise<string | undefined>;

/** The model that a source asks, and where (scheme, host and port); null where that is not known. */
export type FindModel = (source: Pick<SourceProgram, 'plugin' | 'interface' | 'connection'>) => {
  readonly model: string | null;
  readonly endpoint_origin: string | null;
};

interface CallOfSource {
  readonly source: Pick<SourceProgram, 'plugin' | 'interface'>;
  /** The id of the call's record. */
  readonly correlation_id: string;
}

export interface PendedCall {
  readonly correlation_id: string;
  /** When the call was made, in milliseconds since 1970. */
  readonly started_at: number;
}

/** The callback of one call over HTTP. */
export interface Callback {
  readonly url: string;
  /** The secret part of the URL. No record holds it. */
  readonly token: string;
}

export type MakeCallback = (correlation_id: string) => Callback;

/** The changes that a plugin proposes for a source whose model answers badly. Imports its code. */
export type ListVariations = (
  plugin: string,
  definition: JsonObject,
  question: TriedQuestion,
) => Promise<readonly JsonObject[]>;

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
  /** The hash of its manifest, interface schema and code, as 64 hex digits. */
  readonly digest: string;
  /** Why its code may not run yet: it came with the working folder, and nobody has confirmed it as it is. */
  readonly unconfirmed?: Problem;
  readonly manifest: PluginManifest;
  /** Of a source's `interface`. */
  readonly interface_schema: JsonObject;
  /** The variables with folders and secrets that a source's `interface` names. */
  readonly listVariables: (value: JsonObject) => readonly string[];
  /** Problems of a source's `interface`, with pointers into it. */
  readonly validateInterface: (value: Json) => readonly Problem[];
}

/** The finding about a variable's value; `origin` is the scheme, host and port of a URL, and of a command a sentence. */
export type OriginReport =
  | { readonly ok: true; readonly origin: string }
  | { readonly ok: false; readonly message: string; readonly repair: string };

/**
 * Tests whether a service accepts connections, or whether a command's program exists; sends no request, starts nothing.
 * @param example a valid value, for the repair of an invalid one
 * @param search_path where the program of a command is looked for; left out where the variable may hold a URL only
 */
export type ExamineOrigin = (
  variable: string,
  value: string,
  example: string,
  search_path?: string,
) => Promise<OriginReport>;

/** A model that replaces every other, with a key that is valid nowhere else. */
export interface ModelPlace {
  readonly url: string;
  readonly key: string;
}

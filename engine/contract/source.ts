import type { SourceFailureClass } from './failure-class.js';
import type { Json, JsonObject } from './json.js';

/** The contract that a manifest names in `contract_version`. */
export type ContractVersion = 1;

/** What the wire showed, kept on the record whether the call succeeded or failed. */
export interface TransportFacts {
  readonly http_status?: number;
  readonly response_headers?: Readonly<Record<string, string>>;
  /** The body, or as much of it as was read. */
  readonly body?: Uint8Array;
  /** The body goes on, or may go on, beyond what was read. */
  readonly is_body_cut?: boolean;
  /** Why a model stopped, where its answer is a failure all the same. */
  readonly finish_reason?: string;
}

/** An answer in time: JSON, and what the wire showed. */
export interface SourceAnswer {
  readonly value: Json;
  readonly facts?: TransportFacts;
}

/** The call was taken, and its answer comes later: whoever has it reports it. */
export interface SourcePending {
  readonly pending: {
    /** The name that the other side gives to the call; it may be used in place of ours when the answer is reported. */
    readonly correlation_id?: string;
  };
  readonly facts?: TransportFacts;
}

/** Thrown by a plugin, made by `capabilities.failure`. Anything else that a plugin throws is recorded as `transport`. */
export interface SourceFailure {
  readonly source_failure: true;
  readonly failure_class: SourceFailureClass;
  readonly message: string;
  readonly facts?: TransportFacts;
}

/** Tokens as the provider counts them. */
export interface TokenUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens?: number;
  readonly reasoning_tokens?: number;
}

/** Where a chat source reports what it sees while it is being answered. */
export interface TraceSink {
  /** A piece of the model's text, verbatim, as it arrives. */
  chunk(text: string): void;
  /** Tokens as the provider counts them; the last report counts. */
  tokens(usage: TokenUsage): void;
  /** Anything else worth keeping beside the call, under a name of the plugin's. */
  artifact(kind: string, value: Json): void;
}

/** One message of a conversation with a model. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What a `chat` source is asked. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** The schema that the answer must have, as it is delivered, where the source's authored delivery is `response_format`. */
  readonly output_schema?: { readonly name: string; readonly schema: JsonObject };
}

/**
 * What a `chat` source answers: the model's text verbatim, without reasoning, and why it stopped: `stop`, `length`, or
 * another word of the provider's; `done` where the stream was closed and no reason given. `tool_calls`, `function_call` and
 * `tool_use_failed` say that the text is a native tool call, which nobody had asked for.
 */
export interface ChatAnswer {
  readonly text: string;
  readonly finish_reason: string;
}

/** What a call may know of its surroundings. */
export interface InvocationContext {
  /** Aborted at the deadline, and when the turn no longer wants the answer. */
  readonly signal: AbortSignal;
  readonly deadline_ms: number;
  readonly max_result_bytes: number;
  /** `<world>/turn-<n>/<command key>`: the same for the same call, however often a process dies. */
  readonly client_request_id: string;
  /** Names this one call; of two calls never the same. Who answers later names it. */
  readonly correlation_id: string;
  /** Where the author lets the answer come later. */
  readonly pending?: {
    /** How long it may take, from then on. */
    readonly deadline_ms: number;
    /** Where the answer can be POSTed to, if anybody listens. Whoever has the URL can answer this call, and no other. */
    readonly callback_url?: string;
  };
  readonly trace: TraceSink;
  /** Called by a source that `says_when_it_acts`, right before the request that may have the call's effect. */
  readonly acts: () => void;
}

/**
 * The part of `fetch` that plugins use. It never follows a redirect and never leaves the origin. It ends with the call; a
 * request with `keepalive`, such as one that takes another back, has a second longer.
 * @param call the context of the call that the request belongs to; left out, the engine finds it, unless the source
 * `names_its_calls`
 */
export type OriginFetch = (
  url: string | URL,
  init?: RequestInit,
  call?: Pick<InvocationContext, 'signal'>,
) => Promise<Response>;

/**
 * Reads a file of the folder that the operator's variable names: a regular file below it, reached without a link, and no
 * larger than a result may be. `path` holds names between slashes; none begins with a dot. The file is read once the record
 * of the call is durable.
 * @throws SourceFailure
 */
export type ReadFile = (path: string, call: Pick<InvocationContext, 'signal'>) => Promise<Uint8Array>;

/** A path with values in the place of its parameters, and the members of the request that are not in it. */
export interface FilledPath {
  readonly path: string;
  readonly rest: Json;
}

/** How a program ended. */
export interface ChildEnd {
  /** A sentence; it names the variable, never the command. */
  readonly message: string;
  /** The end of what it wrote to its standard error. */
  readonly last_words: Uint8Array;
}

/** A program that runs, and its pipes. It may outlive the call that started it. */
export interface Child {
  /** What it writes to its standard output, as it comes. To be read once. */
  readonly output: AsyncIterable<Uint8Array>;
  /**
   * Writes to its standard input; resolves when the text is handed over.
   * @throws SourceFailure when the program takes no more: where it has ended, with how and its last words
   */
  write(text: string): Promise<void>;
  /** Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Ends it and all that it started. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the program that the operator's variable names. One runs at a time: an earlier one is ended first.
 * @throws SourceFailure where it cannot be started, and outside a call
 */
export type Spawn = () => Promise<Child>;

/**
 * Rings once, after a while; gives what cancels it.
 * @param call the context of the call whose time it limits: that counts from when the record of the call is durable, for
 * which the requests of a source that `names_its_calls` wait
 */
export type Alarm = (after_ms: number, ring: () => void, call?: Pick<InvocationContext, 'signal'>) => () => void;

/** What a text says as JSON, or why it is refused: then the plugin fails with `non_json`. */
export type ParsedAnswer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string };

/** How much a remark of a plugin matters; `debug` where it says nothing. */
export type LogLevel = 'debug' | 'warn' | 'error';

/** All that a plugin is handed. It reaches nothing else. */
export interface Capabilities {
  /** The origin that the manifest declares, as the operator set it. Sources with one origin are handed the same object. */
  readonly origin?: { readonly url: string; readonly fetch: OriginFetch };
  /**
   * Where the manifest says `spawn`, and the variable of its origin holds a command instead of a URL.
   * Sources with one command are handed the same function.
   */
  readonly spawn?: Spawn;
  /** Files of the folder that the manifest declares, as the operator set it. */
  readonly files?: { readonly read: ReadFile };
  /** The model to be asked, where the manifest says which interface members name it. */
  readonly model?: string;
  /** Values of the variables that the manifest names, or a source's interface by its leave, and that the operator set. */
  readonly variables: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly alarm: Alarm;
  /** Logs a remark for the operator; its secrets are replaced. Warnings and errors are shown, `debug` only on request. */
  readonly log: (message: string, details?: JsonObject, level?: LogLevel) => void;
  /**
   * What the other side said, as a message may hold it: first its secrets are replaced, then it is cut. A plugin that cuts
   * by itself may leave the half of a secret that nobody recognises.
   */
  readonly quote: (said: string, ending?: 'whole' | 'cut') => string;
  /**
   * Parses JSON that came from the other side. `JSON.parse` keeps the last of two equal names and rounds numbers: this
   * refuses such a text, and one that cannot be stored. The reason completes "the service did not answer with JSON: ...",
   * and quotes nothing.
   */
  readonly parseJson: (text: string) => ParsedAnswer;
  /**
   * Fills the parameters of a path, such as `/stations/{station_id}`, from members of the request; each value stays in its
   * segment.
   * @throws SourceFailure of class `schema_invalid`
   */
  readonly fillPath: (path: string, request: Json, encode: (value: string) => string) => FilledPath;
  /** Makes the failure that a plugin throws. */
  readonly failure: (failureClass: SourceFailureClass, message: string, facts?: TransportFacts) => SourceFailure;
}

/** One opened source definition. */
export interface Source {
  /**
   * Asks once. Must honour `context.signal`, must not change `request`, and may be called concurrently.
   * @returns the answer; or that it comes later, which is a failure where `context.pending` is left out
   * @throws SourceFailure, made by `capabilities.failure`
   */
  invoke(request: Json, context: InvocationContext): Promise<SourceAnswer | SourcePending>;
  /** Has a second, in which it may still send. */
  close?(): Promise<void>;
  /**
   * Every request of this source names the call that it belongs to, and one that does not is refused. Otherwise the engine
   * follows a call through everything asynchronous, which in Node 20 slows down the whole process.
   */
  readonly names_its_calls?: true;
  /**
   * This source calls `context.acts` right before it sends what may have the call's effect. A call that fails before that is
   * known to have done nothing, whatever was sent to prepare it, such as a handshake.
   */
  readonly says_when_it_acts?: true;
}

/** A question that `chukwa model try` asks. */
export interface TriedQuestion {
  /** The answer has to fit a schema. */
  readonly has_schema: boolean;
}

/** The default export of a plugin's entry. */
export interface SourcePlugin {
  /**
   * Of a chat plugin: what `chukwa model try` changes in an interface whose source does not answer well, in this order. Each
   * is an object of members; null takes a member out. The ways of delivering a schema need not be among them.
   */
  listVariations?(definition: JsonObject, question: TriedQuestion): readonly JsonObject[];
  /** Opens a source. `interface` has been validated against the plugin's interface schema. */
  open(definition: { readonly label: string; readonly interface: JsonObject }, capabilities: Capabilities): Source;
}

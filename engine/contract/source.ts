import type { SourceFailureClass } from './failure-class.js';
import type { Json, JsonObject } from './json.js';

/** The contract that a manifest names in `contract_version`. */
export type ContractVersion = 1;

/** The transport of an answer, recorded whether the call succeeded or failed. */
export interface TransportFacts {
  readonly http_status?: number;
  readonly response_headers?: Readonly<Record<string, string>>;
  /** The body, or as much of it as was read. */
  readonly body?: Uint8Array;
  /** The body is, or may be, longer than what was read. */
  readonly is_body_cut?: boolean;
  /** Why a model stopped, where its answer failed. */
  readonly finish_reason?: string;
}

/** An immediate answer: JSON, and its transport. */
export interface SourceAnswer {
  readonly value: Json;
  readonly facts?: TransportFacts;
}

/** The call was accepted, and its answer will be reported later. */
export interface SourcePending {
  readonly pending: {
    /** The service's own id of the call; a report may use it in place of ours. */
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
  /** Of the input: read from a cache. */
  readonly cached_input_tokens?: number;
  /** Of the input: written to a cache. */
  readonly cache_written_input_tokens?: number;
  /** Of the output. */
  readonly reasoning_tokens?: number;
}

/** Receives what a chat source observes during its answer. */
export interface TraceSink {
  /** A piece of the model's text, verbatim, as it arrives. */
  chunk(text: string): void;
  /** Tokens as the provider counts them; the last report counts, where none was larger. */
  tokens(usage: TokenUsage): void;
  /** Any other value to record with the call, under a name of the plugin's. */
  artifact(kind: string, value: Json): void;
}

/** One message of a conversation with a model. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What the parties of a conversation say, one after the other. Each provider has an encoding of its own. */
export type ChatItem =
  | ({ readonly type: 'message' } & ChatMessage)
  | ReasoningItem
  | FunctionCallItem
  | FunctionOutputItem;

/** What a model has said of one answer beside its text. */
export type AnswerItem = ReasoningItem | FunctionCallItem;

/** Reasoning that the provider wants back: only its plugin reads it. */
export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly provider: Json;
}

/** A call of a function: the plugin has assembled it, and has not read its arguments. */
export interface FunctionCallItem {
  readonly type: 'function_call';
  /** The model's id; empty where it gave none. */
  readonly call_id: string;
  readonly name: string;
  /** The arguments as one text, which should be JSON. */
  readonly arguments: string;
  /** What the provider wants back with the call. */
  readonly provider?: Json;
}

/** The one result of a call. */
export interface FunctionOutputItem {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string;
}

/** A tool as a model is offered it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** The part of a request that native tool calls add. */
export interface NativeCalling {
  /** The whole conversation; `messages` has its messages alone. */
  readonly items: readonly ChatItem[];
  readonly tools: readonly ToolSpec[];
  /** False once the node's calls are spent: the tools stay, and the model must not call one. */
  readonly may_call: boolean;
}

/** The request of a `chat` source. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Present where the source's authored tool calling is `native`, and its node has tools. */
  readonly native?: NativeCalling;
  /** The schema of the answer, in the form to deliver, where the source's authored delivery is `response_format`. */
  readonly output_schema?: { readonly name: string; readonly schema: JsonObject };
  /** The most tokens of the answer, where budgets leave fewer than the source's own limit, or it has none. */
  readonly max_output_tokens?: number;
}

/**
 * The answer of a `chat` source: the model's text verbatim, without reasoning, and its finish reason: `stop`, `length`,
 * or another word of the provider's; `done` where the stream was closed without one. `tool_calls`, `function_call` and
 * `tool_use_failed` say that the text is a native tool call, although none was offered.
 */
export interface ChatAnswer {
  readonly text: string;
  readonly finish_reason: string;
  /** Of a request with `native`: reasoning that is to come back, and calls, where the finish reason says that there are any. */
  readonly items?: readonly AnswerItem[];
}

/** For whom a call is made. The engine says so: no request, document or model can. It names, and holds no secret. */
export interface Identity {
  /** `agent:<entity id>`, or `service:chukwa` of a call that is made for no agent. */
  readonly actor_id: string;
  /** `world:<slug>`. */
  readonly tenant_id: string;
  /** The person for whom the actor acts, where there is one. */
  readonly subject_id?: string;
  /** The hash of the workflow that makes the call. */
  readonly graph_id?: string;
}

export interface InvocationContext extends Identity {
  /** Aborted at the deadline, and when the turn no longer wants the answer. */
  readonly signal: AbortSignal;
  readonly deadline_ms: number;
  readonly max_result_bytes: number;
  /** `<world>~<mark>/turn-<n>/<command key>`: the same for the same call, across restarts. */
  readonly client_request_id: string;
  /** The unique id of this call, which a report names. */
  readonly correlation_id: string;
  /** The call has no side effect, or its service tells repeated requests apart: a request can be sent again. */
  readonly may_repeat: boolean;
  /** Present where the author lets the call become pending. */
  readonly pending?: {
    /** The deadline of the report, from then on. */
    readonly deadline_ms: number;
    /** The URL for a report, where a server listens. It admits reports of this call, and of no other. */
    readonly callback_url?: string;
  };
  readonly trace: TraceSink;
  /** Called by a source that `says_when_it_acts`, right before the request that may have the call's effect. */
  readonly acts: () => void;
}

/**
 * The part of `fetch` that plugins use. It follows no redirect and stays on the origin. It is aborted with the call; a
 * request with `keepalive`, such as a cancellation, has a second longer.
 * @param call the context of the request's call; without it the engine finds the call, unless the source
 * `names_its_calls`
 */
export type OriginFetch = (
  url: string | URL,
  init?: RequestInit,
  call?: Pick<InvocationContext, 'signal'>,
) => Promise<Response>;

/**
 * Reads a file of the folder that the operator's variable names: a regular file below it, reached without a link out of
 * it, and no larger than a result may be. `path` holds names between slashes; none begins with a dot. The file is read once the record
 * of the call is durable.
 * @throws SourceFailure
 */
export type ReadFile = (path: string, call: Pick<InvocationContext, 'signal'>) => Promise<Uint8Array>;

/** A path with its parameters filled, and the members of the request that are not in it. */
export interface FilledPath {
  readonly path: string;
  readonly rest: Json;
}

export interface ChildEnd {
  /** A sentence; it names the variable, never the command. */
  readonly message: string;
  /** The end of what it wrote to its standard error. */
  readonly last_words: Uint8Array;
}

/** A running program and its pipes. It may outlive the call that started it. */
export interface Child {
  /** Its standard output as a stream. To be read once. */
  readonly output: AsyncIterable<Uint8Array>;
  /**
   * Writes to its standard input; resolves once the text is handed over. A program that leaves too much unread is ended.
   * @throws SourceFailure when the program accepts no more; where it has ended, with how and its last words
   */
  write(text: string): Promise<void>;
  /** Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Ends it and all its children. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the program that the operator's variable names. One runs at a time: an earlier one is ended first.
 * @throws SourceFailure where it cannot be started, and outside a call
 */
export type Spawn = () => Promise<Child>;

/**
 * Calls back once, after a time; gives a function that cancels it.
 * @param call the context of the call whose time it limits: the time counts from the durable record of the call, which
 * the requests of a source that `names_its_calls` wait for
 */
export type Alarm = (after_ms: number, ring: () => void, call?: Pick<InvocationContext, 'signal'>) => () => void;

/**
 * A parsed JSON text, and what was replaced in a lenient reading of it; or the reason for refusing it, with which the
 * plugin fails with `non_json`, and whether a lenient reading takes it.
 */
export type ParsedAnswer =
  | { readonly ok: true; readonly value: Json; readonly replaced?: string }
  | { readonly ok: false; readonly reason: string; readonly is_json?: true };

/** The level of a plugin's log line; `debug` by default. */
export type LogLevel = 'debug' | 'warn' | 'error';

/** All that a plugin is given. It reaches nothing else. */
export interface Capabilities {
  /** The origin that the manifest declares, with the operator's URL. Sources with one origin share this object. */
  readonly origin?: {
    /** Without a slash at its end, so that paths can follow. */
    readonly url: string;
    /** As the operator wrote it: some servers tell `/mcp` and `/mcp/` apart. */
    readonly endpoint: string;
    readonly fetch: OriginFetch;
    /** The id of the connection whose credentials the engine adds to each request: the plugin adds none of its own. */
    readonly connection?: string;
  };
  /** Present where the manifest says `spawn` and the operator set a command. Sources with one command share it. */
  readonly spawn?: Spawn;
  /** Files of the folder that the manifest declares, in the operator's place. */
  readonly files?: { readonly read: ReadFile };
  /** The model to call, where the manifest says which interface members name it. */
  readonly model?: string;
  /** Values of the variables that the manifest names, or a source's interface by its leave, and that the operator set. */
  readonly variables: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly alarm: Alarm;
  /** Logs for the operator; secrets are replaced. Warnings and errors are shown, `debug` only on request. */
  readonly log: (message: string, details?: JsonObject, level?: LogLevel) => void;
  /**
   * The service's words, as a message may hold them: secrets are replaced first, then the text is cut. A cut before
   * that may leave half a secret, which no replacement recognises.
   */
  readonly quote: (said: string, ending?: 'whole' | 'cut') => string;
  /**
   * Parses JSON of a service. `JSON.parse` keeps the last of two equal names and rounds numbers: this refuses such a
   * text, and one that cannot be stored. The reason completes "the service did not answer with JSON: ...", and quotes
   * nothing. A lenient reading is for sources that ask for it, and for calls that may not be repeated: to refuse their
   * answer would leave in doubt what the service said. The last of equal names counts, characters that cannot be stored
   * become U+FFFD, and large numbers texts.
   */
  readonly parseJson: (text: string, reading?: 'strict' | 'lenient') => ParsedAnswer;
  /**
   * Fills the parameters of a path, such as `/stations/{station_id}`, from members of the request; each value stays in its
   * segment.
   * @throws SourceFailure of class `schema_invalid`
   */
  readonly fillPath: (path: string, request: Json, encode: (value: string) => string) => FilledPath;
  /** Makes the failure that a plugin throws. */
  readonly failure: (failureClass: SourceFailureClass, message: string, facts?: TransportFacts) => SourceFailure;
}

/** An opened source. */
export interface Source {
  /**
   * Performs one call. Must honour `context.signal`, must not change `request`, and may be called concurrently.
   * @returns the answer, or that the call is pending, which is a failure where `context.pending` is absent
   * @throws SourceFailure, made by `capabilities.failure`
   */
  invoke(request: Json, context: InvocationContext): Promise<SourceAnswer | SourcePending>;
  /** Ends the source within a second, in which it may still send. */
  close?(): Promise<void>;
  /**
   * Every request of this source names its call, and one that does not is refused. Otherwise the engine follows a call
   * by async context, which in Node 20 slows down the whole process.
   */
  readonly names_its_calls?: true;
  /**
   * This source calls `context.acts` right before the request that may have the call's effect. A call that fails before
   * it is known to have no effect, whatever was sent to prepare it, such as a handshake.
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
   * Of a chat plugin: the changes of an interface that `chukwa model try` tries, in this order. Each is an object of
   * members; null removes a member. The ways of delivering a schema need not be among them.
   */
  listVariations?(definition: JsonObject, question: TriedQuestion): readonly JsonObject[];
  /** Opens a source. `interface` has been validated against the plugin's interface schema. */
  open(definition: { readonly label: string; readonly interface: JsonObject }, capabilities: Capabilities): Source;
}

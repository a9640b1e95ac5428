import type { Outcome } from '../contract/problem.js';
import type { JsonObject } from '../contract/json.js';
import type { LogLevel } from '../contract/source.js';
import type { AnswerCall } from '../ports/answers.js';
import type { TestConnection } from '../ports/connections.js';
import type { CallSource, FindModel, ListVariations, ModelPlace } from '../ports/sources.js';
import type { Actor } from './people/audit.js';
import type { OperatorConnections } from './connections/store.js';
import type { Archive, Authoring, Engine, Metering } from './engine.js';
import type { Signer } from './evidence/checkpoint.js';
import type { Workshop } from './plugins/workshop.js';
import type { Acknowledgement, SaidReport } from './settling/reports.js';
import type { LoadedTokens, Tokens } from './serving/tokens.js';

interface AskedOfPerson {
  readonly turn: number;
  /** The command key, such as `ada/act/round-1/try-1`. */
  readonly key: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** The schema that the answer has to fit, where it comes beside the messages. */
  readonly schema?: JsonObject;
}

/** Answers in place of a model. @returns undefined where the person ends the input: the run is stopped then */
export type AnswerAsPerson = (question: AskedOfPerson) => Promise<string | undefined>;

/** Writes a line of a log: a sentence for people, and its ids and values for programs. */
export type WriteLog = (level: LogLevel | 'info', sentence: string, facts: object) => void;

/** The services of the composition root for a surface. Nothing is opened before it is needed. */
export interface Composition {
  readonly version: string;
  /** Where shipped files live: `workflows/`, `schemas/`, `fixtures/`. */
  readonly package_root: string;
  /** Writes a log for programs; absent where people read it, and events are printed as lines. */
  readonly log?: WriteLog;
  /** A text without the secrets that its sources know so far: a stack trace may repeat what a service said. */
  withoutSecrets(text: string): string;
  /** Plugins and schemas only: no database, no call. */
  openAuthoring(): Promise<Authoring>;
  /** Runs a task with sources, without a database or a record. */
  withSources<Value>(
    task: (sources: OpenSources) => Promise<Value>,
    options?: Pick<EngineOptions, 'variables' | 'model'>,
  ): Promise<Value>;
  /** The connections that this user has set. */
  openConnections(): Promise<OperatorConnections>;
  /** Plugins for inspection and tests; only a test runs their code. */
  openWorkshop(): Promise<Workshop>;
  /** The configured database, migrated, for reading: an embedded one that has not been made stays so, and is empty. */
  openArchive(): Promise<Outcome<OpenArchive>>;
  /** The whole engine on the configured database, migrated. */
  openEngine(options?: EngineOptions): Promise<Outcome<Engine>>;
  /**
   * An engine that answers every call from written answers and runs no plugin.
   * @param url an empty database that is thrown away; left out, one in memory
   */
  openDryEngine(answerCall: AnswerCall, url?: string): Promise<Outcome<Engine>>;
  /** The toy services, by themselves: on consecutive ports from this one on, or on free ones. */
  startToys(portBase?: number): Promise<Stage>;
  /** The scripted model, reading its answers from a file; with a base, on the port after those of the toys. */
  startScriptedModel(answersFile: string, portBase?: number): Promise<Outcome<Stage>>;
  startPerson(answer: AnswerAsPerson): Promise<Stage>;
  /** The HTTP tokens; created where there are none yet. */
  loadTokens(): Promise<Outcome<LoadedTokens>>;
  /** The key that signs checkpoints, made where there is none yet, and what keeps them. */
  openSigner(): Promise<Outcome<Signer>>;
  /** Whether the operator has named something that keeps checkpoints. */
  readonly has_anchor: boolean;
  /** Makes one page of a world or an attempt that needs no server. */
  exportPages(archive: Archive, wanted: PagesToExport): Promise<Outcome<ExportedPages>>;
  /** Offers tools to the process that started this one, until it closes its end, or the signal is given. */
  serveParent(desk: HttpDesk, reader: 'consumer' | 'operator', signal: AbortSignal): Promise<void>;
  /** Passes on what that process and the server of the database say to each other, until either ends. */
  forwardParent(server: ServerOfHere, signal: AbortSignal): Promise<void>;
  listen(desk: HttpDesk, tokens: Tokens, place: ServePlace): Promise<Outcome<HttpServer>>;
  /** Whether a server could listen there now. */
  tryPlace(place: ServePlace): Promise<Outcome<unknown>>;
  servePlace(): Outcome<ServePlace>;
  /** The `chukwa serve` that holds the embedded database of the configured folder; undefined where none does. */
  findServed(): Promise<ServedAt | undefined>;
  /** Announces in that folder that this process serves it, until the returned function is called. */
  announceServed(server: Pick<HttpServer, 'url' | 'command_token'>): Promise<Outcome<() => Promise<void>>>;
  /** @param world_slug the world whose sources are checked; those of all stored documents where it is absent */
  diagnose(world_slug?: string): Promise<readonly Diagnosis[]>;
}

export interface OpenSources {
  readonly authoring: Authoring;
  readonly callSource: CallSource;
  readonly listVariations: ListVariations;
  readonly findModel: FindModel;
  readonly testConnection: TestConnection;
  readonly metering: Metering;
  /**
   * Runs a task whose model calls count against the operator's budget of the day, where there is one: then its database is
   * opened. @returns a refusal of the budget, of its prices or of the database
   */
  withinDay<Value>(task: (callSource: CallSource) => Promise<Outcome<Value>>): Promise<Outcome<Value>>;
}

export interface OpenArchive extends Archive {
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Override the environment's variables: the addresses of a stage's services. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The model to call, where a source takes its name from a variable: overrides that variable. */
  readonly model?: string;
  readonly model_at?: ModelPlace;
}

/** Servers that a scenario calls, on loopback. */
export interface Stage {
  /** The variables that hold their addresses. */
  readonly variables: Readonly<Record<string, string>>;
  /** The model that replaces every other, where one was started. */
  readonly model_at?: ModelPlace;
  close(): Promise<void>;
}

export interface Diagnosis {
  readonly subject: string;
  readonly state: 'good' | 'missing' | 'broken';
  readonly code?: string;
  readonly message: string;
  readonly repair?: string;
}

export interface PagesToExport {
  readonly world_slug: string;
  readonly attempt_id?: string;
}

export interface ExportedPages {
  readonly text: string;
  readonly pages: number;
  readonly left_out: number;
}

/** An action that somebody asks for, with what it is given. */
export interface AskedAction {
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly perform: (engine: Engine, actor: Actor) => Promise<Outcome<Acknowledgement>>;
}

export interface HttpDesk {
  readonly report: (correlation: string, report: SaidReport) => Promise<Outcome<Acknowledgement>>;
  /** Performs an action, with an entry in the audit. */
  readonly act: (asked: AskedAction, actor: Actor) => Promise<Outcome<Acknowledgement>>;
  readonly isReady: () => Promise<boolean>;
  /** Told of a bug that a request met: its answer says no more than that there is one. */
  readonly onFault?: (fault: RequestFault) => void;
  /** Reads from the database; refuses where it is lost. */
  readonly look: <Value>(operation: (archive: Archive) => Promise<Outcome<Value>>) => Promise<Outcome<Value>>;
  /** Works with the engine; refuses where its database is lost. */
  readonly use: <Value>(operation: (engine: Engine) => Promise<Outcome<Value>>) => Promise<Outcome<Value>>;
  /** Opens the key that signs for commands of this machine; absent where no command asks. */
  readonly openSigner?: Composition['openSigner'];
  /** Refuses a world's scenario, or a workflow, of another shape than this program writes: no page can be drawn of it. */
  readonly checkReadable: (place: { readonly [Key in 'world_slug' | 'hash']?: string }) => Promise<Outcome<undefined>>;
}

export interface RequestFault {
  readonly method: string;
  /** Without its query, which may hold what a person has typed. */
  readonly path: string;
  readonly error: unknown;
}

export interface ServePlace {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The URL at which the outside reaches it, without a slash at the end. */
  readonly public_url?: string;
  /** The URL of who issues tokens for assistants. */
  readonly issuer?: string;
  /** At `/mcp`, tools only read. */
  readonly consumers_read_only?: true;
}

export interface HttpServer {
  /** `http://127.0.0.1:4747`, without a slash at the end. */
  readonly url: string;
  /** The token of this process, for commands of this machine. */
  readonly command_token: string;
  /** A link that signs an operator in once, within ten minutes. */
  readonly makeSignInLink: () => string;
  /**
   * Accepts nothing new, and ends once requests under way have been answered.
   * @param within_ms the deadline after which connections are closed
   */
  close(within_ms: number): Promise<void>;
}

/** A `chukwa serve` that holds an embedded database, which other processes reach through it. */
export interface ServedAt {
  readonly url: string;
  readonly pid: number;
  readonly command_token: string;
}

/** A place of that server, and what a command of this machine says to it. */
export interface ServerOfHere {
  readonly place: URL;
  readonly headers: Readonly<Record<string, string>>;
}

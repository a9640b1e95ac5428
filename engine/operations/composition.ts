import type { LogLevel } from '../contract/source.js';
import type { AnswerCall } from '../ports/answers.js';
import type { CallSource, ListVariations, ModelPlace } from '../ports/sources.js';
import type { Actor, OperatorAction } from './act.js';
import type { Archive, Authoring, Done, Engine } from './engine.js';
import type { Workshop } from './plugins/workshop.js';
import type { Acknowledgement, SaidReport } from './reports.js';
import type { LoadedTokens, Tokens } from './tokens.js';

export interface AskedOfPerson {
  readonly turn: number;
  /** The command key, such as `ada/act/round-1/try-1`. */
  readonly key: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** Answers in place of a model. @returns undefined where the person goes away: the run is stopped then */
export type AnswerAsPerson = (question: AskedOfPerson) => Promise<string | undefined>;

/** Writes a line of a log: a sentence for people, and for programs the ids and values that it speaks of. */
export type WriteLog = (level: LogLevel | 'info', sentence: string, facts: object) => void;

/** What the composition root offers to a surface. Nothing is opened before it is asked for. */
export interface Composition {
  readonly version: string;
  /** Where shipped files live: `workflows/`, `schemas/`, `fixtures/`. */
  readonly package_root: string;
  /** Writes a log for programs; left out where people read it, and events are printed as lines. */
  readonly log?: WriteLog;
  /** Plugins and schemas only: no database, no call. */
  openAuthoring(): Promise<Authoring>;
  /** Runs a task with what can be asked, without a database: nothing of it is recorded. The variables are laid over the environment's. */
  withSources<Value>(
    task: (sources: OpenSources) => Promise<Value>,
    variables?: Readonly<Record<string, string>>,
  ): Promise<Value>;
  /** Plugins, to be looked at and tested; only a test runs their code. */
  openWorkshop(): Promise<Workshop>;
  /** The configured database, migrated, to look at what is stored. */
  openArchive(): Promise<Done<OpenArchive>>;
  /** The whole engine on the configured database, migrated. */
  openEngine(options?: EngineOptions): Promise<Done<Engine>>;
  /** An engine that answers every call by what was written, reaches no plugin, and keeps what it does in memory. */
  openDryEngine(answerCall: AnswerCall): Promise<Done<Engine>>;
  /** The toy services, by themselves: on ports from this one on, or on any that are free. */
  startToys(portBase?: number): Promise<Stage>;
  /** The scripted model, reading its answers from a file; with a base, on the port after those of the toys. */
  startScriptedModel(answersFile: string, portBase?: number): Promise<Done<Stage>>;
  /** A model whose answers a person gives. */
  startPerson(answer: AnswerAsPerson): Promise<Stage>;
  /** What lets somebody in over HTTP; made where there is nothing yet. */
  loadTokens(): Promise<Done<LoadedTokens>>;
  /** Makes one page of a world or an attempt, which needs no server. */
  exportPages(archive: Archive, wanted: PagesToExport): Promise<Done<ExportedPages>>;
  listen(desk: HttpDesk, tokens: Tokens, place: ServePlace): Promise<Done<HttpServer>>;
  servePlace(): Done<ServePlace>;
  /** The `chukwa serve` that has the embedded database of the configured folder; undefined where none does. */
  findServed(): Promise<ServedAt | undefined>;
  /** Says in that folder that this process serves it, until the returned function is called. */
  announceServed(url: string): Promise<() => Promise<void>>;
  /** @param world_slug the world whose sources are looked at; those of all that is stored where it is left out */
  diagnose(world_slug?: string): Promise<readonly Diagnosis[]>;
}

/** Sources that can be asked. */
export interface OpenSources {
  readonly authoring: Authoring;
  readonly callSource: CallSource;
  readonly listVariations: ListVariations;
}

export interface OpenArchive extends Archive {
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Laid over the environment's variables: where a stage's services are. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The model to ask, where a source lets a variable name it: goes before that variable. */
  readonly model?: string;
  readonly model_at?: ModelPlace;
}

/** Servers that a scenario talks to, on loopback. */
export interface Stage {
  /** The variables that say where they are. */
  readonly variables: Readonly<Record<string, string>>;
  /** The model that is asked in the place of every other, where one was started. */
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

/** Whose pages are handed to somebody else. */
export interface PagesToExport {
  readonly world_slug: string;
  /** Of this attempt alone. */
  readonly attempt_id?: string;
}

/** Pages in one file. */
export interface ExportedPages {
  readonly text: string;
  readonly pages: number;
  /** How many more there would have been. */
  readonly left_out: number;
}

export interface HttpDesk {
  readonly report: (correlation: string, report: SaidReport) => Promise<Done<Acknowledgement>>;
  /** Does what an operator wants, with an entry in the audit. */
  readonly act: (action: OperatorAction, actor: Actor) => Promise<Done<Acknowledgement>>;
  /** Whether what is stored can be reached. */
  readonly isReady: () => Promise<boolean>;
  /** Reads what is stored; refuses where the database is lost. */
  readonly look: <Value>(operation: (archive: Archive) => Promise<Done<Value>>) => Promise<Done<Value>>;
}

export interface ServePlace {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Where the outside reaches it, without a slash at the end. */
  readonly public_url?: string;
}

export interface HttpServer {
  /** `http://127.0.0.1:4747`, without a slash at the end. */
  readonly url: string;
  /** A link that signs an operator in once, within ten minutes. */
  readonly makeSignInLink: () => string;
  /**
   * Takes nothing new, and ends when what is under way has been answered.
   * @param within_ms after which whatever is connected is given up
   */
  close(within_ms: number): Promise<void>;
}

/** A `chukwa serve` that has an embedded database, which others reach through it. */
export interface ServedAt {
  readonly url: string;
  readonly pid: number;
}

import { present } from '../../contract/present.js';
import type { Json } from '../../contract/json.js';
import { type Outcome, problem, type Problem, type Refused } from '../../contract/problem.js';
import { PROBLEMS } from '../../contract/problems/index.js';
import type { Composition } from '../../operations/composition.js';
import { type Archive, type Engine, whileOpen } from '../../operations/engine.js';
import { readHereOrThere } from '../../operations/serving/served.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { advice, hanging, type Lines, verbatim } from './render/line.js';
import { escapeUnseen, toSafeJson, toSafeLines } from './render/neutralise.js';
import { type Canvas, paint } from './render/paint.js';
import { problemLines, toFinding } from './render/problems.js';
import type { Output, Terminal } from './terminal.js';

export interface Session {
  readonly composition: Composition;
  readonly terminal: Terminal;
  /** One JSON document on standard output instead of text. */
  readonly as_json: boolean;
}

/** A command's work; gives the code with which the process ends. */
export type Task = (session: Session) => Promise<ExitCode>;

/** Receives a command's task once the command line has chosen it, and whether it ends within seconds. */
export type Perform = (task: Task, is_brief: boolean) => Promise<void>;

const WIDTH_MAX = 110;
const WIDTH_MIN = 20;
const WIDTH_ELSEWHERE = 100;

/** How an answer is printed: as lines for people, and with `--json` as a document, the answer itself where none is given. */
interface Forms<Value> {
  readonly lines: (value: Value) => Lines;
  readonly json?: (value: Value) => unknown;
}

/** Prints an answer in one of its two forms, or the problems that prevented it. */
export function answer<Value>(
  session: Session,
  done: Outcome<Value>,
  { lines, json = (value) => value }: Forms<Value>,
): ExitCode {
  if (!done.ok) return printRefused(session, done);
  if (session.as_json) printJson(session.terminal, json(done.value));
  else printLines(session.terminal.out, lines(done.value));
  return EXIT.done;
}

/**
 * Prints problems on standard error; with `--json` also as the one document.
 * @returns the exit code of the first problem
 */
export function printRefused({ terminal, as_json }: Session, { problems }: Pick<Refused, 'problems'>): ExitCode {
  printLines(terminal.error, problemLines(problems));
  if (as_json) printJson(terminal, toRefusedJson(problems));
  return PROBLEMS[problems[0]?.code ?? 'UNEXPECTED'].exit;
}

export function printProblem(session: Session, problem: Problem): ExitCode {
  return printRefused(session, { problems: [problem] });
}

/** Refuses a command line that could be parsed, and says what to write. */
export function refuseUsage(session: Session, message: string, repair: string): ExitCode {
  return printProblem(session, problem('USAGE', { message, repair }));
}

/** Opens the engine for one task, and closes it in any case. */
export async function withEngine<Value>(
  { composition }: Session,
  task: (engine: Engine) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  return whileOpen(await composition.openEngine(), task);
}

/**
 * Opens the archive alone for one task that only reads, which takes half the time.
 * @param path of the page that shows the same, where the server is asked that holds the database
 */
export async function withArchive<Value>(
  { composition }: Session,
  task: (archive: Archive) => Promise<Outcome<Value>>,
  path?: string,
): Promise<Outcome<Value>> {
  if (path !== undefined) return readHereOrThere(composition, task, path);
  return whileOpen(await composition.openArchive(), task);
}

/** Prints the outcome of one read of the archive. @param path of the page that shows the same, where there is one */
export async function show<Value>(
  session: Session,
  look: (archive: Archive) => Promise<Outcome<Value>>,
  forms: Forms<Value>,
  path?: string,
): Promise<ExitCode> {
  return answer(session, await withArchive(session, look, path), forms);
}

export function printLines(output: Output, lines: Lines): void {
  const text = paint(lines, toCanvas(output));
  if (text !== '') output.write(text);
}

/** One JSON document for programs. @param indent 0 for one line, where more are to follow */
export function printJson({ out }: Pick<Terminal, 'out'>, value: unknown, indent = 2): void {
  out.write(`${toSafeJson(value, indent)}\n`);
}

/** The destination of printed events: the log for programs where there is one, else standard output. */
type EventSession = Omit<Session, 'composition'> & { readonly composition?: Pick<Composition, 'log'> };

/** Prints an event with its time and process: for people a line, wrapped on a terminal only; for programs JSON. */
export function printEvent({ terminal, as_json, composition }: EventSession, sentence: string, event: Event): void {
  const at = new Date().toISOString();
  composition?.log?.(levelOf(event.kind), sentence, event);
  const { hostname, pid } = terminal.process;
  if (as_json) return printJson(terminal, { at, hostname, pid, ...event }, 0);
  if (composition?.log !== undefined) return;
  const spans = advice({ text: `${at}  ${hostname}:${pid}  ${sentence}` });
  printLines(terminal.out, [terminal.out.is_terminal ? hanging(at.length + 2, ...spans) : verbatim(...spans)]);
}

/** Where an unexpected error comes from, on standard error. */
export function printStack(
  { error }: Pick<Terminal, 'error'>,
  thrown: unknown,
  withoutSecrets: Composition['withoutSecrets'],
): void {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : String(thrown);
  printLines(
    error,
    toSafeLines(withoutSecrets(stack)).map((text) => verbatim(text)),
  );
}

interface Event {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** Events that need an operator's attention; all others are logged at the level `info`. */
const LEVELS: Readonly<Record<string, 'warn' | 'error'>> = {
  driver_broke: 'error',
  request_broke: 'error',
  database_lost: 'error',
  checkpoint_failed: 'error',
  turn_failed: 'warn',
  turn_deferred: 'warn',
  turn_discarded: 'warn',
  overtaken: 'warn',
  doorbell_lost: 'warn',
};

function levelOf(kind: string): 'info' | 'warn' | 'error' {
  return LEVELS[kind] ?? 'info';
}

/** A line of a log, on standard error. */
export function printLog({ error }: Pick<Terminal, 'error'>, text: string, format: 'text' | 'json' = 'text'): void {
  if (format === 'json') error.write(`${escapeUnseen(text)}\n`);
  else printLines(error, [error.is_terminal ? hanging(2, text) : verbatim(text)]);
}

/** A text for programs, byte for byte: nothing is added, broken or made harmless. Never for a terminal. */
export function printExact({ out }: Pick<Terminal, 'out'>, text: string): void {
  if (out.is_terminal) throw new Error('a terminal obeys what it is sent: paint lines instead');
  out.write(text);
}

function toCanvas({ columns, is_live, program }: Output): Canvas {
  const width = columns === undefined ? WIDTH_ELSEWHERE : Math.min(Math.max(columns, WIDTH_MIN), WIDTH_MAX);
  return { width, has_colours: is_live, program };
}

function toRefusedJson(problems: readonly Problem[]): unknown {
  const findings = problems.flatMap(toFinding);
  const others = problems.filter(({ location }) => location === undefined) as unknown as readonly Json[];
  const named = {
    findings: findings.length === 0 ? undefined : findings,
    problems: others.length === 0 ? undefined : others,
  };
  return { ok: false, ...present(named) };
}

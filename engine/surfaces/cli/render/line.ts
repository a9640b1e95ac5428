import { IT_SAID } from '../../../core/protocol/failure.js';
import { toShell } from '../shell.js';

/** The emphasis of a span, where colours are shown. */
type Tone = 'strong' | 'faint' | 'good' | 'bad' | 'accent';

/** A piece of a line. Its text is data: it is made harmless when it is painted. */
export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  /** Words for this program: they are painted after the words that call it. */
  readonly is_command?: true;
}

/** One line for people, before anything is known of colours and widths. */
export interface Line {
  readonly spans: readonly Span[];
  /** The indent of continuation lines; where it is absent, the line is never wrapped. */
  readonly hang?: number;
  /** The lines that replace it in a narrower terminal. Its columns do not count the name of the program. */
  readonly below?: { readonly columns: number; readonly lines: readonly Line[] };
}

/** Lines with lists of lines among them; what stands for none is left out. */
export type Lines = Line | false | null | undefined | readonly Lines[];

/** The lines themselves, one after the other. */
export function listLines(lines: Lines): readonly Line[] {
  if (!lines) return [];
  return 'spans' in lines ? [lines] : lines.flatMap(listLines);
}

type Part = string | Span;

const DEEPER = 2;

/** A line that may wrap; its continuation is indented a little more than its beginning. */
export function line(...parts: readonly Part[]): Line {
  const [first = ''] = parts;
  const text = typeof first === 'string' ? first : first.text;
  return hanging(text.length - text.trimStart().length + DEEPER, ...parts);
}

/** A line whose continuation is indented by so many columns. */
export function hanging(hang: number, ...parts: readonly Part[]): Line {
  return { spans: parts.map(toSpan), hang };
}

/** A line that never wraps: hashes, ids, code. */
export function verbatim(...parts: readonly Part[]): Line {
  return { spans: parts.map(toSpan) };
}

/** Keeps words together until lines are broken; painted text has no such space. */
export const NO_BREAK_SPACE = '\u00a0';

export function unbroken(text: string): string {
  return text.replaceAll(' ', NO_BREAK_SPACE);
}

/** A command of this program, which can be pasted into a shell. @param words unquoted */
export function command(...words: readonly string[]): Span {
  return { text: unbroken(toShell(words)), tone: 'accent', is_command: true };
}

/** The first words of all commands, as alternatives. */
const COMMANDS =
  'agent-turn|agents|approval|approvals|approve|attempt|attempts|checkpoint|connections|cost|deny|doctor|entity|event|evidence|get|grant|grants|inbox|' +
  'invocation|invocations|knows|ledger|list|llm-call|llm-calls|mcp|memory|migrate|model|new|order|orders|park|plugin|policy|probe|put|record|report|revoke|run|schemas|search|serve|stop|study|test|toys|uses|validate|verify|worker|world';

const NAMES_PROGRAM = new RegExp(`(?<!npx |[\\w/.-])chukwa (?=(?:${COMMANDS})(?![\\w-]))`);

/** The command's name, its subject and its options, quoted where they have spaces: a line may break behind them. */
const COMMAND_WORDS = (() => {
  const about = String.raw`(?: (?:'[^']*'|\\'|\\(?!')|[^\s'\\,;:])+)`;
  const value = String.raw`(?: (?!-)(?:'[^']*'|\\'|\\(?!')|[^\s'\\])+)`;
  return new RegExp(String.raw`^[\w-]+(?:${about}{1,2}(?= --)|${about}?)(?: --[\w-]+${value}?)*`);
})();

/** A sentence that may name commands, such as `See chukwa world list.`: each begins with the name of the program. */
export function advice({ text, ...toned }: Span): readonly Span[] {
  // A service's words name no commands of this program.
  const end = text.includes(IT_SAID) ? text.indexOf(IT_SAID) : text.length;
  const [first = '', ...named] = text.slice(0, end).split(NAMES_PROGRAM);
  const commands = named.map((rest) => ({
    ...toned,
    text: rest.replace(COMMAND_WORDS, unbroken),
    is_command: true as const,
  }));
  const said = end < text.length ? [{ ...toned, text: text.slice(end) }] : [];
  return [{ ...toned, text: first }, ...commands, ...said];
}

export type Command = readonly [command: Span, why: string];

/** Commands with what they show: beside them, or beneath each where that does not fit for one of them. */
export function commandLines(indent: string, commands: readonly Command[]): readonly Line[] {
  const width = Math.max(...commands.map(([{ text }]) => text.length));
  const columns = indent.length + width + 2 + Math.max(...commands.map(([, why]) => why.length));
  return commands.map(([named, why]) => ({
    ...verbatim(indent, { ...named, text: named.text.padEnd(width) }, faint(`  ${why}`)),
    below: { columns, lines: [verbatim(indent, named), line(faint(`${indent}    ${why}`))] },
  }));
}

export const EMPTY: Line = { spans: [] };

export const strong = (text: string): Span => ({ text, tone: 'strong' });
export const faint = (text: string): Span => ({ text, tone: 'faint' });
export const good = (text: string): Span => ({ text, tone: 'good' });
export const bad = (text: string): Span => ({ text, tone: 'bad' });
export const accent = (text: string): Span => ({ text, tone: 'accent' });

export function textOf({ spans }: Line): string {
  return spans.map((span) => span.text).join('');
}

function toSpan(part: Part): Span {
  return typeof part === 'string' ? { text: part } : part;
}

/** The emphasis of a span, where colours are shown. */
type Tone = 'strong' | 'faint' | 'good' | 'bad' | 'accent';

/** A piece of a line. Its text is data: it is made harmless when it is painted. */
export interface Span {
  readonly text: string;
  readonly tone?: Tone;
}

/** One line for people, before anything is known of colours and widths. */
export interface Line {
  readonly spans: readonly Span[];
  /** The indent of continuation lines; where it is absent, the line is never wrapped. */
  readonly hang?: number;
  /** The lines that replace it in a narrower terminal. */
  readonly below?: { readonly columns: number; readonly lines: readonly Line[] };
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

/** A command, and what it shows. */
export type Command = readonly [command: string, why: string];

/** Commands with what they show: beside them, or beneath each where that does not fit for one of them. */
export function commandLines(indent: string, commands: readonly Command[]): readonly Line[] {
  const width = Math.max(...commands.map(([command]) => command.length));
  const columns = indent.length + width + 2 + Math.max(...commands.map(([, why]) => why.length));
  return commands.map(([command, why]) => ({
    ...verbatim(indent, accent(command.padEnd(width)), faint(`  ${why}`)),
    below: { columns, lines: [verbatim(indent, accent(command)), line(faint(`${indent}    ${why}`))] },
  }));
}

export const EMPTY: Line = { spans: [] };

export const strong = (text: string): Span => ({ text, tone: 'strong' });
export const faint = (text: string): Span => ({ text, tone: 'faint' });
export const good = (text: string): Span => ({ text, tone: 'good' });
export const bad = (text: string): Span => ({ text, tone: 'bad' });
export const accent = (text: string): Span => ({ text, tone: 'accent' });

/** The line's text without colours. */
export function textOf({ spans }: Line): string {
  return spans.map((span) => span.text).join('');
}

function toSpan(part: Part): Span {
  return typeof part === 'string' ? { text: part } : part;
}

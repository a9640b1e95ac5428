/** A terminal as a picture: text in, SVG out. */

type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'accent';

interface Span {
  readonly text: string;
  readonly tone: Tone;
}

const CHARACTER_WIDTH = 8;
const LINE_HEIGHT = 19;
const MARGIN = 20;

const COLOURS: Readonly<Record<Tone, string>> = {
  plain: '#d6deeb',
  strong: '#ffffff',
  faint: '#8796b0',
  good: '#7fdb8f',
  bad: '#ff8f8f',
  accent: '#7fdbff',
};

/** The tones that the command line uses, by the code that begins each. */
const TONES: ReadonlyMap<string, Tone> = new Map([
  ['1', 'strong'],
  ['2', 'faint'],
  ['31', 'bad'],
  ['32', 'good'],
  ['36', 'accent'],
  ['22', 'plain'],
  ['39', 'plain'],
  ['0', 'plain'],
]);

/**
 * Draws lines as a terminal shows them.
 * @param lines text that may hold the colour sequences of the command line, and no other controls
 * @param description the alternative text of the picture
 */
export function drawTerminal(lines: readonly string[], description: string): string {
  const rows = lines.map(toSpans);
  const columns = Math.max(...rows.map((spans) => spans.reduce((sum, span) => sum + columnsOf(span.text), 0)));
  const width = columns * CHARACTER_WIDTH + 2 * MARGIN;
  const height = rows.length * LINE_HEIGHT + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeText(description)}</title>`,
    '<style>text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#101722"/>`,
    ...rows.flatMap((spans, row) => drawRow(spans, MARGIN + (row + 0.75) * LINE_HEIGHT)),
    '</svg>',
    '',
  ].join('\n');
}

/** Each span is at its own column, so that a font of another width moves nothing. */
function drawRow(spans: readonly Span[], y: number): readonly string[] {
  let column = 0;
  return spans.flatMap(({ text, tone }) => {
    const indent = text.length - text.trimStart().length;
    const shown = text.trim();
    const x = MARGIN + (column + indent) * CHARACTER_WIDTH;
    column += columnsOf(text);
    if (shown === '') return [];
    const weight = tone === 'strong' ? ' font-weight="bold"' : '';
    const place = `x="${x}" y="${y}" textLength="${columnsOf(shown) * CHARACTER_WIDTH}"`;
    return [`<text ${place} fill="${COLOURS[tone]}"${weight}>${escapeText(shown)}</text>`];
  });
}

/** Nothing that the command line prints is wider than one column. */
function columnsOf(text: string): number {
  return Array.from(text).length;
}

/** Cuts one line at its colour sequences. */
function toSpans(line: string): readonly Span[] {
  let tone: Tone = 'plain';
  const spans: Span[] = [];
  // Every odd piece is the inside of a sequence.
  line.split(/\p{Cc}\[([0-9;]*)m/u).forEach((piece, index) => {
    if (index % 2 === 1) tone = TONES.get(piece.split(';').at(-1) ?? '') ?? 'plain';
    else if (piece !== '') spans.push({ text: piece, tone });
  });
  return spans;
}

/** Escapes text for markup. Control characters are not allowed in XML and are left out. */
function escapeText(text: string): string {
  return text
    .replace(/\p{Cc}/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

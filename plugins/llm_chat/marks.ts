/**
 * The marks that models and servers leave around an answer, as tables: a new model is a new line here.
 */

/** The names of tags between which a model thinks; some families put their own before it, as in `<seed:think>`. */
const THOUGHT = '(?:[a-z]{1,8}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratch_?pad)';

/** Marks of thinking that are no such tags. */
const THINKING: readonly { readonly open: string; readonly close: string }[] = [
  { open: '[THINK]', close: '[/THINK]' },
  { open: '\u25C1think\u25B7', close: '\u25C1/think\u25B7' },
  { open: '<|think|>', close: '<|end|>' },
  { open: '<|begin_of_thought|>', close: '<|end_of_thought|>' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<|inner_prefix|>', close: '<|inner_suffix|>' },
  { open: '<|channel>', close: '<channel|>' },
];

/** Finds where reasoning ends. What it matches is a part of neither the reasoning nor what follows. */
export type Closing = RegExp;

/** Reasoning in a channel of the Harmony format. */
const CHANNEL_ENDS: Closing = /<\|end\|>|(?=<\|(?:start|channel)\|>)/;

/** The end of reasoning that a prompt template opened by itself, or a server that drops marks: `analysis...assistantfinal...`. */
export const UNOPENED_ENDS: Closing = new RegExp(
  [`</${THOUGHT}>`, ...THINKING.map(({ close }) => escape(close)), 'assistantfinal'].join('|'),
  'i',
);

/** No end of reasoning has more characters. */
export const CLOSING_MAX = 24;

const CLOSING_OF = new Map(THINKING.map(({ open, close }) => [open, new RegExp(escape(close))]));
const THOUGHT_OPENS = new RegExp(`^<(${THOUGHT})>`, 'i');

function escape(mark: string): string {
  return mark.replace(/[|[\]/]/g, '\\$&');
}

/** Marks of chat templates that have no form in common. */
const LITERALS: readonly string[] = [
  '<s>',
  '</s>',
  '[INST]',
  '[/INST]',
  '<bos>',
  '<eos>',
  '<start_of_turn>',
  '<end_of_turn>',
  '<|turn>',
  '<turn|>',
];

/** The form that most templates share, as in `<|im_end|>`, with bars of either width. Marks of native tool calls are none. */
const FRAMED = /^[<[][|\uFF5C](?!tool|python_tag|function|action|START_ACTION)[A-Za-z][\w\u2581 ]{0,39}[|\uFF5C][>\]]/;
const FRAMED_BEGINS = /^[<[](?:[|\uFF5C](?:[A-Za-z][\w\u2581 ]{0,39}[|\uFF5C]?)?)?$/;

/** A tag of any other name around a value, as in `<answer type="json">{...}</answer>`; those of native tool calls are none. */
const NAME = '(?!tool|function|invoke|parameter|action)[A-Za-z]\\w{0,31}';
const TAG_OPENS = new RegExp(`^<${NAME}(?: [^<>]{0,80})?>(?=\\s*[{[\`"])`);
const TAG_CLOSES = new RegExp(`^</${NAME}>`);
const TAG_BEGINS = /^<(?:\/|\/?[A-Za-z][\w:]{0,31}(?: [^<>]{0,80})?(?:>\s*)?)?$/;

/** A word in place of a mark, on a line of its own or with a colon, right before a value: `assistant`, `### Response:`, `**Answer:**`. */
const HEADING =
  /^(?:#{1,4} {0,2})?\*{0,2}(?:assistant|model|response|(?:final )?answer|output|json)\*{0,2}(?: ?:\*{0,2}|[ \r]{0,2}\n)\s{0,8}(?=[{[`])/i;
const HEADING_BEGINS = /^(?:#{1,4} {0,2})?\*{0,2}[a-z]{0,9} ?[a-z]{0,6}\*{0,2} ?:?\*{0,2}\s{0,10}$/i;

/** The header of a channel. One that names a recipient begins a native tool call. */
const HEADER = /^<\|channel\|>([^<]{0,64})(?:<\|constrain\|>[^<]{0,32})?<\|message\|>/;
const HEADER_MAX = '<|channel|>'.length + 64 + '<|constrain|>'.length + 32 + '<|message|>'.length;
const RECIPIENT = /^(?:<\|start\|>assistant |<\|channel\|>\w{0,32} )to=/;
const RECIPIENT_BEGINS = /^<\|start\|>[a-z]{0,16} ?t?o?$/;

/** The speaker, whom some templates name behind the mark. */
const SPEAKERS: readonly string[] = ['assistant', 'model'];

/** What a text begins with: marks, so many characters of them; or what may become marks; or the answer. */
export type Opening =
  | { readonly kind: 'thinking'; readonly length: number; readonly closing: Closing }
  | { readonly kind: 'mark'; readonly length: number }
  | { readonly kind: 'unfinished' | 'answer' };

/**
 * Reads the mark with which a text begins.
 * @param is_whole no more of the text comes
 */
export function readOpening(text: string, is_whole: boolean): Opening {
  const unfinished: Opening = { kind: is_whole ? 'answer' : 'unfinished' };
  if (text === '') return unfinished;
  for (const [open, closing] of CLOSING_OF)
    if (text.startsWith(open)) return { kind: 'thinking', length: open.length, closing };
  const thought = THOUGHT_OPENS.exec(text);
  if (thought !== null)
    return { kind: 'thinking', length: thought[0].length, closing: new RegExp(`</${thought[1] ?? ''}>`) };
  if (RECIPIENT.test(text)) return { kind: 'answer' };
  const header = HEADER.exec(text);
  if (header !== null) {
    const length = header[0].length;
    const [, name = ''] = header;
    return name.trim().startsWith('final')
      ? { kind: 'mark', length }
      : { kind: 'thinking', length, closing: CHANNEL_ENDS };
  }
  if (text.startsWith('<|channel|>')) return text.length < HEADER_MAX ? unfinished : { kind: 'answer' };
  if (!is_whole && RECIPIENT_BEGINS.test(text)) return unfinished;
  const around = (TAG_OPENS.exec(text) ?? HEADING.exec(text))?.[0].length;
  if (around !== undefined) return { kind: 'mark', length: around };
  const length = lengthOfMark(text);
  if (length === 0) return mayBecomeMark(text) || HEADING_BEGINS.test(text) ? unfinished : { kind: 'answer' };
  const rest = text.slice(length);
  const speaker = SPEAKERS.find((name) => rest.startsWith(name));
  if (speaker !== undefined) return { kind: 'mark', length: length + speaker.length };
  const isNaming = !is_whole && SPEAKERS.some((name) => name.startsWith(rest));
  return isNaming ? unfinished : { kind: 'mark', length };
}

/** How many characters the mark has with which a text begins; 0 where it begins with none. */
export function lengthOfMark(text: string): number {
  const literal = LITERALS.find((mark) => text.startsWith(mark));
  return literal?.length ?? (FRAMED.exec(text) ?? TAG_CLOSES.exec(text))?.[0].length ?? 0;
}

const ALL_LITERALS: readonly string[] = [...LITERALS, ...THINKING.map(({ open }) => open)];

/** Whether a text is the beginning of a mark. */
export function mayBecomeMark(text: string): boolean {
  return FRAMED_BEGINS.test(text) || TAG_BEGINS.test(text) || ALL_LITERALS.some((mark) => mark.startsWith(text));
}

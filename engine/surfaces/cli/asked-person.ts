import { smallestValue } from '../../core/typing/smallest-value.js';
import type { AnswerAsPerson } from '../../operations/composition.js';
import { EMPTY, faint, hanging, line, type Lines, strong } from './render/line.js';
import { printLines } from './session.js';
import type { Terminal } from './terminal.js';

const HOW_TO_ANSWER =
  'Answer with a JSON object, as the prompt says: it may span lines, and ends when it is complete or at an empty line. Or ' +
  'answer with a sentence in one line: a narration without effects. Ctrl-D ends the run without an answer.';

/**
 * Puts a model's prompts to the person at a terminal, one at a time: first the whole prompt, then only its additions,
 * such as why an answer was rejected. A plain sentence becomes a final patch without effects.
 * @param beforeAsking called before each prompt, to erase the live line
 */
export function askPerson(
  { error, ask }: Pick<Terminal, 'error'> & Required<Pick<Terminal, 'ask'>>,
  beforeAsking: () => void,
): AnswerAsPerson {
  const shown = new Map<string, number>();
  let before: Promise<unknown> = Promise.resolve();
  const answer: AnswerAsPerson = async ({ turn, key, messages, schema }) => {
    beforeAsking();
    const [, gate] = /^(.*\/gate)\//.exec(key) ?? [];
    const conversation = `${turn} ${gate ?? key.split('/').slice(0, 2).join('/')}`;
    const fresh = messages.slice(shown.get(conversation) ?? 0).filter(({ role }) => role !== 'assistant');
    shown.set(conversation, messages.length);
    printLines(error, [
      EMPTY,
      line(strong(`turn ${turn}  ${key}`)),
      ...fresh.flatMap(({ role, content }) => [EMPTY, line(faint(role)), promptLines(content)]),
      EMPTY,
      hanging(0, faint(HOW_TO_ANSWER)),
      ...(schema === undefined ? [] : [hanging(2, faint(`For example: ${JSON.stringify(smallestValue(schema))}`))]),
    ]);
    return readAnswer(ask);
  };
  return (question) => {
    const answered = before.then(() => answer(question));
    before = answered.catch(() => {});
    return answered;
  };
}

/** A prompt as it is written, its empty lines too. */
function promptLines(content: string): Lines {
  return content.split('\n').map((row) => (row.trim() === '' ? EMPTY : hanging(2, '  ', row)));
}

/** An object may be written over several lines, which end where it is whole, or with an empty line. */
async function readAnswer(ask: NonNullable<Terminal['ask']>): Promise<string | undefined> {
  let text = '';
  for (;;) {
    const row = await ask(text === '' ? '> ' : '. ');
    if (row === undefined) return undefined;
    if (row.trim() === '') {
      if (text === '') continue;
      return text;
    }
    text = text === '' ? row.trim() : `${text}\n${row}`;
    if (!text.startsWith('{')) return JSON.stringify({ kind: 'final_patch', patch: { narration: text, effects: [] } });
    if (isWhole(text)) return text;
  }
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

import type { Json, JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import type { ChatAnswer } from '../../contract/source.js';
import { canonicalText } from '../../core/content/canonical.js';
import { isExactNumber } from '../../core/content/exact-number.js';
import { toJson, toStorableJson, toStorableText } from '../../core/content/i-json.js';
import { findAt, isList, pointerTokens } from '../../core/content/json-pointer.js';
import { isShown } from '../../core/content/redact.js';
import type { SchemaProgram } from '../../core/protocol/program.js';
import { isAuthoredPlace } from '../authored-place.js';
import { readItems } from '../chat-items.js';
import { readGiven } from '../given.js';
import { hiddenAnswer } from '../hidden-answer.js';
import { type Answered, type Halt, halt, type Validated } from '../passage.js';
import { listProblems } from '../list-problems.js';

/** Checks the answer: JSON that can be kept, within its limit, and of its schema. Secrets are replaced on the way. */
export function validateOutput(passage: Answered): Validated | Halt {
  return readGiven(passage, () => (passage.route.plugin.speaks === 'chat' ? checkChat(passage) : checkJson(passage)));
}

function checkJson(passage: Answered): Validated | Halt {
  const read = toJson(passage.value);
  if (!read.ok) {
    const { reason, pointer } = read.problem;
    const place = isShown(pointer, redactionOf(passage)) ? ` (at ${pointer})` : '';
    return halt(passage, 'non_json', `the answer is not usable JSON: ${reason}${place}`);
  }
  const answer = passage.secrets.json(read.value);
  const oversize = findOversize(passage, canonicalText(answer));
  if (oversize) return oversize;
  const { output } = passage.command.call;
  const problems = output ? findMisfits(answer, output) : [];
  if (problems.length === 0) return { ...passage, answer, validation_status: output ? 'valid' : 'not_checked' };
  const reasons = listReasons(passage, answer, output?.schema ?? {}, problems);
  return halt(passage, 'schema_invalid', `the answer does not fit its schema: ${reasons}`, { answer });
}

/**
 * What of an answer does not fit its schema. A whole number that no double holds is kept as a text, to the digit: it fits
 * where its number would.
 */
function findMisfits(answer: Json, { validate }: SchemaProgram): readonly Problem[] {
  let checked = answer;
  for (;;) {
    const problems = validate(checked).filter(({ severity }) => severity !== 'note');
    const places = problems.map(({ pointer = '' }) => pointerTokens(pointer));
    const kept = places.filter((place) => isKeptNumber(findAt(checked, place)));
    if (kept.length === 0) return problems;
    checked = kept.reduce(readNumberAt, checked);
  }
}

function readNumberAt(value: Json, [token, ...rest]: readonly string[]): Json {
  if (token === undefined) return isKeptNumber(value) ? Number(value) : value;
  if (isList(value)) return value.map((item, index) => (String(index) === token ? readNumberAt(item, rest) : item));
  if (typeof value !== 'object' || value === null) return value;
  return { ...value, [token]: readNumberAt(value[token] ?? null, rest) };
}

function isKeptNumber(value: Json | undefined): boolean {
  return typeof value === 'string' && /^-?[1-9]\d{15,}$/.test(value) && !isExactNumber(value);
}

/** Where the author forgot to say what may be seen, nothing may: the stage that redacts will say so. */
function redactionOf({ command }: Answered): 'all' | readonly string[] {
  return command.call.redaction ?? [];
}

/** Problems whose messages quote the schema alone, and depend on no value. */
const OF_SCHEMA = ['CHECK_BROKEN', 'CHECK_TOO_COSTLY', 'TOO_MANY_PROBLEMS', 'WRONG_TYPE', 'MISSING_FIELD'];

/** Shows a problem of a part that redaction hides only where its message depends on the schema alone; counts the others. */
function listReasons(passage: Answered, answer: Json, schema: JsonObject, problems: readonly Problem[]): string {
  const redaction = redactionOf(passage);
  const shown = problems.filter(
    ({ code, pointer = '' }) =>
      isShown(pointer, redaction) || (OF_SCHEMA.includes(code) && isAuthoredPlace(pointer, answer, schema)),
  );
  const hidden = problems.length - shown.length;
  if (hidden === 0) return listProblems(shown);
  const parts = hidden === 1 ? 'a part' : `${hidden} parts`;
  const rest = `${parts} that redaction hides${hiddenAnswer(passage)}`;
  return shown.length === 0 ? rest : `${listProblems(shown)}; ${rest}`;
}

/** The core judges the text; here it only becomes storable. */
function checkChat(passage: Answered): Validated | Halt {
  const { value } = passage;
  if (!isChatAnswer(value)) {
    return halt(
      passage,
      'transport',
      `the plugin ${passage.route.plugin.name} did not answer with a text and a finish_reason`,
    );
  }
  const { secrets } = passage;
  const items = readItems(value.items, secrets.json);
  const kept = items === undefined ? {} : { items: items as unknown as Json };
  const text = secrets.text(toStorableJson(value.text));
  const answer = { text, finish_reason: secrets.text(toStorableText(value.finish_reason)), ...kept };
  const oversize = findOversize(passage, canonicalText(kept) + answer.text + answer.finish_reason);
  return oversize ?? { ...passage, answer, validation_status: 'not_checked' };
}

function findOversize(passage: Answered, text: string): Halt | undefined {
  const bytes = Buffer.byteLength(text);
  const { max_result_bytes } = passage.command.call.limits;
  if (bytes <= max_result_bytes) return undefined;
  return halt(passage, 'result_too_large', `the answer has ${bytes} bytes, and ${max_result_bytes} are allowed`);
}

function isChatAnswer(value: unknown): value is ChatAnswer {
  const { text, finish_reason } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof text === 'string' && typeof finish_reason === 'string';
}

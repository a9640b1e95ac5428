import type { JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { withoutHash } from '../../contract/scripted.js';
import { describeKey } from '../../core/workflow-test/command-key.js';
import type { CallToAnswer } from '../../ports/answers.js';

/** Says which call found no answer, and what to write. */
export function missingAnswer(call: CallToAnswer): Problem {
  const { turn, key, source_label, speaks, request } = call;
  const { what, ...who } = describeKey(key);
  const answer: JsonObject = speaks === 'chat' ? { json: SAID } : { json: {} };
  const written = JSON.stringify({ [turn]: { [withoutHash(key)]: answer } });
  return {
    code: 'ANSWER_MISSING',
    message: `There is no answer for turn ${turn}, key "${key}": ${what}, asked of the source ${source_label}.`,
    repair: `Add what it answers, below "turns" in a document of answers, or below "answers" in a test: ${written}`,
    details: { turn, key, ...who, source: source_label, ...(speaks === 'chat' ? {} : { request }) },
  };
}

const SAID: JsonObject = { kind: 'final_patch', patch: { narration: '...', effects: [] } };

import { type Problem, problem } from '../../contract/problem.js';
import { withoutRun } from '../../contract/scripted.js';
import { nextTry } from '../../core/workflow-test/check-test.js';
import { describeKey, writtenKey } from '../../core/workflow-test/command-key.js';
import { skeletonOf } from '../../core/workflow-test/skeleton.js';
import type { Program } from '../../core/protocol/program.js';
import type { AnswerCall, CallToAnswer } from '../../ports/answers.js';
import type { Answers } from '../../generated/answers.js';

/** The problem of a call without an answer, with the answer to write. */
export function missingAnswer(call: CallToAnswer, program: Program): Problem {
  const { turn, source_label: source, speaks, request } = call;
  const { what, ...who } = describeKey(call.key);
  const key = writtenKey(program, call.key);
  const written = JSON.stringify({ [turn]: { [key]: { json: skeletonOf(program, call) } } });
  const details = { turn, key, ...who, source, ...(speaks === 'chat' ? {} : { request }) };
  return problem('ANSWER_MISSING', { turn, key, what, source, written }, { details });
}

type Turns = { [turn: string]: Answers['turns'][string] };

/** A growing document of answers: each call that lacks one gets a made-up one. */
export function openSkeleton(program: Program, given: Answers['turns']) {
  const turns: Turns = { ...given };
  const fill: AnswerCall = (call) => {
    const answer = { json: skeletonOf(program, call) };
    turns[call.turn] = { ...turns[call.turn], [writtenKey(program, call.key)]: answer };
    return answer;
  };
  return { turns, fill };
}

type Asked = Pick<CallToAnswer, 'turn' | 'key'>;

/** Whether a call is the try after another one, which was rejected. */
export function isTryAfter(call: Asked, before: Asked): boolean {
  return call.turn === before.turn && nextTry(withoutRun(before.key)) === withoutRun(call.key);
}

/** Leaves out the tries after a made-up answer that was rejected, which no author has to answer. */
export function withoutTries(missing: readonly CallToAnswer[]): readonly CallToAnswer[] {
  return missing.filter((call) => !missing.some((before) => isTryAfter(call, before)));
}

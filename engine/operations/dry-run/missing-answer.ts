import { type Problem, problem } from '../../contract/problem.js';
import { describeKey, writtenKey } from '../../core/workflow-test/command-key.js';
import { skeletonOf } from '../../core/workflow-test/skeleton.js';
import type { Program } from '../../core/protocol/program.js';
import type { AnswerCall, CallToAnswer } from '../../ports/answers.js';
import type { Answers } from '../../generated/answers.js';

/** The problem of a call without an answer, with the answer to write. */
export function missingAnswer(call: CallToAnswer, program: Program): Problem {
  const { turn, key, source_label: source, speaks, request } = call;
  const { what, ...who } = describeKey(key);
  const written = JSON.stringify({ [turn]: { [writtenKey(program, key)]: { json: skeletonOf(program, call) } } });
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

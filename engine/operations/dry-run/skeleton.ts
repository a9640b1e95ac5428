import { withoutMark } from '../../contract/scripted.js';
import { skeletonOf } from '../../core/workflow-test/skeleton.js';
import type { Program } from '../../core/protocol/program.js';
import type { Answers } from '../../generated/answers.js';
import type { AnswerCall } from '../../ports/answers.js';

type Turns = { [turn: string]: Answers['turns'][string] };

/** A growing document of answers: each call that lacks one gets a made-up one. */
export function openSkeleton(program: Program, given: Answers['turns']) {
  const turns: Turns = { ...given };
  const fill: AnswerCall = (call) => {
    const answer = { json: skeletonOf(program, call) };
    turns[call.turn] = { ...turns[call.turn], [withoutMark(call.key)]: answer };
    return answer;
  };
  return { turns, fill };
}

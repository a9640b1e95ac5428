import { writeFile } from 'node:fs/promises';
import { withoutHash } from '../../contract/scripted.js';
import { skeletonOf } from '../../core/workflow-test/skeleton.js';
import type { Program } from '../../core/protocol/program.js';
import type { Answers } from '../../generated/answers.js';
import type { AnswerCall } from '../../ports/answers.js';
import { type Done, refuse } from '../engine.js';

type Turns = { [turn: string]: Answers['turns'][string] };

/** Answers that grow: each call that lacks one is given a small one, which is kept. */
export function openSkeleton(program: Program, given: Answers['turns']) {
  const turns: Turns = { ...given };
  const fill: AnswerCall = (call) => {
    const answer = { json: skeletonOf(program, call) };
    turns[call.turn] = { ...turns[call.turn], [withoutHash(call.key)]: answer };
    return answer;
  };
  return { turns, fill };
}

/** Writes answers into a file that is not there yet. */
export async function writeSkeleton(path: string, answers: Answers): Promise<Done<undefined>> {
  try {
    await writeFile(path, `${JSON.stringify(answers, null, 2)}\n`, { flag: 'wx' });
    return { ok: true, value: undefined };
  } catch {
    return refuse({
      code: 'FILE_UNWRITABLE',
      message: `${path} cannot be written: it is there already, or its folder is not.`,
      repair: 'Name a new file in a folder that is there.',
    });
  }
}

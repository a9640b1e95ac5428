import type { CapturedCall } from '../../../dist/tools/bench/stage.js';
import type { BareAnswer, BareClients } from '../../../dist/tools/bench/turns/bare-turn.js';

export type { OpenArm as OpenPeer } from '../../../dist/tools/bench/turns/arm.js';
export { COMMITTED, toPatches } from '../../../dist/tools/bench/turns/arms/fused.js';

/** One call, made by the clients that all peers share. */
export async function askOne(clients: BareClients, call: CapturedCall): Promise<BareAnswer> {
  const answers: BareAnswer[] = [];
  await clients.turn([call], async (_call, ask) => {
    const answer = await ask();
    answers.push(answer);
    return answer;
  });
  const [answer] = answers;
  if (answer === undefined) throw new Error('a call was not made');
  return answer;
}

/** The calls of a turn in the groups in which they are made: its readings at once, then one after the other. */
export function toGroups(calls: readonly CapturedCall[]): readonly (readonly CapturedCall[])[] {
  const isOfTurn = ({ client_request_id }: CapturedCall): boolean => client_request_id.split('/')[2] === 'turn';
  return [calls.filter(isOfTurn), ...calls.filter((call) => !isOfTurn(call)).map((call) => [call])];
}

export const COMMIT = { name: 'commit', text: 'INSERT INTO committed (patches) VALUES ($1)' };

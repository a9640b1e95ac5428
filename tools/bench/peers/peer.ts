import type { CapturedCall } from '../../../dist/tools/bench/stage/captured-call.js';
import type { BareAnswer, BareClients } from '../../../dist/tools/bench/turns/bare-turn.js';

export { COMMITTED, toPatches } from '../../../dist/tools/bench/turns/hand-written/fused.js';

/** Something that does the unit of work: the calls of a turn, each on record before and after, and a commit at the end. */
export interface Peer {
  turn(calls: readonly CapturedCall[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens a peer on an empty database of its own. */
export type OpenPeer = (url: string, clients: BareClients) => Promise<Peer>;

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

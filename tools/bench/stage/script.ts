import type { Json } from '../../../engine/contract/json.js';
import type { Answer, Answers } from '../../../engine/generated/answers.js';

/** About a token a piece, as models stream. */
const PIECE_CHARACTERS = 4;

/** Blanks within an answer that streams for long: it is flushed while it streams. */
const LONG_CHARACTERS = 100_000;

/**
 * The answers of the benchmark's model: Bob buys candy and the ant walks, with other words in every turn, so that every
 * turn changes the world.
 * @param lastTurn 1-based
 * @param longTurn the turn in which Bob's last answer is a long stream
 */
export function toAnswers(lastTurn: number, longTurn?: number): Answers {
  const turns = Array.from({ length: lastTurn }, (_, index) => {
    const turn = index + 1;
    return [String(turn), { ...answersOf(turn), ...(turn === longTurn ? toLongAnswer(turn) : {}) }] as const;
  });
  return { version: 1, label: 'bench', turns: Object.fromEntries(turns) };
}

function answersOf(turn: number): Readonly<Record<string, Answer>> {
  return {
    'bob/act/round-1/try-1': speak(BUY_CANDY),
    'bob/act/round-2/try-1': speak(bobsPatch(turn)),
    'ant/act/round-1/try-1': speak(antsPatch(turn)),
  };
}

function speak(json: Json): Answer {
  return { json, chunk_characters: PIECE_CHARACTERS, usage: { input_tokens: 900, output_tokens: 60 } };
}

function toLongAnswer(turn: number): Readonly<Record<string, Answer>> {
  const text = JSON.stringify(bobsPatch(turn)).replace('{', `{${' '.repeat(LONG_CHARACTERS)}`);
  return { 'bob/act/round-2/try-1': { text, chunk_characters: 1 } };
}

const BUY_CANDY: Json = {
  kind: 'tool_call',
  tool_call: { name: 'buy_candy', arguments: { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' } },
};

function bobsPatch(turn: number): Json {
  return toPatch('Bob presses the button once more and waits beside the machine.', [
    ['bob', `hungry; standing beside the vending machine, counting his coins for the ${turn}. time`],
    ['vending_machine', `lit and humming; its button C was pressed ${turn} times`],
  ]);
}

function antsPatch(turn: number): Json {
  return toPatch('The ant walks once around the plate.', [
    ['ant', `hungry; on the rim of the plate, which it has rounded ${turn} times`],
    ['plate', `a white paper plate with the tracks of ${turn} rounds of an ant`],
  ]);
}

function toPatch(narration: string, states: readonly (readonly [string, string])[]): Json {
  const effects = states.map(([entity_id, state]) => ({ op: 'set_entity_state', entity_id, state }));
  return { kind: 'final_patch', patch: { narration, effects } };
}

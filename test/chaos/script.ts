import type { Json } from '../../engine/contract/json.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';

/** More turns than any of the worlds plays. */
const TURNS = 600;

const DEEDS: readonly Json[] = [
  call('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' }),
  call('use_drinking_fountain', { actor_id: 'bob', fountain_id: 'drinking_fountain' }),
  call('send_text', { from: 'bob_phone', to: 'Alice', body: 'Still here.' }),
];

function call(name: string, given: Json): Json {
  return { kind: 'tool_call', tool_call: { name, arguments: given } };
}

/** In each turn Bob does something that cannot be undone, and both remember which turn it was. */
export const SCRIPT: Answers = {
  version: 1,
  label: 'destruction',
  turns: Object.fromEntries(
    Array.from({ length: TURNS }, (_none, index) => {
      const turn = index + 1;
      return [
        String(turn),
        {
          'bob/act/round-1/try-1': { json: DEEDS[turn % DEEDS.length] ?? null },
          'bob/act/round-2/try-1': { json: remember('bob', turn) },
          'ant/act/round-1/try-1': { json: remember('ant', turn) },
        },
      ];
    }),
  ),
};

function remember(entity_id: string, turn: number): Json {
  const effects = [
    { op: 'set_entity_state', entity_id, state: `at turn ${turn}` },
    { op: 'append_entity_memory', entity_id, content: `There was a turn ${turn}.` },
  ];
  return { kind: 'final_patch', patch: { narration: `Turn ${turn} goes by.`, effects } };
}

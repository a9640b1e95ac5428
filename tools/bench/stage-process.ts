import type { Json } from '../../engine/contract/json.js';
import type { Answer, Answers } from '../../engine/generated/answers.js';
import type { RequestHeaders } from '../../fixtures/toys/loopback-server.js';
import { startToys } from '../../fixtures/toys/index.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { answerAll } from './helper.js';
import type { CapturedCall } from './stage.js';

const TURNS = 2_000;
/** About a token a piece, as models stream. */
const PIECE_CHARACTERS = 4;
const BUY_CANDY: Json = {
  kind: 'tool_call',
  tool_call: { name: 'buy_candy', arguments: { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' } },
};

const [toys, model] = await Promise.all([startToys(), startScriptedModel(toAnswers())]);
let calls: CapturedCall[] = [];
const idOf = (headers: RequestHeaders): string => String(headers['x-client-request-id'] ?? '');
for (const toy of [toys.weather, toys.pa, toys.phone, toys.vending, toys.fountain])
  toy.onRequest(async ({ path, headers, body }) => {
    calls.push({ to: 'toy', url: `${toy.url}${path}`, client_request_id: idOf(headers), body });
  });
model.onRequest(async ({ headers, body }) => {
  calls.push({ to: 'model', url: model.url, client_request_id: idOf(headers), body });
});
const access = { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
answerAll({ ...toys.variables, ...access }, () => {
  const taken = calls;
  calls = [];
  return taken;
});

/** Bob buys candy and the ant walks, with other words in every turn, so that every turn changes the world. */
function toAnswers(): Answers {
  const turns = Array.from({ length: TURNS }, (_, index) => {
    const turn = index + 1;
    const said = {
      'bob/act/round-1/try-1': speak(BUY_CANDY),
      'bob/act/round-2/try-1': speakPatch('Bob presses the button once more and waits beside the machine.', {
        bob: `hungry; standing beside the vending machine, counting his coins for the ${turn}. time`,
        vending_machine: `lit and humming; its button C was pressed ${turn} times`,
      }),
      'ant/act/round-1/try-1': speakPatch('The ant walks once around the plate.', {
        ant: `hungry; on the rim of the plate, which it has rounded ${turn} times`,
        plate: `a white paper plate with the tracks of ${turn} rounds of an ant`,
      }),
    };
    return [String(turn), said] as const;
  });
  return { version: 1, label: 'bench', turns: Object.fromEntries(turns) };
}

function speakPatch(narration: string, states: Readonly<Record<string, string>>): Answer {
  const effects = Object.entries(states).map(([entity_id, state]) => ({ op: 'set_entity_state', entity_id, state }));
  return speak({ kind: 'final_patch', patch: { narration, effects } });
}

function speak(json: Json): Answer {
  return { json, chunk_characters: PIECE_CHARACTERS, usage: { input_tokens: 900, output_tokens: 60 } };
}

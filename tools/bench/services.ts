import type { Json } from '../../engine/contract/json.js';
import type { Answer, Answers } from '../../engine/generated/answers.js';
import type { RequestHeaders } from '../../fixtures/toys/loopback-server.js';
import { startToys } from '../../fixtures/toys/index.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { type Helper, type Role, startHelper } from './helper.js';
import { type Scene, toAnswers } from './scene.js';
import type { Stage, Variables } from './stage.js';

/** A request as a toy service or the scripted model received it. */
export interface CapturedCall {
  readonly to: 'toy' | 'model';
  /** Of a toy's route; of a model, its base URL. */
  readonly url: string;
  /** `<world>~<mark>/turn-<n>/<command key>` */
  readonly client_request_id: string;
  readonly body: Json;
}

/** The toy services and the scripted model: each question takes the calls since the last one. */
export interface Services extends Helper<object, readonly CapturedCall[]> {
  /** That lead there. */
  readonly variables: Variables;
}

/**
 * Starts services in a process of their own.
 * @param scene whose agents the model speaks for; those of the park where it is left out
 */
export async function startServices(stage: Stage, scene?: Scene, delay_ms = 0): Promise<Services> {
  const words = scene === undefined ? [] : [JSON.stringify(scene), `${delay_ms}`];
  const helper = await startHelper<object, readonly CapturedCall[]>(stage, new URL(import.meta.url), words);
  return { ...helper, variables: helper.first as Variables };
}

/** Starts services in this process. */
export async function open(scene?: string, delay_ms?: string): Promise<Role<object, readonly CapturedCall[]>> {
  const answers = scene === undefined ? ofThePark() : toAnswers(JSON.parse(scene) as Scene);
  const starting = [startToys(), startScriptedModel(answers, { delay_ms: Number(delay_ms ?? 0) })] as const;
  const [toys, model] = await Promise.all(starting);
  let calls: CapturedCall[] = [];
  const capture = (to: CapturedCall['to'], url: string, headers: RequestHeaders, body: Json): void => {
    // Of a scene nobody repeats the calls.
    if (scene === undefined)
      calls.push({ to, url, client_request_id: String(headers['x-client-request-id'] ?? ''), body });
  };
  for (const toy of [toys.weather, toys.pa, toys.phone, toys.vending, toys.fountain])
    toy.onRequest(async ({ path, headers, body }) => capture('toy', `${toy.url}${path}`, headers, body));
  model.onRequest(async ({ headers, body }) => capture('model', model.url, headers, body));
  return {
    first: { ...toys.variables, CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' },
    answer: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
    close: async () => void (await Promise.all([toys.close(), model.close()])),
  };
}

const TURNS = 2_000;
/** About a token a piece, as models stream. */
const PIECE_CHARACTERS = 4;
const BUY_CANDY: Json = {
  kind: 'tool_call',
  tool_call: { name: 'buy_candy', arguments: { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' } },
};

/** Bob buys candy and the ant walks, with other words in every turn, so that every turn changes the world. */
function ofThePark(): Answers {
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

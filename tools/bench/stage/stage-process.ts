import type { RequestHeaders } from '../../../fixtures/toys/loopback-server.js';
import { startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import { startToys, type ToyService } from '../../../fixtures/toys/index.js';
import { unreachable } from '../../../engine/contract/unreachable.js';
import type { CapturedCall, StageQuestion, StageWord } from './captured-call.js';
import { toAnswers } from './script.js';

// The services in a process of their own, so that their cost is not counted as the engine's. It lives as long as the
// process that forked it.

const TURNS = 2_000;

const [toys, model] = await Promise.all([startToys(), startScriptedModel(toAnswers(TURNS))]);
let calls: CapturedCall[] = [];

function listenTo(toy: ToyService): void {
  toy.onRequest(async ({ path, headers, body }) => {
    calls.push({ to: 'toy', url: `${toy.url}${path}`, client_request_id: idOf(headers), body });
  });
}

for (const toy of [toys.weather, toys.pa, toys.phone, toys.vending, toys.fountain]) listenTo(toy);
model.onRequest(async ({ headers, body }) => {
  calls.push({ to: 'model', url: model.url, client_request_id: idOf(headers), body });
});

function idOf(headers: RequestHeaders): string {
  return String(headers['x-client-request-id'] ?? '');
}

function say(word: StageWord): void {
  process.send?.(word);
}

process.on('disconnect', () => process.exit(0));
process.on('message', (question: StageQuestion) => {
  switch (question.kind) {
    case 'take_calls': {
      say({ kind: 'calls', calls });
      calls = [];
      return;
    }
    case 'speak':
      model.setScript(toAnswers(TURNS, question.long_turn ?? undefined));
      say({ kind: 'calls', calls: [] });
      return;
    default:
      unreachable(question);
  }
});
say({
  kind: 'variables',
  variables: {
    ...toys.variables,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
  },
});

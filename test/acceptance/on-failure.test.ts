import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { editWorkflows, loadScript, must, sharedStage } from '../support/park-stage.js';
import { showAgentTurn } from '../../engine/operations/browse/agents.js';
import { agentTurn } from '../../engine/catalogue/resources/agent-turn.js';
import type { Asked } from '../../engine/catalogue/resource.js';

import { toPage } from '../../engine/surfaces/browser/page.js';
import { renderPage } from '../../engine/surfaces/browser/layout.js';
import { viewLines } from '../../engine/surfaces/cli/render/view.js';
import { paint } from '../../engine/surfaces/cli/render/paint.js';
import { callAt, keysOf, onlyAttempt, promptOf, requestAt } from './readings.js';
import { misbehaveOn } from '../support/faults.js';

const BUY = 'bob/act/round-1/try-1/tool';
const ALICE = 'alice/act/round-1/try-1';

/** The forecast is the weather, which can be broken. */
const withWeather = (context: TestContext, forecast: JsonObject = {}) =>
  editWorkflows(context, {
    'out-of-order/forecast.json': (source) => ({
      ...source,
      interface: { ...(source['interface'] as JsonObject), path: '/weather' },
    }),
    'out-of-order/workflow.json': (workflow) => ({
      ...workflow,
      ambient_sources: (workflow['ambient_sources'] as readonly JsonObject[]).map((binding) => ({
        ...binding,
        request_template: {
          environment_label: 'park',
          turn: { $from: '/world/attempted_turn' },
          simulation_time: { $from: '/world/simulation_time' },
        },
        ...forecast,
      })),
    }),
  });

describe('a turn that goes on after failures', () => {
  const open = sharedStage('PostgreSQL');
  test('a turn that goes on after failures shows the model the complaint of a machine, and the model calls again with the missing member', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'out-of-order' });
    const attempt = onlyAttempt(play);
    assert.equal(attempt.status, 'committed', attempt.failure_message ?? '');
    const call = callAt(attempt, BUY);
    assert.deepEqual(
      [call.status, call.failure_class, call.failure_detail],
      ['failed', 'http_status', 'told_to_model'],
    );
    const prompt = promptOf(requestAt(stage.model, 1, 'bob/act/round-2/try-1'));
    assert.match(prompt, /"failure_class":"http_status","http_status":400.*The body lacks machine_id/);
    assert.equal(callAt(attempt, 'bob/act/round-2/try-1/tool').status, 'succeeded');
    const asked = { agent_turn_id: attempt.agent_turns[0]?.agent_turn_id ?? '', reader: 'consumer' } as const;
    const turn = must(await showAgentTurn(stage.engine, asked));
    const [failed, bought] = turn.output_box.cards.filter(({ kind }) => kind === 'tool.result');
    const { failure_class, failure_detail, failure_message } = call;
    assert.deepEqual(failed?.tells?.failure, { failure_class, failure_detail, failure_message });
    assert.equal(bought?.tells?.failure, null);
    const parameters = asked as unknown as Asked['parameters'];
    const view = agentTurn.view(turn, { ...asked, parameters, query: {} });
    const lines = paint(viewLines(view), { width: 1_000, has_colours: false, program: 'npx chukwa' });
    assert.match(lines, /buy_candy: http_status, told to the model: .*status 400/);
    const page = must(await toPage(agentTurn).read(stage.engine, { ...asked, parameters, query: {} }));
    const drawn = renderPage(page.view(), { path: '/agent-turns' });
    assert.match(drawn, /<strong>buy_candy<\/strong>: .*http_status, told to the model: .*status 400/);
  });

  test('a turn that goes on after failures gives no subject the reading of a weather service that answers 500, and commits', async (context) => {
    const stage = await open();
    const workflows = await withWeather(context);
    misbehaveOn(stage.toys.weather, 1, 'status_500');
    const play = await stage.play({ scenario: 'out-of-order', workflows, turns: 2 });
    const [broken, well] = play.attempts;
    assert.ok(broken && well);
    assert.deepEqual([broken.status, well.status], ['committed', 'committed']);
    const [key = ''] = keysOf(broken);
    assert.deepEqual(
      [callAt(broken, key).failure_class, callAt(broken, key).failure_detail],
      ['http_status', 'absent'],
    );
    for (const first of ['bob/act/round-1/try-1', ALICE]) {
      const prompt = promptOf(requestAt(stage.model, 1, first));
      assert.match(prompt, /^forecast is absent: its source failed \(http_status\)/m);
      assert.doesNotMatch(prompt, /out_of_order/, 'what the service said of it is in no prompt');
      assert.doesNotMatch(promptOf(requestAt(stage.model, 2, first)), /is absent/);
    }
  });

  test('a turn that goes on after failures fails with the weather service where the binding says nothing', async (context) => {
    const stage = await open();
    const workflows = await withWeather(context, { on_failure: 'fail' });
    misbehaveOn(stage.toys.weather, 1, 'status_500');
    const attempt = onlyAttempt(await stage.play({ scenario: 'out-of-order', workflows }));
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'http_status']);
    assert.equal(callAt(attempt, keysOf(attempt)[0] ?? '').failure_detail, null);
  });

  test('a turn that goes on after failures gets its failures from the record when it is retried, and repeats none of those calls', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'out-of-order' });
    const says = await loadScript('out-of-order');
    const broken = { ...says.turns['1'], [ALICE]: { status: 503 } };
    stage.model.setScript({ ...says, turns: { ...says.turns, '1': broken } });
    const failed = onlyAttempt(await stage.run(world));
    assert.deepEqual([failed.status, failed.failure_class], ['failed', 'http_status']);
    const asked = [stage.toys.weather, stage.toys.vending].map(({ served }) => served.length);
    stage.model.setScript(says);
    const again = onlyAttempt(await stage.run(world));
    assert.equal(again.status, 'committed', again.failure_message ?? '');
    assert.equal(again.adopts, failed.attempt_id);
    assert.deepEqual(
      [callAt(again, BUY).adopted_from, callAt(again, BUY).failure_detail],
      [failed.attempt_id, 'told_to_model'],
    );
    assert.deepEqual(
      [stage.toys.weather, stage.toys.vending].map(({ served }) => served.length),
      asked,
    );
  });
});

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { type Edit, editWorkflows, sharedStage } from '../support/park-stage.js';
import { type Conduct, startUnreliableService } from '../support/unreliable-service.js';
import { openDice } from './dice.js';
import { extent } from '../support/extent.js';

// A few turns in `npm test`. For a hundred:
//
//   npm run build && CHUKWA_CHAOS_TURNS=100 node --import tsx tools/run-tests.ts --all chaos/village

const TURNS = Number(process.env['CHUKWA_CHAOS_TURNS'] ?? extent(6, 30));
const TIMEOUT_MS = 3_000;

const dice = openDice();

const FAILURES: readonly Conduct[] = [
  { kind: 'status', status: 429 },
  { kind: 'status', status: 503 },
  { kind: 'cut_within' },
  { kind: 'delay', delay_ms: TIMEOUT_MS + 1_000 },
];
const failOneInTen = (): Conduct =>
  (dice.below(10) === 0 ? FAILURES[dice.below(FAILURES.length)] : undefined) ?? { kind: 'pass' };

/** The source's retries, and their number, stay as their author wrote them: only the waits are shorter. */
const withShortWaits: Edit = (source) => ({
  ...source,
  interface: { ...(source['interface'] as JsonObject), timeout_ms: TIMEOUT_MS },
  retry: { ...(source['retry'] as JsonObject), backoff_ms: 20 },
});

describe('the village, whose model fails one call in ten (PostgreSQL)', () => {
  let modelUrl = '';
  const opening = startUnreliableService(() => modelUrl);
  let frontUrl = '';
  after(async () => (await opening).close());
  const openStage = sharedStage('PostgreSQL', (here) => {
    modelUrl = here['CHUKWA_LLM_BASE_URL']?.replace(/\/v1$/, '') ?? '';
    return { CHUKWA_LLM_BASE_URL: `${frontUrl}/v1` };
  });

  test(`the village, whose model fails one call in ten, commits every turn at the first attempt and does each side effect once (seed ${dice.seed})`, {
    timeout: 900_000,
  }, async (context) => {
    const front = await opening;
    frontUrl = front.url;
    front.always(failOneInTen);
    const stage = await openStage();
    const workflows = await editWorkflows(context, { 'village/model.json': withShortWaits });
    const { attempts, after: world } = await stage.play({ scenario: 'village', workflows, turns: TURNS });
    assert.equal(world.turn, TURNS);
    assert.deepEqual(new Set(attempts.map(({ status }) => status)), new Set(['committed']));
    assert.equal(attempts.length, TURNS);

    const calls = attempts.flatMap(({ invocations }) => invocations);
    const elected = attempts.flatMap(({ attempted_turn, invocations }) =>
      invocations
        .filter(({ invocation_kind }) => invocation_kind === 'model_elected_tool')
        .map(({ command_key }) => `${world.world_slug}/turn-${attempted_turn}/${command_key}`),
    );
    const { vending, fountain, phone } = stage.toys;
    const served = [vending, fountain, phone].flatMap((toy) => toy.served.filter(({ path }) => path !== '/inbox'));
    assert.ok(elected.length >= TURNS / 2, `${elected.length} side effects`);
    assert.deepEqual(
      served.map(({ headers }) => String(headers['x-client-request-id']).replace(/~[0-9a-f]{12}/, '')).toSorted(),
      elected.toSorted(),
    );

    // A call is stopped where an earlier subject changed what it had read.
    const ofSubjects = ['model_content', 'stopped'];
    const failed = calls.flatMap(({ status, failure_class }) =>
      status === 'failed' && !ofSubjects.includes(failure_class ?? '') ? (failure_class ?? '') : [],
    );
    assert.ok(failed.length > 0, 'no call failed');
    if (TURNS >= 30) assert.deepEqual(new Set(failed), new Set(['http_status', 'timeout', 'transport']));
    context.diagnostic(
      `${TURNS} turns, ${front.asked.length} requests to the model, ${failed.length} of them failed, ${served.length} side effects`,
    );
  });
});

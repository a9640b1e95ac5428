import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPolicy } from '../../engine/operations/people/explain-policy.js';
import { showInvocation } from '../../engine/operations/browse/records.js';
import { must } from '../../tools/must.js';
import { editWorkflows, sharedStage } from '../support/park-stage.js';
import { finalPatch, setState, toolCall } from '../support/turn-player.js';
import { callAt, keysOf, onlyAttempt, requestAt, script } from './readings.js';

const open = sharedStage('PostgreSQL');

const FIRST = 'bob/act/round-1/try-1';
const SECOND = 'bob/act/round-1/try-2';
const THEN = 'bob/act/round-2/try-1';
const GOOD = { json: finalPatch([setState('bob', 'eats')], 'Bob eats.') };
const buy = (button: string) => toolCall('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button });

const RULES = [
  { tools: ['buy_candy'], arguments: { '/button': { one_of: ['C'] } }, decide: 'allow', because: 'only candy is sold' },
  { tools: ['send_text'], subjects: ['ant'], decide: 'allow' },
  { effects: ['read_only'], decide: 'allow' },
  { tools: ['use_drinking_fountain'], decide: 'deny', because: 'the fountain is dirty' },
];

test('rules decide by arguments: the model is told why, the record names the rule, and explain says the same', async (context) => {
  const stage = await open();
  const workflows = await editWorkflows(context, {
    'policies/park-tools.json': (policy) => ({ ...policy, allow: [], rules: RULES }),
  });
  const says = script({ [FIRST]: { json: buy('A') }, [SECOND]: { json: buy('C') }, [THEN]: GOOD });
  const play = await stage.play({ scenario: 'tools', workflows, says });
  const attempt = onlyAttempt(play);
  assert.equal(attempt.status, 'committed');
  assert.deepEqual(keysOf(attempt), [FIRST, SECOND, `${SECOND}/tool`, THEN]);
  assert.deepEqual(callAt(attempt, FIRST).failure_detail, 'policy_denied');
  assert.match(callAt(attempt, FIRST).failure_message ?? '', /may not be called so: no rule of the policy allows it/);
  const offered = JSON.stringify(requestAt(stage.model, 1, FIRST).body);
  assert.match(offered, /buy_candy/);
  assert.doesNotMatch(offered, /send_text|use_drinking_fountain/);

  const bought = must(await showInvocation(stage.engine, callAt(attempt, `${SECOND}/tool`).source_invocation_id));
  const { policy_hash, ...ruling } = bought.policy_ruling ?? assert.fail('there is no ruling');
  assert.deepEqual(ruling, { decision: 'allow', rule: '/rules/0', because: 'only candy is sold' });
  assert.deepEqual(bought.tool_result, {
    toolCallId: bought.source_invocation_id,
    ok: true,
    value: bought.response_json,
    errorCode: null,
    safeMessage: null,
  });
  const generation = must(await showInvocation(stage.engine, callAt(attempt, FIRST).source_invocation_id));
  assert.equal(generation.policy_ruling, null);

  const explain = async (tool: string, args?: string) =>
    must(await explainPolicy(stage.engine, { world_slug: play.world_slug, entity_id: 'Bob', tool, arguments: args }));
  const open_question = await explain('buy_candy');
  assert.deepEqual(
    [open_question.decision, open_question.may_become, open_question.rules.map(({ matches }) => matches)],
    ['deny', ['allow'], [null]],
  );
  assert.equal(open_question.policy_hash, policy_hash);
  const with_c = await explain('buy_candy', JSON.stringify({ actor_id: 'bob', button: 'C', machine_id: 'x' }));
  assert.deepEqual([with_c.decision, with_c.rule], ['allow', '/rules/0']);
  assert.deepEqual(with_c.known_arguments, ['/actor_id', '/button']);
  const fountain = await explain('use_drinking_fountain');
  assert.deepEqual([fountain.decision, fountain.rule, fountain.because], ['deny', '/rules/3', 'the fountain is dirty']);
  assert.deepEqual((await explain('send_text')).rules, []);
});

test('explain names the subject or the call that there is not', async () => {
  const stage = await open();
  const { world_slug } = await stage.play({ scenario: 'tools', says: script({ [FIRST]: GOOD }) });
  const codeOf = async (entity_id: string, tool: string, args?: string) => {
    const refused = await explainPolicy(stage.engine, { world_slug, entity_id, tool, arguments: args });
    return refused.ok ? undefined : refused.problems[0]?.code;
  };
  assert.equal(await codeOf('vending_machine', 'buy_candy'), 'NO_SUBJECT');
  assert.equal(await codeOf('bob', 'buy_cnady'), 'NO_SUCH_CALL');
  assert.equal(await codeOf('bob', 'buy_candy', '{'), 'POLICY_ARGUMENTS_NO_JSON');
});

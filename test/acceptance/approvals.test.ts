import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { decideCall, showApproval, showApprovalStatistics } from '../../engine/operations/people/approvals.js';
import { grantCalls, revokeGrant, showGrant } from '../../engine/operations/people/grants.js';
import type { JsonObject } from '../../engine/contract/json.js';
import { askToStop, reportCall } from '../../engine/operations/settling/reports.js';
import type { ApprovalRecord } from '../../engine/ports/approvals.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import {
  editWorkflows,
  lettersToApprove,
  loadScript,
  must,
  type ParkStage,
  type Play,
  sharedStage,
} from '../support/park-stage.js';

const LETTERS = { scenario: 'letters' } as const;
const ANSWER = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };
const FIRST_TRY = 'nora/act/round-1/try-1';

/** A turn in which a letter waits for a person. */
async function playAsked(context: TestContext, stage: ParkStage, says?: Answers): Promise<[Play, ApprovalRecord]> {
  const play = await stage.play({
    ...LETTERS,
    workflows: await lettersToApprove(context),
    ...(says === undefined ? {} : { says }),
  });
  const [approval] = await waiting(stage, play.world_slug);
  assert.ok(approval, JSON.stringify(play.report.turns));
  return [play, approval];
}

const waiting = (stage: ParkStage, world_slug: string) =>
  stage.engine.store.approvals.list({ world_slug, status: 'waiting', limit: 10 });

const decide = (stage: ParkStage, { approval_id }: ApprovalRecord, decision: 'approved' | 'denied', reason?: string) =>
  decideCall(stage.engine, { approval_id, decision, decided_by: 'ann', ...(reason === undefined ? {} : { reason }) });

const statusesOf = ({ report }: Play) => report.turns.map(({ status }) => status);

/** Changes of what a person is shown. */
const ALTERATIONS = [
  `request_json = '{"to": "Otto", "body": "All is well."}'`,
  "tool_name = 'read_letter'",
  "effect_class = 'read_only'",
  "rule = '/rules/9'",
  "because = 'it is harmless'",
  `origins = '{"/to": ["author"]}'`,
];

/** Changes the row of an approval by hand. @param role `replica` passes the triggers that guard it */
async function alter({ outside }: ParkStage, approval_id: string, change: string, role = 'origin'): Promise<void> {
  assert.ok(outside);
  await outside.query(`SET session_replication_role = '${role}'`);
  try {
    await outside.query(`UPDATE approvals SET ${change} WHERE approval_id = '${approval_id}'`);
  } finally {
    await outside.query("SET session_replication_role = 'origin'");
  }
}

/** What the letters' model says where its letter is denied: it rests. */
async function sayInstead(): Promise<Answers> {
  const script = await loadScript('letters');
  const rest = { narration: 'Nora leaves the letter unwritten.', effects: [] };
  const turn = script.turns['1'] ?? script.turns['*'] ?? {};
  return {
    ...script,
    turns: { '*': { ...turn, 'nora/act/round-1/try-2': { json: { kind: 'final_patch', patch: rest } } } },
  };
}

describe('a call that a person must approve', () => {
  const open = sharedStage('PostgreSQL');

  test('a call that a person must approve suspends its turn and is not made, and nothing of it is on record', async (t) => {
    const stage = await open();
    const [play, approval] = await playAsked(t, stage);
    assert.deepEqual(statusesOf(play), ['suspended']);
    assert.equal(stage.toys.post.letters.length, 0);
    assert.deepEqual(
      play.attempts[0]?.invocations.map(({ command_key }) => command_key),
      [FIRST_TRY],
    );
    const { tool_name, status, rule, workflow_subject_entity_id, effect_class, decided_by } = approval;
    assert.deepEqual(
      [tool_name, status, rule, workflow_subject_entity_id, effect_class, decided_by],
      ['write_letter', 'waiting', '/require_approval/0', 'nora', 'external_side_effect', null],
    );
  });

  test('how long a call has waited, and how long is left, is of the moment at which it is read', async (t) => {
    const stage = await open();
    const [play, { approval_id, asked_at, deadline }] = await playAsked(t, stage);
    const read = async () => {
      const { waited_ms, left_ms } = must(await showApproval(stage.engine, approval_id));
      assert.ok(waited_ms !== null && left_ms !== null);
      assert.ok(Math.abs(waited_ms + left_ms - (Date.parse(deadline) - Date.parse(asked_at))) < 2);
      return waited_ms;
    };
    const first = await read();
    await wait(5);
    assert.ok((await read()) >= first + 5);
    must(await askToStop(stage.engine, play.attempts[0]?.attempt_id ?? ''));
    await stage.run(play.before);
    const { waited_ms, left_ms } = must(await showApproval(stage.engine, approval_id));
    assert.deepEqual([waited_ms, left_ms], [null, null]);
  });

  test('while a call waits for a person, nobody drives its attempt, and the process keeps no timer for it', async (t) => {
    const stage = await open();
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = countTimers();
    const [play] = await playAsked(t, stage);
    assert.ok(countTimers() <= before);
    assert.deepEqual(
      play.attempts.map(({ status, is_driven }) => [status, is_driven]),
      [['suspended', false]],
    );
  });

  test('several calls wait at once, and are decided on in any order, each of them once', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, {
      'bills/workflow.json': ({ ambient_sources, ...workflow }) => {
        const [post] = ambient_sources as readonly JsonObject[];
        const twice = ['first_post', 'second_post'].map((id) => ({
          ...post,
          id,
          effect: 'external_side_effect',
          inject_as: `/ambient/environments/office/${id}`,
        }));
        return { ...workflow, ambient_sources: twice };
      },
      'policies/bills.json': (policy) => ({
        ...policy,
        allow: ['pay_bill', 'first_post', 'second_post'],
        require_approval: ['first_post', 'second_post'],
      }),
    });
    const play = await stage.play({ scenario: 'bills', workflows });
    const asked = play.report.unapproved ?? [];
    assert.deepEqual(asked.map(({ tool_name }) => tool_name).toSorted(), ['first_post', 'second_post']);
    for (const approval of asked.toReversed()) {
      assert.equal(stage.toys.office.served.length, asked.length - asked.indexOf(approval) - 1);
      must(await decide(stage, approval, 'approved'));
      assert.deepEqual(statusesOf(await stage.run(play.before)), ['suspended']);
    }
    const served = stage.toys.office.served.map(({ path }) => path);
    assert.deepEqual(served.toSorted(), ['/pay', '/post', '/post']);
    const [bill] = await waiting(stage, play.world_slug);
    assert.deepEqual(bill?.origins?.['/payee'], [
      'author',
      'model',
      'scenario',
      'source:toy_office_bank',
      'source:toy_office_post',
    ]);
  });

  test('an approved call is made once, with the arguments that were shown, and its turn goes on', async (t) => {
    const stage = await open();
    const [play, approval] = await playAsked(t, stage);
    assert.equal(must(await decide(stage, approval, 'approved', 'a friendly letter')).accepted, true);
    const second = await stage.run(play.before);
    assert.deepEqual(statusesOf(second), ['suspended']);
    const [letter] = stage.toys.post.letters;
    assert.equal(stage.toys.post.letters.length, 1);
    must(await reportCall(stage.engine, letter?.correlation_id ?? '', { kind: 'answered', value: ANSWER }));
    assert.deepEqual(statusesOf(await stage.run(play.before)), ['committed']);
    assert.equal(stage.toys.post.letters.length, 1);
    const shown = must(await showApproval(stage.engine, approval.approval_id));
    assert.deepEqual([shown.status, shown.decided_by, shown.reason], ['approved', 'ann', 'a friendly letter']);
    const decided_after_ms = Date.parse(shown.decided_at ?? '') - Date.parse(shown.asked_at);
    assert.ok(Math.abs((shown.waited_ms ?? NaN) - decided_after_ms) < 1);
    assert.equal(shown.left_ms, null);
    const call = await stage.invocation(shown.source_invocation_id ?? '');
    assert.deepEqual(call.request_json, shown.request);
  });

  test('a denied call is not made; its model is told the reason, and the turn goes on without it', async (t) => {
    const stage = await open();
    const [play, approval] = await playAsked(t, stage, await sayInstead());
    must(await decide(stage, approval, 'denied', 'no letters on Sundays'));
    const second = await stage.run(play.before);
    assert.deepEqual(statusesOf(second), ['committed']);
    assert.equal(stage.toys.post.letters.length, 0);
    const calls = second.attempts[0]?.invocations ?? [];
    const denied = calls.find(({ failure_class }) => failure_class === 'approval_denied');
    assert.ok(denied);
    const again = calls.at(-1);
    const prompt = JSON.stringify(await stage.llmCall(again?.llm_call_id ?? null));
    assert.match(prompt, /no letters on Sundays/);
  });

  test('a decision is final: the same again changes nothing, and another one is refused', async (t) => {
    const stage = await open();
    const [, approval] = await playAsked(t, stage);
    must(await decide(stage, approval, 'approved'));
    const again = must(await decide(stage, approval, 'approved'));
    assert.deepEqual([again.accepted, again.reason], [false, 'duplicate']);
    const other = await decide(stage, approval, 'denied');
    assert.deepEqual(other.ok ? [] : other.problems.map(({ code }) => code), ['APPROVAL_DECIDED']);
    const unknown = await decideCall(stage.engine, { approval_id: 'x', decision: 'approved', decided_by: 'ann' });
    assert.deepEqual(unknown.ok ? [] : unknown.problems.map(({ code }) => code), ['APPROVAL_UNKNOWN']);
  });

  test('a decision comes too late once its attempt is over, and the approval says that it is superseded', async (t) => {
    const stage = await open();
    const [play, approval] = await playAsked(t, stage);
    must(await askToStop(stage.engine, approval.attempt_id));
    await stage.run(play.before);
    const late = await decide(stage, approval, 'approved');
    assert.deepEqual(late.ok ? [] : late.problems.map(({ code }) => code), ['APPROVAL_LATE']);
    assert.equal(must(await showApproval(stage.engine, approval.approval_id)).status, 'superseded');
  });

  test('a grant approves what waits and calls to come that it covers, as often as it says, and is taken back', async (t) => {
    const stage = await open();
    const [first, approval] = await playAsked(t, stage);
    const [second, same] = await playAsked(t, stage);
    assert.notEqual(first.world_slug, second.world_slug);
    const wanted = { approval_id: approval.approval_id, hours: 1, granted_by: 'ann', reason: 'Emil is my brother' };
    const wrong = await grantCalls(stage.engine, { ...wanted, uses: 2, arguments: { '/to': 'Otto' } });
    assert.deepEqual(wrong.ok ? [] : wrong.problems.map(({ code }) => code), ['GRANT_MISSES_CALL']);
    const { made } = must(await grantCalls(stage.engine, { ...wanted, uses: 2, arguments: { '/to': 'Emil' } }));
    assert.deepEqual([made.uses, made.uses_left, made.status], [2, 1, 'usable']);
    const shown = must(await showApproval(stage.engine, approval.approval_id));
    assert.deepEqual(
      [shown.status, shown.decided_by, shown.grant_id, shown.reason],
      ['approved', 'ann', made.grant_id, 'Emil is my brother'],
    );
    // It is of its world alone.
    assert.equal(must(await showApproval(stage.engine, same.approval_id)).status, 'waiting');
    await stage.run(first.before);
    must(
      await reportCall(stage.engine, stage.toys.post.letters.at(-1)?.correlation_id ?? '', {
        kind: 'answered',
        value: ANSWER,
      }),
    );
    assert.deepEqual(statusesOf(await stage.run(first.before)), ['committed']);
    const again = { ...(await loadScript('letters')).turns['1'] };
    stage.model.setScript({ version: 1, label: 'again', turns: { '*': again } });
    await stage.run(first.before);
    assert.equal(stage.toys.post.letters.length, 2, 'the second letter needs nobody');
    const [rule] = must(await showApprovalStatistics(stage.engine, first.world_slug)).rules;
    assert.deepEqual([rule?.asked, rule?.approved, rule?.by_grant, rule?.median_ms], [2, 2, 2, null]);
    assert.equal(must(await showGrant(stage.engine, made.grant_id)).status, 'used_up');
    assert.equal(must(await revokeGrant(stage.engine, made.grant_id)).accepted, false);
    const other = must(await grantCalls(stage.engine, { ...wanted, approval_id: same.approval_id, uses: 5 }));
    assert.equal(must(await revokeGrant(stage.engine, other.made.grant_id)).accepted, true);
    assert.equal(must(await showGrant(stage.engine, other.made.grant_id)).status, 'revoked');
  });

  test('a grant from a call that was denied, or that nobody waits for, is for calls to come, and says so', async (t) => {
    const stage = await open();
    const [play, { approval_id, ...asked }] = await playAsked(t, stage, await sayInstead());
    must(await decide(stage, { approval_id, ...asked }, 'denied'));
    const grant = async () => must(await grantCalls(stage.engine, { approval_id, uses: 3, granted_by: 'ann' }));
    const { message, made } = await grant();
    assert.match(message, /^write_letter is granted: no call that waited may be made; 3 of 3 uses are left/);
    assert.match(message, /The call that it is made from stays denied\.$/);
    assert.equal(made.uses_left, 3);
    await stage.run(play.before);
    assert.equal(stage.toys.post.letters.length, 0);
    assert.match((await grant()).message, /stays denied\.$/);
    const [stopped, late] = await playAsked(t, stage);
    must(await askToStop(stage.engine, late.attempt_id));
    await stage.run(stopped.before);
    const ofLate = must(await grantCalls(stage.engine, { approval_id: late.approval_id, uses: 1, granted_by: 'ann' }));
    assert.match(ofLate.message, /is not made: nothing waits for it any more\.$/);
  });

  test('a call that nobody decides on within the deadline of its policy is not made, and its model is told', async (t) => {
    const stage = await open();
    const workflows = await lettersToApprove(t, { approval_deadline_ms: 1 });
    const play = await stage.play({ ...LETTERS, workflows, says: await sayInstead() });
    const end = statusesOf(play)[0] === 'committed' ? play : await stage.run(play.before);
    assert.deepEqual(statusesOf(end), ['committed']);
    const [approval] = await stage.engine.store.approvals.list({ world_slug: play.world_slug, limit: 1 });
    assert.equal(approval?.status, 'expired');
    const { approval_id } = approval;
    const { message } = must(await grantCalls(stage.engine, { approval_id, uses: 1, granted_by: 'ann' }));
    assert.match(message, /no call that waited may be made; 1 of 1 uses are left.* is not made: nobody decided/);
    assert.equal(stage.toys.post.letters.length, 0);
    const expired = end.attempts[0]?.invocations.find(({ failure_class }) => failure_class === 'approval_expired');
    assert.match(expired?.failure_message ?? '', /nobody has decided on write_letter in time/);
  });
});

// An embedded database has no other connection by which anybody could change it.
const openServed = sharedStage('PostgreSQL');

test('what a person is asked cannot be changed while it waits', async (t) => {
  const stage = await openServed();
  const [, { approval_id }] = await playAsked(t, stage);
  for (const change of [...ALTERATIONS, 'binding_hash = source_hash', "deadline = deadline + interval '1 hour'"])
    await assert.rejects(alter(stage, approval_id, change), /what a person is asked is final/, change);
});

test('an approval whose row was changed past its guard says so, and is denied at most', async (t) => {
  for (const change of ALTERATIONS) {
    const stage = await openServed();
    const [, approval] = await playAsked(t, stage, await sayInstead());
    assert.equal(approval.is_altered, false);
    const { approval_id } = approval;
    await alter(stage, approval_id, change, 'replica');
    assert.equal(must(await showApproval(stage.engine, approval_id)).is_altered, true, change);
    const granted = await grantCalls(stage.engine, { approval_id, uses: 1, granted_by: 'ann' });
    for (const refused of [await decide(stage, approval, 'approved'), granted])
      assert.deepEqual(refused.ok ? [] : refused.problems.map(({ code }) => code), ['APPROVAL_ALTERED'], change);
    assert.equal(must(await showApproval(stage.engine, approval_id)).status, 'waiting');
    assert.equal(must(await decide(stage, approval, 'denied')).accepted, true);
    assert.equal(stage.toys.post.letters.length, 0);
  }
});

test('an approval that an earlier version asked for is not approved; denied, it is asked for anew, and then made', async (t) => {
  const stage = await openServed();
  const [play, old] = await playAsked(t, stage);
  await alter(stage, old.approval_id, 'policy_hash = NULL, binding_hash = source_hash', 'replica');
  const refused = await decide(stage, old, 'approved');
  const repair = refused.ok ? '' : (refused.problems[0]?.repair ?? '');
  assert.match(repair, new RegExp(`chukwa deny ${old.approval_id}, .* chukwa run ${play.world_slug} asks you anew`));
  assert.match(
    must(await decide(stage, old, 'denied')).message,
    /or asks for it anew where an earlier version had asked/,
  );
  assert.deepEqual(statusesOf(await stage.run(play.before)), ['suspended']);
  const [asked] = await waiting(stage, play.world_slug);
  assert.ok(asked !== undefined && asked.approval_id !== old.approval_id && !asked.is_altered);
  must(await decide(stage, asked, 'approved'));
  await stage.run(play.before);
  assert.equal(stage.toys.post.letters.length, 1);
});

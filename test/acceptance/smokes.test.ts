import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../support/park-stage.js';
import {
  assertOnlyPatchesChanged,
  callAt,
  callsOf,
  contentsOf,
  keysOf,
  memberOf,
  onlyAttempt,
  promptOf,
  requestAt,
  stateOf,
} from './readings.js';
import { misbehaveOn } from '../support/faults.js';

onEachDatabase('the smokes that the design asks for', (open) => {
  test('Smoke 1 — Simple LLM-only workflow', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'simple' });
    const attempt = onlyAttempt(play);
    assert.equal(attempt.status, 'committed');
    assert.deepEqual(keysOf(attempt), ['bob/act/round-1/try-1']);
    assert.equal(callAt(attempt, 'bob/act/round-1/try-1').model_output_kind, 'final_patch');
    assert.equal(attempt.patches.length, 1);
    assert.equal(play.after.turn, 1);
    assertOnlyPatchesChanged(play);
  });

  test('Smoke 2 — Available tool not used', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'tools-unused' });
    const attempt = onlyAttempt(play);
    assert.match(stateOf(play.before, 'bob'), /without any money, three candy bars in his pockets/);
    assert.match(promptOf(requestAt(stage.model, 1, 'bob/act/round-1/try-1')), /buy_candy/);
    assert.deepEqual(callsOf(attempt, 'model_elected_tool'), []);
    assert.deepEqual(stage.toys.vending.served, []);
    assert.equal(attempt.status, 'committed');
  });

  test('Smoke 3 — Vending tool used', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'tools' });
    const attempt = onlyAttempt(play);
    assert.deepEqual(
      attempt.invocations.map(({ invocation_kind, model_output_kind }) => [invocation_kind, model_output_kind]),
      [
        ['llm_generation', 'tool_call'],
        ['model_elected_tool', null],
        ['llm_generation', 'final_patch'],
      ],
    );
    const bought = callAt(attempt, 'bob/act/round-1/try-1/tool');
    assert.equal(memberOf(bought.response_json, 'status'), 'dispensed');
    assert.equal(stage.toys.vending.served.length, 1);
    assert.equal(attempt.status, 'committed');
    assert.match(stateOf(play.after, 'bob'), /holding a candy bar/);
    assertOnlyPatchesChanged(play);
  });

  test('Smoke 4 — Ambient weather', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'ambient-weather', turns: 3 });
    const readings = play.attempts.map((attempt) => callAt(attempt, keysOf(attempt)[0] ?? ''));
    assert.deepEqual(
      readings.map(({ ambient_source_id, response_json }) => [
        ambient_source_id,
        memberOf(response_json, 'temperature_f'),
      ]),
      [
        ['park_weather', 72],
        ['park_weather', 64],
        ['park_weather', 55],
      ],
    );
    assert.equal(play.after.turn, 3);
    assertOnlyPatchesChanged(play);
  });

  test('Smoke 5 — Ambient PA', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'ambient-pa', turns: 3 });
    const said = play.attempts.map((attempt) => {
      const [reading] = callsOf(attempt, 'ambient_context');
      return memberOf(reading?.response_json ?? null, 'announcements') as readonly string[];
    });
    assert.deepEqual(said[0], []);
    assert.match(said[1]?.[0] ?? '', /cold front/);
    assert.deepEqual(said[2], []);
  });

  test('Smoke 6 — Ambient phone inbox', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'phone-inbox', turns: 2 });
    const messages = play.attempts.map((attempt) => {
      const [inbox] = callsOf(attempt, 'ambient_context');
      return memberOf(inbox?.response_json ?? null, 'messages') as readonly { readonly kind: string }[];
    });
    assert.deepEqual(
      messages.map((arrived) => arrived.map(({ kind }) => kind)),
      [[], ['spam']],
    );
    assert.match(promptOf(requestAt(stage.model, 2, 'bob/act/round-1/try-1')), /free candy coupons/);
    assertOnlyPatchesChanged(play);
  });

  test('a service that is asked by GET with a key, and a folder of files, are sources like others', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'weather-station', turns: 2 });
    const [reading] = callsOf(play.attempts[0] ?? onlyAttempt(play), 'ambient_context');
    const record = await stage.invocation(reading?.source_invocation_id ?? '');
    assert.deepEqual(record.request_json, { station_id: 'park', turn: 1 });
    assert.equal(memberOf(reading?.response_json ?? null, 'temperature_f'), 72);
    assert.doesNotMatch(JSON.stringify([record, play.attempts]), /toy-weather-key/);
    assert.match(promptOf(requestAt(stage.model, 1, 'wren/act/round-2/try-1')), /before the fourth/);
    assert.equal(stage.toys.weather.served[0]?.headers['x-api-key'], 'toy-weather-key');
    assert.equal(play.after.turn, 2);
  });

  test('Smoke 7 — Bob and ant same turn', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'bob-and-ant' });
    assert.equal(onlyAttempt(play).status, 'committed');
    assert.equal(play.after.turn, play.before.turn + 1);
    assert.match(stateOf(play.after, 'bob'), /candy bar/);
    assert.match(stateOf(play.after, 'crumb'), /^gone/);
  });

  test('Several nodes — a clerk sorts, looks up, and answers', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'clerk' });
    const attempt = onlyAttempt(play);
    assert.deepEqual(
      attempt.invocations.map(({ command_key, invocation_kind, model_output_kind }) => [
        command_key,
        invocation_kind,
        model_output_kind,
      ]),
      [
        ['ivy/sort/round-1/try-1', 'llm_generation', 'json_answer'],
        ['ivy/look_up/call', 'node_call', null],
        ['ivy/act/round-1/try-1', 'llm_generation', 'tool_call'],
        ['ivy/act/round-1/try-1/tool', 'model_elected_tool', null],
        ['ivy/act/round-2/try-1', 'llm_generation', 'final_patch'],
      ],
    );
    const asked = await stage.invocation(callAt(attempt, 'ivy/look_up/call').source_invocation_id);
    assert.equal(memberOf(asked.request_json, 'environment_label'), 'park', 'the look-up asks for what was sorted');
    const prompt = promptOf(requestAt(stage.model, 1, 'ivy/act/round-1/try-1'));
    assert.match(prompt, /"topic":"weather"/);
    assert.match(prompt, /"temperature_f":72/);
    assert.doesNotMatch(prompt, /Warm and sunny/, 'redaction lets two members of the weather through');
    assert.equal(stage.toys.phone.served.length, 1);
    assertOnlyPatchesChanged(play);
  });

  test('Smoke 8 — Failure', async () => {
    const stage = await open();
    misbehaveOn(stage.toys.weather, 2, 'non_json');
    const play = await stage.play({ scenario: 'ambient-weather', turns: 3 });
    const [first, second, ...others] = play.attempts;
    assert.ok(first && second && others.length === 0, 'a failed attempt ends the run');
    assert.equal(first.status, 'committed');
    const [reading] = second.invocations;
    assert.ok(reading && second.invocations.length === 1);
    assert.deepEqual([reading.status, reading.failure_class, reading.http_status], ['failed', 'non_json', 200]);
    assert.match(reading.failure_message ?? '', /did not answer with JSON/);
    assert.deepEqual(
      [second.status, second.failure_class, second.failed_source_invocation_id],
      ['failed', 'non_json', reading.source_invocation_id],
    );
    assert.deepEqual(
      second.timeline.map(({ event_kind }) => event_kind),
      ['attempt_began', 'call_started', 'call_failed', 'attempt_failed'],
    );
    assert.equal(play.after.turn, 1);
    assert.deepEqual(contentsOf(play.after), contentsOf(await stage.world(play.world_slug, 1)));
    assert.equal(stage.model.requests.length, 1, 'a generation followed the failure');
  });
});

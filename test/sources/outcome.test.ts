import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Problem } from '../../engine/contract/problem.js';
import type { CallOutcome } from '../../engine/ports/sources.js';
import {
  ask,
  chatCall,
  jsonCall,
  makeRecorder,
  openTestSources,
  serve,
  summary,
  type Wanted,
  writePlugin,
} from './harness.js';
import { makeFolder } from '../support/folder.js';

// The record of a call that has ended.

/** The outcome of a call to a plugin whose `invoke` has this body. */
async function outcomeOf(
  t: TestContext,
  invoke: string,
  wanted: Wanted = {},
  manifest: JsonObject = {},
): Promise<CallOutcome> {
  const folder = await makeFolder(t);
  const entry = `export default { open: (_, { failure }) => ({ async invoke(request, context) { ${invoke} } }) };`;
  await writePlugin(folder, 'odd', entry, manifest);
  const sources = await openTestSources(t, { folders: [folder] });
  const makeCall = manifest['speaks'] === 'chat' ? chatCall : jsonCall;
  return ask(sources, makeCall(wanted, { name: 'odd' }));
}

const messageOf = (outcome: CallOutcome): string => (outcome.status === 'failed' ? outcome.failure_message : '');

for (const [ends_at, duration_ms] of [
  [1_250, 250],
  [900, 0],
] as const)
  test(`a call from 1000 to ${ends_at} took ${duration_ms} ms`, async (t) => {
    let now = 1_000;
    const url = await serve(t, (_, response) => {
      now = ends_at;
      response.end('{}');
    });
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url }, clock: { now: () => now } });
    const outcome = await ask(sources, jsonCall());
    assert.deepEqual([outcome.ended_at, outcome.duration_ms], [ends_at, duration_ms]);
  });

const BAD: Problem = { code: 'BAD_VALUE', message: 'it is bad', repair: 'Mend it.', pointer: '' };
const NEVER = { hash: 's', schema: {}, validate: () => [BAD] };
const ALWAYS = { hash: 's', schema: {}, validate: (): readonly Problem[] => [{ ...BAD, severity: 'note' }] };

const VALIDATED: readonly (readonly [name: string, invoke: string, call: Wanted['call'], status: string])[] = [
  ['an answer that nothing checks', 'return { value: 1 };', {}, 'not_checked'],
  ['an answer of which there is only something to note', 'return { value: 1 };', { output: ALWAYS }, 'valid'],
  ['an answer of another schema', 'return { value: 1 };', { output: NEVER }, 'invalid'],
  ['what is no JSON', 'return { value: undefined };', {}, 'invalid'],
  ['an answer that failed in its plugin', 'throw failure("http_status", "no");', { output: NEVER }, 'not_checked'],
  ['a request that was refused', 'return { value: 1 };', { input: NEVER }, 'not_checked'],
];

for (const [name, invoke, call = {}, status] of VALIDATED)
  test(`${name} is ${status}`, async (t) => {
    assert.equal((await outcomeOf(t, invoke, { call })).validation_status, status);
  });

const BODY = (text: string): string => `{ body: new TextEncoder().encode(${JSON.stringify(text)}) }`;

const QUOTED: readonly (readonly [name: string, invoke: string, message: string, speaks?: string])[] = [
  ['its text', `throw failure("http_status", "no", ${BODY('so  sorry')});`, 'no; it said: so sorry'],
  ['one character', `throw failure("tool_error", "no", ${BODY('x')});`, 'no; it said: x'],
  ['its JSON', `throw failure("call_rejected", "no", ${BODY('{"a": 1}')});`, 'no; it said: {"a":1}'],
  ['nothing of an empty body', `throw failure("http_status", "no", ${BODY('')});`, 'no'],
  ['nothing without a body', `throw failure("http_status", "no");`, 'no'],
  ['nothing where its plugin knows why', `throw failure("transport", "no", ${BODY('sorry')});`, 'no'],
  ['nothing where its plugin asks a model', `throw failure("http_status", "no", ${BODY('sorry')});`, 'no', 'chat'],
  [
    '200 characters at most',
    `throw failure("http_status", "no", ${BODY('x'.repeat(201))});`,
    `no; it said: ${'x'.repeat(200)}...`,
  ],
  [
    'exactly 200 characters',
    `throw failure("http_status", "no", ${BODY('x'.repeat(200))});`,
    `no; it said: ${'x'.repeat(200)}`,
  ],
];

for (const [name, invoke, message, speaks = 'json'] of QUOTED)
  test(`of the body of a failure its message quotes ${name}`, async (t) => {
    assert.equal(messageOf(await outcomeOf(t, invoke, {}, { speaks })), message);
  });

test('a failure whose class says what was wrong repeats no body', async (t) => {
  const url = await serve(t, (_, response) => response.end('{"a":1}'));
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, jsonCall({ call: { output: NEVER } }));
  assert.equal(messageOf(outcome), 'the answer does not fit its schema: it is bad');
});

const THROWN: readonly (readonly [thrown: string, said: string])[] = [
  ['new Error("outer", { cause: new Error("inner") })', 'outer: inner'],
  ['new Error("", { cause: new Error("inner") })', 'inner'],
  ['new SyntaxError("quotes its input")', 'what it read cannot be parsed'],
  ['"a text"', 'a text'],
  ['null', 'null'],
  ['[7].reduce((cause) => new Error("", { cause }), failure("tool_error", "deep"))', 'deep'],
];

for (const [thrown, said] of THROWN)
  test(`a plugin that throws ${thrown} failed with: ${said}`, async (t) => {
    const message = messageOf(await outcomeOf(t, `throw ${thrown};`));
    assert.equal(message.replace('the plugin odd failed: ', ''), said);
  });

for (const [causes, failed] of [
  [7, 'tool_error'],
  [8, 'transport'],
] as const)
  test(`a failure within ${causes} errors ends the call as ${failed}`, async (t) => {
    const nested = `Array.from({ length: ${causes} }).reduce((cause) => new Error("outer", { cause }), failure("tool_error", "deep"))`;
    assert.deepEqual(summary(await outcomeOf(t, `throw ${nested};`)), { failed, refused: false });
  });

/** An answer with so many parts that redaction hides, and so many that it shows. */
const HIDDEN: readonly (readonly [hidden: number, shown: number, reasons: string])[] = [
  [0, 1, 'bad 0 (at /shown)'],
  [1, 0, 'a part that redaction hides; chukwa invocation call-1 --unredacted shows the answer'],
  [1, 1, 'bad 0 (at /shown); a part that redaction hides; chukwa invocation call-1 --unredacted shows the answer'],
  [2, 0, '2 parts that redaction hides; chukwa invocation call-1 --unredacted shows the answer'],
];

for (const [hidden, shown, reasons] of HIDDEN)
  test(`an answer with ${shown} bad parts that are shown and ${hidden} that are not says: ${reasons}`, async (t) => {
    const problemsAt = (count: number, pointer: string): readonly Problem[] =>
      Array.from({ length: count }, (_none, at) => ({ ...BAD, message: `bad ${at}`, pointer }));
    const validate = () => [...problemsAt(shown, '/shown'), ...problemsAt(hidden, '/hidden')];
    const call = { output: { ...NEVER, validate }, redaction: ['/shown'] };
    const outcome = await outcomeOf(t, 'return { value: { shown: 1, hidden: 1 } };', { call });
    assert.equal(messageOf(outcome), `the answer does not fit its schema: ${reasons}`);
  });

for (const [count, named, rest] of [
  [20, 20, ''],
  [21, 20, '; and more'],
] as const)
  test(`of ${count} problems of an answer ${named} are named`, async (t) => {
    const validate = () => Array.from({ length: count }, () => BAD);
    const outcome = await outcomeOf(t, 'return { value: 1 };', { call: { output: { ...NEVER, validate } } });
    const reasons = Array.from({ length: named }, () => 'it is bad').join('; ');
    assert.equal(messageOf(outcome), `the answer does not fit its schema: ${reasons}${rest}`);
  });

for (const value of ['{ text: "a" }', '{ finish_reason: "stop" }', 'null', '"a"'])
  test(`a plugin that answers ${value} in the place of a model did not answer`, async (t) => {
    const outcome = await outcomeOf(t, `return { value: ${value} };`, {}, { speaks: 'chat' });
    assert.equal(messageOf(outcome), 'the plugin odd did not answer with a text and a finish_reason');
  });

const FAILED = (facts: string): string => `throw failure("transport", "no", ${facts});`;

test('of the facts of a failure only those are kept that are what they should be', async (t) => {
  const kept = async (facts: string) => {
    const { http_status, finish_reason, response_headers } = await outcomeOf(t, FAILED(facts));
    return { http_status, finish_reason, response_headers };
  };
  const none = { http_status: undefined, finish_reason: undefined, response_headers: undefined };
  assert.deepEqual(await kept('{ http_status: "418", finish_reason: 7 }'), none);
  assert.deepEqual(
    await kept('{ http_status: 418, finish_reason: "stop", response_headers: { ETag: "a", "X-Own": "b" } }'),
    {
      http_status: 418,
      finish_reason: 'stop',
      response_headers: { etag: 'a' },
    },
  );
});

for (const [thrown, failed, message] of [
  ['new Error("a bug of mine")', 'unavailable', 'a bug of mine'],
  ['failure("call_rejected", "no key")', 'call_rejected', 'no key'],
] as const)
  test(`a plugin that throws ${thrown} while it opens ends the call as ${failed}`, async (t) => {
    const folder = await makeFolder(t);
    await writePlugin(folder, 'odd', `export default { open: (_, { failure }) => { throw ${thrown}; } };`);
    const outcome = await ask(await openTestSources(t, { folders: [folder] }), jsonCall({}, { name: 'odd' }));
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.equal(messageOf(outcome), message);
  });

const CANARY = 'canary-word';

for (const [body, is_body_cut, kept] of [
  ['it is canary', false, 'it is canary'],
  ['it is canary', true, 'it is '],
  ['it is canary-word.', true, 'it is [secret:TEST_KEY].'],
  [`${'.'.repeat(32_762)}canary`, false, `${'.'.repeat(32_762)}canary`],
  [`${'.'.repeat(32_763)}canary`, false, '.'.repeat(32_763)],
] as const)
  test(`of a body of ${body.length} bytes, ${is_body_cut ? 'cut' : 'whole'}, ${kept.length} bytes are kept`, async (t) => {
    const folder = await makeFolder(t);
    const facts = `{ body: new TextEncoder().encode(${JSON.stringify(body)}), is_body_cut: ${is_body_cut} }`;
    const entry = `export default { open: (_, { failure }) => ({ async invoke() { ${FAILED(facts)} } }) };`;
    await writePlugin(folder, 'odd', entry, { secret_variables: ['TEST_KEY'] });
    const sources = await openTestSources(t, { folders: [folder], overlay: { TEST_KEY: CANARY } });
    const outcome = await ask(sources, jsonCall({}, { name: 'odd' }));
    assert.equal(Buffer.from(outcome.response_body ?? []).toString(), kept);
  });

for (const [reason, why] of [
  ['the park closes', 'the park closes'],
  [undefined, 'the answer was no longer needed'],
] as const)
  test(`a call that is stopped by ${JSON.stringify(reason)} before its plugin is asked did nothing: ${why}`, async (t) => {
    const folder = await makeFolder(t);
    await writePlugin(folder, 'odd', 'export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };');
    const sources = await openTestSources(t, { folders: [folder] });
    const stop = new AbortController();
    const recorder = makeRecorder({ started: async () => stop.abort(reason) });
    const surroundings = { client_request_id: 'x', correlation_id: 'call-1', signal: stop.signal };
    const command = jsonCall({ call: { effect: 'external_side_effect' } }, { name: 'odd' });
    const outcome = await sources.callSource(command, surroundings, recorder);
    assert.ok(outcome.status === 'failed');
    assert.equal(outcome.failure_message, `${why} while the call was under way`);
    assert.deepEqual([outcome.refused, outcome.outcome_unknown], [false, undefined]);
  });

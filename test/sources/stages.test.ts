import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { CallProgram, PolicyProgram, SchemaProgram } from '../../engine/core/protocol/program.js';
import { compileRules } from '../../engine/core/policy/policy.js';
import type { CallOutcome } from '../../engine/ports/sources.js';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';
import { NO_CONNECTIONS, openBroker } from '../../engine/sources/connections/broker.js';
import { openChildren } from '../../engine/sources/children.js';
import { openOriginFetches } from '../../engine/sources/origin-fetch.js';
import { timerAlarm } from '../../engine/sources/timer-alarm.js';
import { createOpenedSources } from '../../engine/sources/opened-sources.js';
import { callStages } from '../../engine/sources/pipeline.js';
import { first, type Granted, type Permitted } from '../../engine/sources/passage.js';
import { approve, authorise, checkPolicy, connect, grant } from '../../engine/sources/stages/leave.js';
import { resolve } from '../../engine/sources/stages/resolve.js';
import { startDurably } from '../../engine/sources/stages/durable-start.js';
import { redactAnswer } from '../../engine/sources/stages/redact-answer.js';
import { validateInput } from '../../engine/sources/stages/validate-input.js';
import { validateOutput } from '../../engine/sources/stages/validate-output.js';
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

const POLICY: PolicyProgram = {
  hash: 'p',
  rules: compileRules({ allow: ['vend'], require_approval: ['vend'] }),
  approval_deadline_ms: 60_000,
};
const NEVER: SchemaProgram = {
  hash: 's',
  schema: {},
  validate: () => [{ code: 'BAD_VALUE', message: 'nothing is good enough', repair: 'Mend it.', pointer: '/candy' }],
};

const ANYTHING: SchemaProgram = { hash: 'a', schema: {}, validate: () => [] };

test('the stages are these, in this order', () => {
  const clock = { now: () => 0 };
  const lookUp = (): undefined => undefined;
  const [fetches, children] = [openOriginFetches(() => undefined), openChildren(lookUp, timerAlarm)];
  const broker = openBroker(NO_CONNECTIONS, fetches, clock);
  const opened = createOpenedSources({
    broker,
    plugins: [],
    getPlugin: async () => ({ ok: false, because: 'content', problems: [] }),
    lookUp,
    fetches,
    children,
    clock,
    alarm: timerAlarm,
    log: () => {},
  });
  const alarm = () => () => {};
  const stages = callStages({
    plugins: [],
    lookUp,
    opened,
    broker,
    authorise: [],
    clock,
    alarm,
    redact: (value) => value,
  });
  assert.deepEqual(stages.names, [
    'resolve',
    'policy',
    'authorise',
    'approve',
    'grant',
    'connect',
    'validate',
    'start',
    'call',
    'check',
    'redact',
  ]);
});

test('a list of stages that leaves one out or swaps two does not compile', () => {
  const resolved = first('resolve', resolve({ plugins: [], lookUp: () => undefined }));
  const leave = (passage: Permitted) => authorise(passage, []);
  const connected = (passage: Granted) => connect(passage, { open: async () => assert.fail('it is not asked') });
  const permitted = resolved.next('policy', checkPolicy);
  const authorised = permitted.next('authorise', leave);
  const granted = authorised.next('approve', approve).next('grant', grant);
  const whole = granted.next('connect', connected).next('validate', validateInput).next('start', startDurably);
  assert.equal(whole.names.length, 8);
  // @ts-expect-error the policy is left out
  resolved.next('authorise', leave);
  // @ts-expect-error authorisation is left out
  permitted.next('grant', grant);
  // @ts-expect-error approval is left out
  authorised.next('grant', grant);
  // @ts-expect-error approval comes before authorisation
  permitted.next('approve', approve).next('authorise', leave);
  // @ts-expect-error the grant is left out
  authorised.next('approve', approve).next('connect', connected);
  // @ts-expect-error the connection is left out
  granted.next('validate', validateInput);
  // @ts-expect-error the arguments are not validated
  granted.next('connect', connected).next('start', startDurably);
  // @ts-expect-error the answer is redacted before it is checked
  whole.next('redact', (passage) => redactAnswer(passage, (value) => value));
  // @ts-expect-error an answer that nobody has made is checked
  whole.next('check', validateOutput);
  // @ts-expect-error the policy comes after authorisation
  resolved.next('authorise', leave).next('policy', checkPolicy);
});

/** One call that must be refused: nothing may have been recorded as begun, and nothing sent. */
async function checkRefused(
  t: Parameters<typeof serve>[0],
  wanted: Wanted,
  refused: { failed: string; message: RegExp },
  settings = {},
  parts = {},
): Promise<void> {
  let requests = 0;
  const url = await serve(t, (_, response) => {
    requests += 1;
    response.end('{}');
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url }, ...parts });
  const recorder = makeRecorder();
  const outcome = await ask(sources, jsonCall(wanted, settings), recorder);
  assert.deepEqual(summary(outcome), { failed: refused.failed, refused: true });
  assert.match(outcome.status === 'failed' ? outcome.failure_message : '', refused.message);
  assert.deepEqual(recorder.events, []);
  assert.equal(requests, 0);
}

test('a variable that is not set refuses the call and says which', (t) =>
  checkRefused(
    t,
    {},
    { failed: 'unavailable', message: /CHUKWA_TEST_OTHER_URL is not set: set it/ },
    { url_env: 'CHUKWA_TEST_OTHER_URL' },
  ));

test('an interface that is not one refuses the call', (t) =>
  checkRefused(t, {}, { failed: 'unavailable', message: /interface/ }, { path: '/a/../b' }));

test('a plugin that is not loaded refuses the call', (t) =>
  checkRefused(t, {}, { failed: 'unavailable', message: /no plugin named http_json/ }, {}, { folders: [] }));

test('a call that policy does not allow is refused', (t) =>
  checkRefused(
    t,
    { call: { policy_id: 'buy_tank', policy: POLICY } },
    { failed: 'policy_denied', message: /buy_tank/ },
  ));

test('a call that needs leave is refused where there is no policy', (t) =>
  checkRefused(t, { call: { policy_id: 'vend' } }, { failed: 'policy_denied', message: /vend/ }));

test('a call that needs an approval is refused as long as nobody can be asked', (t) =>
  checkRefused(
    t,
    { call: { policy_id: 'vend', policy: POLICY } },
    { failed: 'policy_denied', message: /vend needs a person's approval/ },
  ));

test('a call that the operator does not authorise is refused', (t) => {
  const authorise = async () => ({ allowed: false as const, reason: 'not on Sundays' });
  return checkRefused(t, {}, { failed: 'authz_denied', message: /not on Sundays/ }, {}, { authorise: [authorise] });
});

test('a request that its schema does not allow is refused with the place', (t) =>
  checkRefused(
    t,
    { call: { input: NEVER } },
    { failed: 'schema_invalid', message: /nothing is good enough \(at \/candy\)/ },
  ));

test('a request that does not fit its source is refused, whatever its binding says', (t) =>
  checkRefused(
    t,
    { call: { input: ANYTHING }, takes: NEVER },
    { failed: 'schema_invalid', message: /nothing is good enough \(at \/candy\)/ },
  ));

test('a request beyond its limit is refused', (t) =>
  checkRefused(
    t,
    { request: { note: 'x'.repeat(9_000) } },
    { failed: 'schema_invalid', message: /9011 bytes, and 8192/ },
  ));

test('a request of exactly its limit is made', async (t) => {
  const url = await serve(t, (_, response) => response.end('{}'));
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, jsonCall({ request: { note: 'x'.repeat(8_192 - 11) } }));
  assert.deepEqual(summary(outcome), { succeeded: {} });
});

test('a request that is not I-JSON is refused', (t) =>
  checkRefused(t, { request: { note: 'a\u0000b' } }, { failed: 'schema_invalid', message: /U\+0000/ }));

test('of several reasons to refuse, the earliest stage gives its own', async (t) => {
  const authorise = async () => ({ allowed: false as const, reason: 'no' });
  const everythingWrong = { policy_id: 'buy_tank', policy: POLICY, input: NEVER };
  const refusals = [
    { call: everythingWrong, settings: { url_env: 'CHUKWA_TEST_OTHER_URL' }, failed: 'unavailable' },
    { call: everythingWrong, settings: {}, failed: 'policy_denied' },
    { call: { input: NEVER }, settings: {}, failed: 'authz_denied' },
  ];
  const sources = await openTestSources(t, {
    overlay: { CHUKWA_TEST_URL: 'http://127.0.0.1:9' },
    authorise: [authorise],
  });
  for (const { call, settings, failed } of refusals) {
    assert.deepEqual(summary(await ask(sources, jsonCall({ call }, settings))), { failed, refused: true });
  }
});

test('a turn that was stopped already makes no call', async (t) => {
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: 'http://127.0.0.1:9' } });
  const recorder = makeRecorder();
  const outcome = await sources.callSource(
    jsonCall(),
    { client_request_id: 'x', correlation_id: 'call-1', signal: AbortSignal.abort() },
    recorder,
  );
  assert.deepEqual(summary(outcome), { failed: 'stopped', refused: true });
  assert.deepEqual(recorder.events, []);
});

test('the first byte leaves after the durable start', async (t) => {
  const recorder = makeRecorder({ started: () => new Promise((resolve) => setTimeout(resolve, 20)) });
  const url = await serve(t, (_, response) => {
    recorder.events.push('request');
    response.end('{}');
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  await ask(sources, jsonCall(), recorder);
  assert.deepEqual(recorder.events, ['started', 'request']);
});

test('nothing is sent when the start cannot be recorded', async (t) => {
  let requests = 0;
  const url = await serve(t, (_, response) => {
    requests += 1;
    response.end('{}');
  });
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const recorder = makeRecorder({ started: () => Promise.reject(new Error('overtaken')) });
  await assert.rejects(ask(sources, jsonCall(), recorder), /overtaken/);
  assert.equal(requests, 0);
});

/** Reports its call, its request, and that its call was given up. */
const LOGGING = (names_its_calls: boolean, send: string): string => `export default {
  open: (_, { origin, log }) => ({
    names_its_calls: ${names_its_calls},
    async invoke(request, context) {
      log('asked');
      context.signal.addEventListener('abort', () => log('given up'));
      ${send}
      return { value: {} };
    },
  }),
};`;

/** Makes one call of a plugin, and tells what happened in which order. */
async function recordOrder(
  t: TestContext,
  entry: string,
  parts: {
    /** Ends when the record is durable. `asked` waits until the plugin has been asked. */
    readonly started: (asked: Promise<void>) => Promise<void>;
    readonly wanted?: Parameters<typeof jsonCall>[0];
  },
): Promise<{ readonly events: readonly string[]; readonly outcome: Promise<CallOutcome> }> {
  let resolveAsked = (): void => {};
  const asked = new Promise<void>((resume) => (resolveAsked = resume));
  const recorder = makeRecorder({ started: () => parts.started(asked) });
  const url = await serve(t, (_, response) => {
    recorder.events.push('request');
    response.end('{}');
  });
  const folder = await makeFolder(t);
  await writePlugin(folder, 'telling', entry, { origin: { variables: ['CHUKWA_TEST_URL'] } });
  const log = ({ message }: { readonly message: string }): void => {
    recorder.events.push(message);
    if (message === 'asked') resolveAsked();
  };
  const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: url }, log });
  const outcome = ask(sources, jsonCall(parts.wanted, { name: 'telling' }), recorder).finally(() =>
    recorder.events.push('over'),
  );
  await outcome.catch(() => {});
  return { events: recorder.events, outcome };
}

const SEND = 'await origin.fetch(origin.url, {}, context);';
const inAWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
const BOUND = { timeout: 60_000 };

test('a plugin that names its calls gets ready while the record is written, its request waits', BOUND, async (t) => {
  const { events } = await recordOrder(t, LOGGING(true, SEND), { started: (asked) => asked.then(inAWhile) });
  assert.deepEqual(events.slice(0, 3), ['asked', 'started', 'request']);
});

test('every other plugin is asked when the record is durable', async (t) => {
  const { events } = await recordOrder(t, LOGGING(false, SEND), { started: inAWhile });
  assert.deepEqual(events.slice(0, 3), ['started', 'asked', 'request']);
});

test('no call has a result before its record is durable, even where its plugin needs no service', BOUND, async (t) => {
  const { events } = await recordOrder(t, LOGGING(true, ''), { started: (asked) => asked.then(inAWhile) });
  assert.deepEqual(
    events.filter((event) => event !== 'given up'),
    ['asked', 'started', 'over'],
  );
});

test('a plugin that prepared a call whose record failed is aborted, and sends nothing', BOUND, async (t) => {
  const refused = (asked: Promise<void>): Promise<void> =>
    asked.then(inAWhile).then(() => Promise.reject(new Error('overtaken')));
  const { events, outcome } = await recordOrder(t, LOGGING(true, SEND), { started: refused });
  await assert.rejects(outcome, /overtaken/);
  await inAWhile();
  assert.deepEqual(events.toSorted(), ['asked', 'given up', 'over']);
});

test('the time of a call is counted from its record on', async (t) => {
  const wanted = { deadline_ms: 40 };
  const slowly = async (): Promise<void> => {
    await inAWhile();
    await inAWhile();
  };
  const { outcome } = await recordOrder(t, LOGGING(true, SEND), { started: slowly, wanted });
  assert.deepEqual(summary(await outcome), { succeeded: {} });
});

test('an answer that its schema does not allow fails with the place and keeps the answer', async (t) => {
  const url = await serve(t, (_, response) => response.end('{ "candy": 1 }'));
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, jsonCall({ call: { output: NEVER } }));
  assert.deepEqual(summary(outcome), { failed: 'schema_invalid', refused: false });
  assert.ok(outcome.status === 'failed');
  assert.match(outcome.failure_message, /nothing is good enough \(at \/candy\)/);
  assert.deepEqual(outcome.answer, { candy: 1 });
  assert.equal(outcome.validation_status, 'invalid');
  assert.equal(Buffer.from(outcome.response_body ?? []).toString(), '{ "candy": 1 }');
});

test('a failure message of an answer names no part of it that redaction hides', async (t) => {
  const schema: JsonObject = {
    type: 'object',
    additionalProperties: false,
    required: ['receipt'],
    properties: {
      status: { enum: ['sold'] },
      till: { type: 'number' },
      pin: { const: 7 },
      receipt: {},
      owners: { type: 'object', additionalProperties: { required: ['since'] } },
      stock: { items: { required: ['price'] } },
    },
  };
  const validate = createCompileSchema()('hash', schema);
  assert.ok(validate.ok);
  const body = JSON.stringify({
    status: 'lost',
    till: 'my-till',
    pin: 8,
    ssn: '078-05-1120',
    'aunt mary': 1,
    owners: { 'uncle joe': {} },
    stock: [{ price: 1 }, {}],
  });
  const url = await serve(t, (_, response) => response.end(body));
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const output = { hash: 's', schema, validate: validate.value };
  const outcome = await ask(sources, jsonCall({ call: { output, redaction: ['/status'] } }));
  assert.ok(outcome.status === 'failed');
  assert.match(
    outcome.failure_message,
    /\(at \/status\).*; 4 parts that redaction hides; chukwa invocation \S+ --unredacted/,
  );
  assert.match(outcome.failure_message, /must be a number, not a string \(at \/till\)/);
  assert.match(outcome.failure_message, /the field "receipt" is missing;/);
  assert.match(outcome.failure_message, /the field "price" is missing \(at \/stock\/1\)/);
  assert.doesNotMatch(outcome.failure_message, /my-till|pin|ssn|mary|joe|078/);
  const shown = await ask(sources, jsonCall({ call: { output, redaction: 'all' } }));
  assert.match(shown.status === 'failed' ? shown.failure_message : '', /"ssn" is not a field here/);
});

test('only what the allow-list names is shown, and all of the answer is kept', async (t) => {
  const url = await serve(t, (_, response) => response.end('{"status":"sold","till":[1,2]}'));
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, jsonCall({ call: { redaction: ['/status'] } }));
  assert.ok(outcome.status === 'succeeded');
  assert.deepEqual(outcome.view, { status: 'sold' });
  assert.deepEqual(outcome.answer, { status: 'sold', till: [1, 2] });
  assert.equal(outcome.response_body, undefined, 'a canonical body would only repeat the answer');
});

test('an answer without an allow-list is not shown: the call fails', async (t) => {
  const url = await serve(t, (_, response) => response.end('{"status":"sold"}'));
  const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, jsonCall({ call: { redaction: undefined as never } }));
  assert.deepEqual(summary(outcome), { failed: 'redaction_failed', refused: false });
  assert.equal(outcome.validation_status, 'not_checked');
  assert.deepEqual(outcome.status === 'failed' && outcome.answer, { status: 'sold' });
});

for (const [name, makeCall] of [
  ['http_json', jsonCall],
  ['llm_chat', chatCall],
] as const) {
  test(`the timeout_ms of a source of ${name} is counted from the record of its call on`, async (t) => {
    const url = await serve(t, (_, response) => response.writeHead(418).end());
    const recorder = makeRecorder({ started: inAWhile });
    const variables: Readonly<Record<string, string>> = { CHUKWA_TEST_URL: url, CHUKWA_LLM_BASE_URL: url };
    const sources = await openTestSources(t, { overlay: variables });
    // The first call imports the plugin, and connects.
    await ask(sources, makeCall());
    const outcome = await ask(sources, makeCall({}, { timeout_ms: 25 }), recorder);
    assert.deepEqual(summary(outcome), { failed: 'http_status', refused: false });
  });
}

const MISBEHAVIOURS: readonly {
  readonly name: string;
  readonly invoke: string;
  readonly failed: string;
  readonly message: RegExp;
}[] = [
  {
    name: 'throws what is no source failure',
    invoke: 'throw new Error("a bug of mine")',
    failed: 'transport',
    message: /a bug of mine/,
  },
  { name: 'answers nothing', invoke: 'return undefined', failed: 'transport', message: /answered nothing/ },
  {
    name: 'answers what is not JSON',
    invoke: 'return { value: { when: new Date(0), f() {} } }',
    failed: 'non_json',
    message: /function/,
  },
  {
    name: 'answers too much',
    invoke: 'return { value: "x".repeat(40000) }',
    failed: 'result_too_large',
    message: /32768/,
  },
  {
    name: 'changes its request',
    invoke: 'request.candy = "snickers"; return { value: request }',
    failed: 'transport',
    message: /read only/,
  },
  {
    name: 'buries its failure in a cause',
    invoke: 'throw new Error("outer", { cause: capabilities.failure("http_status", "teapot") })',
    failed: 'http_status',
    message: /^teapot$/,
  },
  {
    name: 'says too much of its failure',
    invoke: 'throw new Error("x".repeat(4001))',
    failed: 'transport',
    message: /^.{4000}\.\.\.$/,
  },
  {
    name: 'answers a value that throws when it is read',
    invoke: 'return { value: { get candy() { throw new Error("a trap") } } }',
    failed: 'transport',
    message: /^what the plugin odd handed over cannot be read: a trap$/,
  },
  {
    name: 'answers a proxy that throws when it is looked at',
    invoke: 'return { value: new Proxy({}, { ownKeys() { throw new Error("a trap") } }) }',
    failed: 'transport',
    message: /cannot be read: a trap$/,
  },
  {
    name: 'answers in a frame that throws when it is read',
    invoke: 'return { value: {}, get facts() { throw new Error("a trap") } }',
    failed: 'transport',
    message: /cannot be read: a trap$/,
  },
  {
    name: 'throws what cannot even be looked at',
    invoke: 'throw new Proxy({}, { get() { throw undefined }, getPrototypeOf() { throw undefined } })',
    failed: 'transport',
    message: /handed over cannot be read: undefined$/,
  },
];

for (const { name, invoke, failed, message } of MISBEHAVIOURS) {
  test(`a plugin that ${name} fails as ${failed}`, async (t) => {
    const folder = await makeFolder(t);
    await writePlugin(
      folder,
      'odd',
      `export default { open: (_, capabilities) => ({ async invoke(request) { ${invoke}; } }) };`,
    );
    const sources = await openTestSources(t, { folders: [folder] });
    const outcome = await ask(sources, jsonCall({}, { name: 'odd' }));
    assert.deepEqual(summary(outcome), { failed, refused: false });
    assert.match(outcome.status === 'failed' ? outcome.failure_message : '', message);
  });
}

test('a plugin that never settles is left behind at the deadline', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'stuck', 'export default { open: () => ({ invoke: () => new Promise(() => {}) }) };');
  const sources = await openTestSources(t, { folders: [folder] });
  const limits = { max_runtime_ms: 30, max_request_bytes: 100, max_result_bytes: 100 };
  for (const [wanted, source, setting] of [
    [{ deadline_ms: 30 }, {}, "what is left of the node's timeout_seconds"],
    [{}, { timeout_ms: 30 }, "which is the source's timeout_ms"],
    [{ deadline_ms: 30 }, { timeout_ms: 30 }, "which is the source's timeout_ms"],
    [
      { call: { limits } },
      { timeout_ms: 90 },
      "the smaller of the policy's max_runtime_ms and the source's timeout_ms",
    ],
  ] as const) {
    const outcome = await ask(sources, jsonCall(wanted, { name: 'stuck', ...source }));
    assert.deepEqual(summary(outcome), { failed: 'timeout', refused: false });
    assert.equal(outcome.status === 'failed' && outcome.failure_message, `no answer within 30 ms, ${setting}`);
  }
});

test('a plugin that never settles is left behind when the turn is stopped', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'stuck', 'export default { open: () => ({ invoke: () => new Promise(() => {}) }) };');
  const sources = await openTestSources(t, { folders: [folder] });
  const stop = new AbortController();
  const recorder = makeRecorder({ started: async () => void setTimeout(() => stop.abort(), 10) });
  const surroundings = { client_request_id: 'x', correlation_id: 'call-1', signal: stop.signal };
  const outcome = await sources.callSource(jsonCall({}, { name: 'stuck' }), surroundings, recorder);
  assert.deepEqual(summary(outcome), { failed: 'stopped', refused: false });
});

test('a plugin sends nothing outside a call', async (t) => {
  let requests = 0;
  const url = await serve(t, (_, response) => {
    requests += 1;
    response.end('{}');
  });
  const folder = await makeFolder(t);
  const eager = `export default { open(_, { origin }) {
    const early = origin.fetch(origin.url).then(() => 'sent', (error) => error.message);
    return { invoke: async () => ({ value: await early }) };
  } };`;
  await writePlugin(folder, 'eager', eager, { origin: { variables: ['CHUKWA_TEST_URL'] } });
  const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: url } });
  const outcome = await ask(sources, jsonCall({}, { name: 'eager' }));
  assert.deepEqual(summary(outcome), { succeeded: 'a source may connect only while it is being asked' });
  assert.equal(requests, 0);
});

for (const [what, init] of [
  ['no signal', '{}'],
  ['a signal of its own', '{ signal: new AbortController().signal }'],
]) {
  test(`a request that a plugin gives ${what} ends with the call's deadline all the same`, async (t) => {
    let closed: () => void = () => {};
    const whenClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const url = await serve(t, (_, response) => response.on('close', closed));
    const folder = await makeFolder(t);
    const deaf = `export default { open: (_, { origin }) => ({ invoke: () => origin.fetch(origin.url, ${init}) }) };`;
    await writePlugin(folder, 'deaf', deaf, { origin: { variables: ['CHUKWA_TEST_URL'] } });
    const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: url } });
    const outcome = await ask(sources, jsonCall({ deadline_ms: 100 }, { name: 'deaf' }));
    assert.deepEqual(summary(outcome), { failed: 'timeout', refused: false });
    await whenClosed;
  });
}

test('sources of one plugin whose variables differ lead to different services', async (t) => {
  const heard: string[] = [];
  const serveAs = (name: string): Promise<string> =>
    serve(t, (_, response) => {
      heard.push(name);
      response.end('{}');
    });
  const overlay = { CHUKWA_ONE_URL: await serveAs('one'), CHUKWA_OTHER_URL: await serveAs('other') };
  const sources = await openTestSources(t, { overlay });
  for (const url_env of ['CHUKWA_ONE_URL', 'CHUKWA_OTHER_URL', 'CHUKWA_ONE_URL'])
    await ask(sources, jsonCall({}, { url_env }));
  assert.deepEqual(heard, ['one', 'other', 'one']);
});

test('a source is opened once for all its calls', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(
    folder,
    'counting',
    'let opened = 0; export default { open() { opened += 1; return { invoke: async () => ({ value: opened }) }; } };',
  );
  const sources = await openTestSources(t, { folders: [folder] });
  const answers: Json[] = [];
  for (const candy of ['mars', 'twix'])
    answers.push(summary(await ask(sources, jsonCall({ request: { candy } }, { name: 'counting' }))));
  assert.deepEqual(answers, [{ succeeded: 1 }, { succeeded: 1 }]);
});

test('a generation needs a plugin of the protocol chat, and a tool one of json', async (t) => {
  const sources = await openTestSources(t, {
    overlay: { CHUKWA_TEST_URL: 'http://127.0.0.1:9', CHUKWA_LLM_BASE_URL: 'http://127.0.0.1:9' },
  });
  const { generation: _, ...tool } = chatCall();
  const { generation } = chatCall();
  assert.ok(generation);
  for (const command of [tool, jsonCall({ generation })]) {
    assert.deepEqual(summary(await ask(sources, command)), { failed: 'unavailable', refused: true });
  }
});

test('a model in the place of all others is asked by generations only', async (t) => {
  const asked: string[] = [];
  const serveAs = (name: string): Promise<string> =>
    serve(t, (_, response) => {
      asked.push(name);
      response.end('{}');
    });
  const [model, other, service] = [await serveAs('model'), await serveAs('other model'), await serveAs('service')];
  const overlay = { CHUKWA_TEST_URL: service, CHUKWA_LLM_BASE_URL: other };
  const sources = await openTestSources(t, { overlay, model_at: { url: model, key: 'loopback-needs-no-key' } });
  await ask(sources, chatCall());
  await ask(sources, jsonCall());
  assert.deepEqual(asked, ['model', 'service']);
});

/** A plugin that talks to nothing that it was handed. */
const acting = (says_when_it_acts: boolean, invoke: string): string => `export default {
  open: (definition, capabilities) => ({
    ${says_when_it_acts ? 'says_when_it_acts: true,' : ''}
    invoke: async (request, context) => { ${invoke} },
  }),
};`;

const BREAKS = 'throw capabilities.failure("transport", "it broke");';

const ENDS: readonly (readonly [name: string, entry: string, call: Partial<CallProgram>, is_unknown: boolean])[] = [
  ['of a source that fails before it acts is known', acting(true, BREAKS), {}, false],
  ['of a source that fails once it has acted is unknown', acting(true, `context.acts(); ${BREAKS}`), {}, true],
  ['of a source that does not say when it acts is unknown', acting(false, BREAKS), {}, true],
  [
    'of a call that its source says has failed is known',
    acting(true, 'context.acts(); throw capabilities.failure("tool_error", "no");'),
    {},
    false,
  ],
  [
    'of a call that a service refused is known',
    acting(true, 'context.acts(); throw capabilities.failure("http_status", "no", { http_status: 503 });'),
    {},
    false,
  ],
  [
    'of a call whose gateway got no answer is unknown',
    acting(true, 'context.acts(); throw capabilities.failure("http_status", "no", { http_status: 504 });'),
    {},
    true,
  ],
  [
    'of a call that was taken, and may not be answered later, is unknown',
    acting(true, 'context.acts(); return { pending: {} };'),
    {},
    true,
  ],
  ['of an answer that is no JSON is unknown', acting(true, 'context.acts(); return { value: undefined };'), {}, true],
  ["of a call that only reads is nobody's concern", acting(false, BREAKS), { effect: 'read_only' }, false],
  ["of a call that may be repeated is nobody's concern", acting(false, BREAKS), { repeatable: true }, false],
];

for (const [name, entry, call, is_unknown] of ENDS)
  test(`the outcome ${name}`, async (t) => {
    const folder = await makeFolder(t);
    await writePlugin(folder, 'acting', entry);
    const sources = await openTestSources(t, { folders: [folder] });
    const command = jsonCall({ call: { effect: 'external_side_effect', ...call } }, { name: 'acting' });
    const outcome = await ask(sources, command);
    assert.equal(outcome.status === 'failed' && outcome.outcome_unknown === true, is_unknown, JSON.stringify(outcome));
  });

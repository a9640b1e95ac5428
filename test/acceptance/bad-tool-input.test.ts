import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { readText, startLoopbackServer } from '../../fixtures/toys/loopback-server.js';
import { type Edit, editWorkflows, type Play, sharedStage } from '../support/park-stage.js';
import { nativeCall, spoken, startRawModel } from '../support/raw-model.js';
import { finalPatch, setState } from '../support/turn-player.js';
import { callAt, onlyAttempt } from './readings.js';

// What a model writes as the arguments of a tool, and what a service answers, to the byte: through the whole engine.

const model = await startRawModel();
let reply = '{}';
const received: string[] = [];
const service = await startLoopbackServer((request, response) => {
  void answer(request, response);
});
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received.push(await readText(request));
  response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
}
after(() => Promise.all([model.close(), service.close()]));
const open = sharedStage('PostgreSQL', () => ({
  CHUKWA_LLM_BASE_URL: model.url,
  CHUKWA_TOY_VENDING_URL: service.url,
}));

const FIRST = 'bob/act/round-1/try-1';
const SECOND = 'bob/act/round-1/try-2';
const THEN = 'bob/act/round-2/try-1';
const GOOD = [spoken(JSON.stringify(finalPatch([setState('bob', 'eats')], 'Bob eats.')))];
const MODES = ['native', 'json_control'] as const;
type Mode = (typeof MODES)[number];

const callBy =
  (tool_calling: Mode): Edit =>
  (document) => ({ ...document, interface: { ...(document['interface'] as JsonObject), tool_calling } });

/** Arguments and results may be anything beside the button and the status. */
const openSchema = (member: string, values: readonly string[]) => (): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: [member],
  properties: { [member]: { enum: values } },
});

/** What a model says to call the tool. @param written its arguments, as it writes them */
function call(mode: Mode, written: string): string {
  if (mode === 'native') return nativeCall('call_q', 'buy_candy', written);
  return spoken(`{"kind":"tool_call","tool_call":{"name":"buy_candy","arguments":${written}}}`);
}

/** The documents by the way of calling and the effect of the tool, each written once. */
const written = new Map<string, Promise<string>>();

function documentsOf(mode: Mode, effect: string): Promise<string> {
  const key = `${mode} ${effect}`;
  const folder = written.get(key) ?? writeDocuments(mode, effect);
  written.set(key, folder);
  return folder;
}

function writeDocuments(mode: Mode, effect: string): Promise<string> {
  return editWorkflows(
    { after },
    {
      'sources/chat.json': callBy(mode),
      'schemas/buy-candy-arguments.json': openSchema('button', ['A', 'B', 'C']),
      'schemas/buy-candy-result.json': openSchema('status', ['dispensed']),
      'tools/workflow.json': (workflow) =>
        JSON.parse(
          JSON.stringify(workflow).replace(
            '"effect":"state_change","redaction":{"allow":["/status","/remaining","/message"]}',
            `"effect":"${effect}","redaction":{"allow":"all"}`,
          ),
        ) as JsonObject,
    },
  );
}

async function play(mode: Mode, says: Parameters<typeof model.say>[0], effect: string): Promise<Play> {
  const { play: playScene } = await open();
  received.length = 0;
  model.say(says);
  const workflows = await documentsOf(mode, effect);
  return playScene({ scenario: 'tools', workflows, says: { version: 1, label: 'raw', turns: {} } });
}

const deep = (levels: number): string => `{"button":"C","note":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const noting = (note: string): string => `{"button":"C","note":${note}}`;

/** Arguments that no tool is called with, and what is said of them where the whole answer is JSON. */
const REFUSED: readonly (readonly [what: string, written: string, says: RegExp])[] = [
  ['a hundred levels', deep(100), /nested deeper than 64 levels/],
  ['a NUL, escaped', noting('"\\u0000"'), /U\+0000/],
  ['a NUL', noting('"\0"'), /not one JSON object/],
  ['a lone surrogate, escaped', noting('"\\ud800"'), /a lone surrogate/],
  ['a lone surrogate', noting('"\ud800"'), /a lone surrogate/],
  ['a lone surrogate behind a backslash', noting('"\\\ud800"'), /not one JSON object/],
  ['a number beyond doubles', noting('1e400'), /a number that no double holds/],
  ['a whole number that no double holds', noting('12345678901234567890'), /a number that no double holds/],
  ['a name twice', '{"button":"A","button":"C"}', /names a member of one object twice/],
  ['no object', '["C"]', /must be an object, not a list/],
];

/** Arguments that are read, and refused in the same words however they came. */
const UNFIT: readonly (readonly [what: string, written: string, says: RegExp])[] = [
  ['more than eight kilobytes', noting(`"${'x'.repeat(9_000)}"`), /have 9024 bytes, and 8192 are allowed/],
  ['what is required in __proto__ alone', '{"__proto__":{"button":"C"}}', /the field "button" is missing/],
  ['what is required in constructor alone', '{"constructor":{"button":"C"}}', /the field "button" is missing/],
];

function assertNothingHappened({ report: { turns } }: Play): void {
  assert.deepEqual(received, []);
  assert.ok((turns[0]?.invocations ?? []).every(({ invocation_kind }) => invocation_kind === 'llm_generation'));
  assert.ok(!('button' in {}));
}

for (const mode of MODES) {
  for (const [what, written, says] of [...REFUSED, ...UNFIT])
    test(`${mode}: arguments with ${what} call nothing, the record says why, and the model tries again`, async () => {
      const played = await play(mode, { [FIRST]: [call(mode, written)], [SECOND]: GOOD }, 'state_change');
      const attempt = onlyAttempt(played);
      const { failure_class, failure_message } = callAt(attempt, FIRST);
      assert.deepEqual([attempt.status, failure_class], ['committed', 'model_content']);
      const isRead = mode === 'json_control' || UNFIT.some(([name]) => name === what);
      assert.match(failure_message ?? '', isRead ? says : /^Invalid tool arguments JSON$/);
      assertNothingHappened(played);
    });

  for (const [what, written, failed] of [
    ['ten megabytes', noting(`"${'x'.repeat(10_000_000)}"`), 'result_too_large'],
    ['a hundred thousand levels', deep(100_000), 'model_content'],
  ] as const)
    test(`${mode}: arguments with ${what} call nothing, whatever becomes of the attempt`, async () => {
      const played = await play(mode, { [FIRST]: [call(mode, written)], [SECOND]: GOOD }, 'state_change');
      assert.equal(callAt(onlyAttempt(played), FIRST).failure_class, failed);
      assertNothingHappened(played);
    });

  test(`${mode}: names that mean something to JavaScript are data, from the model to the service and back`, async () => {
    const odd = '"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}';
    reply = `{"status":"dispensed",${odd}}`;
    const says = { [FIRST]: [call(mode, `{"button":"C",${odd}}`)], [THEN]: GOOD };
    const played = await play(mode, says, 'state_change');
    const { status, response_json } = callAt(onlyAttempt(played), `${FIRST}/tool`);
    assert.equal(status, 'succeeded');
    assert.deepEqual(received, [
      `{"__proto__":{"admin":true},"button":"C","constructor":{"prototype":{"admin":true}}}`,
    ]);
    assert.equal(JSON.stringify(response_json), `{${odd},"status":"dispensed"}`);
    assert.ok(!('admin' in {}));
  });
}

/** What a service answers, how a call that only reads fails for it, and what one with a side effect makes of it. */
const RESULTS: readonly (readonly [what: string, body: string, strict: string, lenient: string])[] = [
  ['ten megabytes', `"${'x'.repeat(10_000_000)}"`, 'result_too_large', 'result_too_large'],
  ['a hundred levels', `${'['.repeat(100)}${']'.repeat(100)}`, 'non_json', 'non_json'],
  ['ten thousand levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'non_json', 'non_json'],
  ['a NUL', '"\\u0000"', 'non_json', '"\uFFFD"'],
  ['a lone surrogate', '"\\ud800"', 'non_json', '"\uFFFD"'],
  ['a number beyond doubles', '1e400', 'non_json', '"1e400"'],
  ['a whole number that no double holds', '12345678901234567890', 'non_json', '"12345678901234567890"'],
  ['a name twice', '1,"note":2', 'non_json', '2'],
];

for (const [effect, place] of [
  ['read_only', 2],
  ['state_change', 3],
] as const)
  for (const [what, note, ...ends] of RESULTS)
    test(`${effect}: a result with ${what} ends as the record says, after one call`, async () => {
      reply = `{"status":"dispensed","note":${note}}`;
      const says = { [FIRST]: [call('native', '{"button":"C"}')], [THEN]: GOOD };
      const attempt = onlyAttempt(await play('native', says, effect));
      const { failure_class, response_json } = callAt(attempt, `${FIRST}/tool`);
      const { note: kept = null } = Object(response_json) as JsonObject;
      assert.equal(failure_class ?? JSON.stringify(kept), ends[place - 2]);
      assert.equal(attempt.status, failure_class === null ? 'committed' : 'failed');
      assert.equal(received.length, 1);
    });

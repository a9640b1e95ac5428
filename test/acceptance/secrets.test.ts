import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { compose } from '../../engine/main.js';
import { type LoopbackServer, readText, startLoopbackServer } from '../../fixtures/toys/loopback-server.js';
import { startOtlpReceiver } from '../support/otlp-receiver.js';
import { editWorkflows, must, openParkStage, type ParkStage, type Play } from '../support/park-stage.js';
import { finalPatch, setState } from '../support/turn-player.js';
import { makeFolder } from '../support/folder.js';

const KEY = 'sk-canary-5b1f0c9e7d';
const USER = 'canary-user-81c2';
const PASSWORD = 'canary-password-3e77';
const CREDENTIAL = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
const CANARIES = [KEY, USER, PASSWORD, CREDENTIAL, Buffer.from(KEY).toString('base64')];

const KEY_LABEL = '[secret:CHUKWA_LLM_API_KEY]';
const URL_LABEL = '[secret:CHUKWA_TOY_WEATHER_URL]';

type Hostile = (request: IncomingMessage, response: ServerResponse) => void;

interface Betrayal {
  readonly what: string;
  readonly weather?: Hostile;
  readonly model?: Hostile;
  readonly status: 'committed' | 'failed';
  /** Stands in the record where the secret stood: the hostile answer did arrive. */
  readonly label: string;
}

/** All that a service can give away: the request's credentials, in headers that are kept and in others. */
function headersOf(request: IncomingMessage, type: string): Record<string, string> {
  const said = String(request.headers.authorization);
  return { 'content-type': type, 'x-request-id': said, 'openai-model': said, server: said, 'set-cookie': `a=${said}` };
}

const sunny: Hostile = (request, response) => {
  const weather = { temperature_f: 72, condition: 'sunny', message: 'Warm.' };
  response.writeHead(200, headersOf(request, 'application/json')).end(JSON.stringify(weather));
};

const betraysWeather: Hostile = (request, response) => {
  const message = `${USER} and ${PASSWORD} sent ${request.headers.authorization}`;
  const weather = { temperature_f: 72, condition: PASSWORD, message };
  response.writeHead(200, headersOf(request, 'application/json')).end(JSON.stringify(weather));
};

const fails =
  (status: number, body: (said: string) => unknown): Hostile =>
  (request, response) => {
    const said = String(request.headers.authorization);
    const whole = said.startsWith('Basic') ? `${said} ${USER} ${PASSWORD}` : said;
    response.writeHead(status, headersOf(request, 'application/json')).end(JSON.stringify(body(whole)));
  };

/** Speaks in pieces so small that a secret stands in several of them. */
const speaks =
  (...answers: readonly ((said: string) => object)[]): Hostile =>
  (request, response) => {
    const [round] = /\d$/.exec(String(request.headers['x-client-request-id'])) ?? ['1'];
    const say = answers[Number(round) - 1];
    assert.ok(say);
    response.writeHead(200, headersOf(request, 'text/event-stream'));
    for (const event of toEvents(say(String(request.headers.authorization)))) {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  };

function toEvents(said: object): readonly object[] {
  if ('error' in said) return [said];
  const [field, text] = Object.entries(said)[0] as [string, string];
  const pieces = text.match(/[^]{1,7}/g) ?? [];
  const event = (delta: object, finish_reason: string | null): object => ({
    id: KEY,
    model: KEY,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [...pieces.map((piece) => event({ [field]: piece }, null)), event({}, 'stop')];
}

const patchOf = (said: string): object => ({
  content: JSON.stringify(finalPatch([setState('bob', `knows ${said}`)], `Bob whispers ${said}.`)),
});
const content = (said: string): object => ({ content: said });
const decent = speaks(() => patchOf('nothing'));

const BETRAYALS: readonly Betrayal[] = [
  { what: 'a service in a good answer', weather: betraysWeather, status: 'committed', label: URL_LABEL },
  {
    what: 'a service in an error',
    weather: fails(500, (said) => ({ error: { message: said, [PASSWORD]: said } })),
    status: 'failed',
    label: URL_LABEL,
  },
  {
    what: 'a service in JSON of the wrong shape',
    weather: fails(200, (said) => ({ [PASSWORD]: { [CREDENTIAL]: said } })),
    status: 'failed',
    label: URL_LABEL,
  },
  {
    what: 'a service in a page',
    weather: (request, response) => void response.writeHead(200).end(`<p>${request.headers.authorization}</p>`),
    status: 'failed',
    label: URL_LABEL,
  },
  { what: 'a model in a patch that is committed', model: speaks(patchOf), status: 'committed', label: KEY_LABEL },
  {
    what: 'a model in an answer that is rejected',
    model: speaks(content, patchOf),
    status: 'committed',
    label: KEY_LABEL,
  },
  {
    what: 'a model in the name of a tool that there is not',
    model: speaks(
      (said) => ({ content: JSON.stringify({ kind: 'tool_call', tool_call: { name: said, arguments: {} } }) }),
      patchOf,
    ),
    status: 'committed',
    label: KEY_LABEL,
  },
  {
    what: 'a model in an id that there is not',
    model: speaks((said) => ({ content: JSON.stringify(finalPatch([setState(said, said)])) }), patchOf),
    status: 'committed',
    label: KEY_LABEL,
  },
  { what: 'a model in a refusal', model: speaks((said) => ({ refusal: said })), status: 'failed', label: KEY_LABEL },
  {
    what: 'an endpoint that knows no such key',
    model: fails(401, (said) => ({ error: { message: `Incorrect API key provided: ${said}`, code: 'invalid' } })),
    status: 'failed',
    label: KEY_LABEL,
  },
  {
    what: 'an endpoint in an error inside the stream',
    model: speaks((said) => ({ error: { message: `Incorrect API key: ${said}` } })),
    status: 'failed',
    label: KEY_LABEL,
  },
  {
    what: 'an endpoint in a page where a stream should be',
    model: (request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${request.headers.authorization}</p>`),
    status: 'failed',
    label: KEY_LABEL,
  },
];

describe('secrets that services and models send back are stored nowhere', () => {
  let hostile: LoopbackServer;
  let stage: ParkStage;
  let betrayal: Betrayal | undefined;
  const received: string[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    received.push(JSON.stringify(request.headers), await readText(request));
    const [asked, otherwise] = request.url === '/weather' ? [betrayal?.weather, sunny] : [betrayal?.model, decent];
    (asked ?? otherwise)(request, response);
  };

  before(async () => {
    hostile = await startLoopbackServer((request, response) => {
      void answer(request, response);
    });
    stage = await openParkStage('PostgreSQL', () => ({
      CHUKWA_TOY_WEATHER_URL: hostile.url.replace('//', `//${USER}:${PASSWORD}@`),
      CHUKWA_LLM_BASE_URL: `${hostile.url}/v1`,
      // As a file that ends in a line break gives it: what is sent and what is redacted are one.
      CHUKWA_LLM_API_KEY: `${KEY}\n`,
    }));
  });

  after(async () => {
    await stage.close();
    await hostile.close();
  });

  for (const next of BETRAYALS) {
    test(`${next.what}: no row, no report and no later request holds them`, async () => {
      betrayal = next;
      received.length = 0;
      const play = await stage.play({ scenario: 'ambient-weather' });
      assert.equal(play.attempts[0]?.status, next.status);
      assert.ok(received.join('\n').includes(CREDENTIAL), 'the credentials were never sent');
      const rows = await dump(stage);
      const left = rows.filter((row) => row.includes(play.world_slug) && row.includes(next.label));
      assert.ok(left.length > 0, 'the hostile answer left no trace');
      assertFree(rows.join('\n'), 'a table');
      assertFree(await collectTexts(stage, play), 'a report');
      assertFree(received.filter((text) => !text.includes('"authorization"')).join('\n'), 'the body of a request');
    });
  }
});

test('secrets of telemetry, kept tokens, and the key of a source that is asked later, are in no record', async (context) => {
  const home = await makeFolder(context);
  const receiver = await startOtlpReceiver();
  context.after(() => receiver.close());
  const of = { CHUKWA_DATA_DIR: join(home, 'data'), HOME: home, XDG_CONFIG_HOME: home };
  const { token, operator_token } = must(await (await compose(of)).loadTokens());
  const header = 'otlp-canary-0a1b2c3d4e5f';
  const known = [KEY, header, token, operator_token];
  const weather = await startLoopbackServer((_request, response) => {
    const said = { temperature_f: 72, condition: 'sunny', message: known.join(' ') };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  context.after(() => weather.close());
  const stage = await openParkStage('PostgreSQL', () => ({
    ...of,
    CHUKWA_TOY_WEATHER_URL: weather.url,
    CHUKWA_LATER_KEY: KEY,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: ` authorization = Bearer%20${header}\n, x-team = a b\n`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-kind=spans',
  }));
  const workflows = await editWorkflows(context, {
    'sources/chat.json': (source) => ({
      ...source,
      interface: { ...(source['interface'] as JsonObject), api_key_env: 'CHUKWA_LATER_KEY' },
    }),
  });
  const play = await stage.play({ scenario: 'ambient-weather', workflows });
  const [attempt] = play.attempts;
  assert.equal(attempt?.status, 'committed');
  const first = await stage.invocation(attempt.invocations[0]?.source_invocation_id ?? '');
  await stage.close();
  const labels = ['CHUKWA_LATER_KEY', 'OTEL_EXPORTER_OTLP_HEADERS', 'CHUKWA_TOKEN', 'CHUKWA_OPERATOR_TOKEN'];
  const message = labels.map((name) => `[secret:${name}]`).join(' ');
  assert.ok(JSON.stringify(first).includes(message), JSON.stringify(first));
  for (const secret of known) assert.ok(!JSON.stringify(first).includes(secret), secret);
  const sent = receiver.headers.map((headers) => [headers['authorization'], headers['x-team'], headers['x-kind']]);
  assert.ok(sent.length >= 2);
  for (const kind of ['spans', undefined])
    assert.deepEqual(
      sent.find(([, , of]) => of === kind),
      [`Bearer ${header}`, 'a b', kind],
    );
});

function assertFree(text: string, where: string): void {
  for (const canary of CANARIES) {
    for (const spelling of [canary, encodeURIComponent(canary), Buffer.from(canary).toString('hex')]) {
      const at = text.indexOf(spelling);
      assert.ok(at < 0, `${where} holds ${canary}: ${text.slice(Math.max(0, at - 200), at + 100)}`);
    }
  }
}

/** Every row of every table as text; bytes as hexadecimal digits, and once more as what they spell. */
async function dump({ outside }: ParkStage): Promise<readonly string[]> {
  assert.ok(outside);
  const tables = await outside.query<{ readonly name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  assert.ok(tables.length > 25, `${tables.length} tables`);
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await outside.query<{ readonly row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} t`);
    rows.push(...found.map(({ row }) => `${row}\n${spellHexadecimal(row)}`));
  }
  return rows;
}

function spellHexadecimal(row: string): string {
  return [...row.matchAll(/\\\\x([0-9a-f]+)/g)]
    .map(([, digits = '']) => Buffer.from(digits, 'hex').toString())
    .join('\n');
}

/** All texts for people and programs about a play. */
async function collectTexts(stage: ParkStage, play: Play): Promise<string> {
  const calls = play.attempts.flatMap(({ invocations }) => invocations);
  const invocations = await Promise.all(calls.map((call) => stage.invocation(call.source_invocation_id)));
  const generations = await Promise.all(
    calls.flatMap(({ llm_call_id }) => (llm_call_id === null ? [] : [stage.llmCall(llm_call_id)])),
  );
  const said = generations.flatMap(({ chunks }) => chunks.map(({ text }) => text)).join('');
  return `${said}\n${JSON.stringify([play, invocations, generations], spellBytes)}`;
}

function spellBytes(_name: string, value: unknown): unknown {
  const bytes = value as { readonly type?: string; readonly data?: readonly number[] } | null;
  return bytes?.type === 'Buffer' && bytes.data ? Buffer.from(bytes.data).toString('latin1') : value;
}

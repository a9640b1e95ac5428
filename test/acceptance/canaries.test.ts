import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { createSecretReplacer } from '../../engine/sources/secrets.js';
import { DIALECTS } from '../../fixtures/dialects/index.js';
import { NATIVE_STREAMS } from '../../fixtures/dialects/native-streams.js';
import { type LoopbackServer, readText, startLoopbackServer } from '../../fixtures/toys/loopback-server.js';
import { commandOfScript } from '../plugins/mcp-servers.js';
import { writePlugin } from '../sources/harness.js';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.js';
import { pathsOfPages } from '../support/page-paths.js';
import { editWorkflows, openParkStage, type ParkStage, type Play } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';
import { finalPatch, setState } from '../support/turn-player.js';
import { runHere, startChukwa } from './command.js';
import { makeFolder } from '../support/folder.js';

const KINDS = ['header', 'bearer', 'basic', 'query', 'client_credentials'] as const;
type Kind = (typeof KINDS)[number];

const secretOf = (kind: Kind): string => `canary/4f0e+77a1=${kind}~x9`;
const TOKEN = 'canary-token-5b1f0c9e7d.aa';
const API_KEY = 'sk-canary-0a1b2c3d4e5f';
const PROGRAM_KEY = 'canary-program-81c2f7';
const BASIC = Buffer.from(`clerk:${secretOf('basic')}`).toString('base64');
const CANARIES = [...KINDS.map(secretOf), TOKEN, API_KEY, PROGRAM_KEY, BASIC];

/** A text as it is, escaped, in hexadecimal, and in base64 with others before and behind it. */
function spellingsOf(
  text: string,
  inBase64 = (whole: Buffer, _from: number): readonly string[] => [
    Buffer.concat([whole, Buffer.from('ok')]).toString('base64'),
    Buffer.concat([whole, Buffer.from('ok')]).toString('base64url'),
  ],
): readonly string[] {
  const bytes = Buffer.from(text);
  const escaped = (write: (code: string) => string): string =>
    [...bytes].map((byte) => write(byte.toString(16).padStart(2, '0'))).join('');
  const encoded = [0, 1, 2].flatMap((offset) => inBase64(Buffer.from(' '.repeat(offset) + text), offset));
  return [
    text,
    encodeURIComponent(text),
    escaped((code) => `%${code}`),
    escaped((code) => `\\u00${code}`),
    escaped((code) => `&#x${code};`),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...encoded,
  ];
}

/** The part of base64 that depends on the text alone. */
function coreOf(whole: Buffer, offset: number): readonly string[] {
  const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6)];
  return [whole.toString('base64').slice(from, to), whole.toString('base64url').slice(from, to)];
}

const SPELLINGS = CANARIES.flatMap((canary) =>
  spellingsOf(canary, coreOf).map((spelling) => [canary, spelling] as const),
);

function assertFree(text: string, where: string): void {
  for (const [canary, spelling] of SPELLINGS) {
    const at = text.indexOf(spelling);
    assert.ok(at < 0, `${where} holds ${canary} as ${spelling}: ${text.slice(Math.max(0, at - 200), at + 100)}`);
  }
}

/** All that a server of this kind of connection knows, in each spelling. */
const betrayed = (kind: Kind): string =>
  [secretOf(kind), ...(kind === 'basic' ? [BASIC] : []), ...(kind === 'client_credentials' ? [TOKEN] : [])]
    .flatMap((secret) => spellingsOf(secret))
    .join(' | ');

type Hostile = (kind: Kind, response: ServerResponse) => void;

const headersOf = (kind: Kind): Record<string, string> => ({
  'x-request-id': secretOf(kind),
  'openai-model': encodeURIComponent(secretOf(kind)),
  'set-cookie': `a=${secretOf(kind)}`,
  'content-type': 'application/json',
});

const saysJson =
  (status: number, toBody: (text: string) => object): Hostile =>
  (kind, response) =>
    void response.writeHead(status, headersOf(kind)).end(JSON.stringify(toBody(betrayed(kind))));

const goodReading = saysJson(200, (message) => ({ temperature_f: 72, condition: 'sunny', message }));

/** A stream of pieces of one to seven characters, so that each spelling is cut anywhere. */
const streams =
  (field: 'content' | 'reasoning_content', text: (said: string) => string, end: 'whole' | 'cut' = 'whole'): Hostile =>
  (kind, response) => {
    response.writeHead(200, { ...headersOf(kind), 'content-type': 'text/event-stream' });
    const write = (delta: object, finish_reason: string | null): void => {
      const choice = { index: 0, delta, finish_reason };
      response.write(`data: ${JSON.stringify({ id: secretOf(kind), model: secretOf(kind), choices: [choice] })}\n\n`);
    };
    let rest = text(betrayed(kind));
    for (let size = 1; rest !== ''; size = (size % 7) + 1) {
      write({ [field]: rest.slice(0, size) }, null);
      rest = rest.slice(size);
    }
    if (field === 'reasoning_content') write({ content: patchOf('nothing') }, null);
    if (end === 'cut') return void response.destroy();
    write({}, 'stop');
    response.end('data: [DONE]\n\n');
  };

const patchOf = (said: string): string =>
  JSON.stringify(finalPatch([setState('bob', `knows ${said}`)], `Bob whispers ${said}.`));
const goodModel = streams('content', patchOf);

interface Betrayal {
  readonly what: string;
  readonly reading?: Hostile;
  readonly model?: Hostile;
  readonly status: 'committed' | 'failed';
}

const BETRAYALS: readonly Betrayal[] = [
  { what: 'a good answer', status: 'committed' },
  { what: 'reasoning', model: streams('reasoning_content', (said) => said), status: 'committed' },
  { what: 'an error', reading: saysJson(500, (message) => ({ error: { message, [message]: 1 } })), status: 'failed' },
  { what: 'a refusal of the key', reading: saysJson(401, (message) => ({ message })), status: 'failed' },
  { what: 'JSON of another shape', reading: saysJson(200, (said) => ({ [said]: [said] })), status: 'failed' },
  {
    what: 'a redirect',
    reading: (kind, response) =>
      void response.writeHead(307, { ...headersOf(kind), location: `/${encodeURIComponent(secretOf(kind))}` }).end(),
    status: 'failed',
  },
  {
    what: 'an answer that breaks off',
    reading: (kind, response) => {
      response.writeHead(200, { ...headersOf(kind), 'content-length': '100000' });
      response.write(`{"message": "${betrayed(kind)}`, () => response.destroy());
    },
    status: 'failed',
  },
  { what: "a provider's error", model: saysJson(400, (message) => ({ error: { message } })), status: 'failed' },
  { what: 'a stream that breaks off', model: streams('content', patchOf, 'cut'), status: 'failed' },
  {
    what: 'a page in the place of a stream',
    model: (kind, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(betrayed(kind)),
    status: 'failed',
  },
];

/** A program that answers with its environment, and with the command lines of itself and of the engine. */
const CURIOUS = `
  const { readFileSync } = require('node:fs');
  const lineOf = (pid) => readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0');
  const about = { environment: process.env, own: lineOf('self'), engine: lineOf(process.ppid) };
  console.error('my environment is ' + JSON.stringify(process.env));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const results = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'c', version: '1' } },
      'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [], structuredContent: { temperature_f: 1, condition: 'sunny', message: JSON.stringify(about) } },
    };
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }) + '\\n');
  }).on('close', () => process.exit());
`;

describe('canary secrets of connections, keys and programs', { timeout: 600_000 }, () => {
  let hostile: LoopbackServer;
  let receiver: OtlpReceiver;
  let stage: ParkStage;
  let folder: string;
  let betrayal: Betrayal | undefined;
  const received: string[] = [];
  const sent = new Set<string>();
  const plays: Play[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  const context = { after: (close: () => Promise<void>) => void closing.push(close) };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', hostile.url);
    const body = await readText(request);
    if (pathname === '/token')
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify({ access_token: TOKEN, token_type: 'bearer', expires_in: 3600, canary: secretOf('bearer') }),
        );
    received.push(body);
    sent.add(String(request.headers['x-key'] ?? searchParams.get('key') ?? request.headers.authorization));
    const [, kind] = /^\/(\w+)\//.exec(pathname) ?? [];
    const own = (kind ?? 'bearer') as Kind;
    if (pathname.endsWith('/weather')) (betrayal?.reading ?? goodReading)(own, response);
    else (betrayal?.model ?? goodModel)(own, response);
  };

  /** The documents of a scenario whose reading and whose model have this connection. */
  const documentsFor = (kind: Kind, interface_of_reading?: JsonObject): Promise<string> =>
    editWorkflows(context, {
      'sources/park-weather.json': (source) => ({
        ...source,
        interface: interface_of_reading ?? {
          name: 'http_json',
          method: 'POST',
          url_env: 'CHUKWA_CANARY_URL',
          path: `/${kind}/weather`,
        },
      }),
      'sources/chat.json': (source) => ({
        ...source,
        interface: {
          name: 'llm_chat',
          model: kind,
          base_url_env: `CHUKWA_${kind.toUpperCase()}_URL`,
          schema_delivery: 'response_format',
          tool_calling: 'json_control',
        },
      }),
      'ambient-weather/workflow.json': (workflow) => ({
        ...workflow,
        ambient_sources: (workflow['ambient_sources'] as readonly JsonObject[]).map((source) =>
          interface_of_reading === undefined ? { ...source, connection: kind } : source,
        ),
        nodes: (workflow['nodes'] as readonly JsonObject[]).map((node) => ({ ...node, connection: kind })),
      }),
    });

  before(async () => {
    hostile = await startLoopbackServer((request, response) => void answer(request, response));
    receiver = await startOtlpReceiver();
    folder = await makeFolder(context);
    const origin = hostile.url;
    const connections: Readonly<Record<Kind, JsonObject>> = {
      header: { kind: 'header', origin, name: 'X-Key', secret: secretOf('header') },
      bearer: { kind: 'bearer', origin, secret: secretOf('bearer') },
      basic: { kind: 'basic', origin, user: 'clerk', secret: secretOf('basic') },
      query: { kind: 'query', origin, name: 'key', secret: secretOf('query') },
      client_credentials: {
        kind: 'client_credentials',
        origin,
        token_url: `${origin}/token`,
        client_id: 'clerk',
        secret: secretOf('client_credentials'),
      },
    };
    const set = KINDS.flatMap((kind) => [
      [`CHUKWA_CONNECTION_${kind.toUpperCase()}`, JSON.stringify(connections[kind])],
      [`CHUKWA_${kind.toUpperCase()}_URL`, `${origin}/${kind}/v1`],
    ]);
    await writePlugin(
      join(folder, 'plugins'),
      'crashing',
      CRASHING,
      {
        origin: { interface_field: 'url_env' },
        timeout: { interface_field: 'timeout_ms' },
      },
      ['url_env', 'timeout_ms'],
    );
    stage = await openParkStage('PostgreSQL', () => ({
      ...(Object.fromEntries(set) as Record<string, string>),
      CHUKWA_CANARY_URL: origin,
      CHUKWA_LLM_API_KEY: API_KEY,
      CHUKWA_PLUGIN_PATH: join(folder, 'plugins'),
      CHUKWA_SIGNING_KEY: join(folder, 'signing-key.pem'),
      CHUKWA_MCP_CURIOUS: JSON.stringify([
        '/usr/bin/env',
        `API_KEY=${PROGRAM_KEY}`,
        ...(JSON.parse(commandOfScript(CURIOUS)) as string[]),
      ]),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    }));
  });

  after(async () => {
    await Promise.all([hostile.close(), receiver.close()]);
    for (const close of closing) await close();
  });

  // Each way to betray a secret once, and each kind in a good answer.
  const cases = [
    ...KINDS.map((kind) => ({ kind, next: BETRAYALS[0] as Betrayal })),
    ...BETRAYALS.slice(1).map((next, index) => ({ kind: KINDS[index % KINDS.length] as Kind, next })),
  ];
  for (const { kind, next } of cases)
    test(`${kind}: ${next.what} leaves nothing in prompts and requests, and ends ${next.status}`, async () => {
      betrayal = next;
      received.length = 0;
      const play = await stage.play({
        scenario: 'ambient-weather',
        workflows: await documentsFor(kind),
        turns: next.status === 'committed' ? 2 : 1,
      });
      plays.push(play);
      assert.equal(play.attempts.at(-1)?.status, next.status, JSON.stringify(play.report));
      assertFree(received.join('\n'), 'a request');
    });

  test('a program that a command starts sees no secret but its own, and neither does the list of processes', async () => {
    betrayal = undefined;
    const workflows = await documentsFor('bearer', {
      name: 'mcp_tool',
      server_env: 'CHUKWA_MCP_CURIOUS',
      tool_name: 'look',
    });
    const play = await stage.play({ scenario: 'ambient-weather', workflows });
    plays.push(play);
    const [call] = play.attempts[0]?.invocations ?? [];
    const record = JSON.stringify(await stage.invocation(call?.source_invocation_id ?? ''));
    assert.match(record, /\[secret:CHUKWA_MCP_CURIOUS\]/);
    for (const text of ['CHUKWA_CONNECTION', 'CHUKWA_LLM_API_KEY']) assert.ok(!record.includes(text), record);
    assertFree(record, 'what the program saw');
  });

  test('each secret was sent to its service, and stands replaced in the record', async () => {
    const bearing = (value: string): string => `Bearer ${value}`;
    const expected = [
      secretOf('header'),
      secretOf('query'),
      bearing(secretOf('bearer')),
      bearing(TOKEN),
      `Basic ${BASIC}`,
    ];
    assert.deepEqual([...sent].toSorted(), expected.toSorted());
    const rows = (await dump(stage)).join('\n');
    for (const kind of KINDS) assert.ok(rows.includes(`[secret:connection:${kind}]`), kind);
  });

  test('no row of the database holds a canary', async () => {
    for (const row of await dump(stage)) assertFree(row, 'a row');
  });

  test('no page, JSON, event or metric of a server holds a canary, for operators and consumers', async () => {
    const server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
    let shown = 0;
    try {
      for (const play of [plays[0], plays[6]]) {
        assert.ok(play);
        const [attempt] = play.attempts;
        const calls = (attempt?.invocations ?? []).map(({ source_invocation_id }) => source_invocation_id);
        const pages = [
          ...(await pathsOfPages({ play, stage, server, close: stage.close })).map(({ path }) => path),
          ...calls.map((id) => `/source-invocations/${id}`),
        ];
        const events = `/attempts/${attempt?.attempt_id}/events`;
        const asked = [
          ...pages.flatMap((path) => ['text/html', 'application/json'].map((accept) => [path, accept] as const)),
          ...[events, `${events}?format=ai-sdk`].map((path) => [path, 'text/event-stream'] as const),
        ];
        for (const [path, accept] of asked)
          for (const token of Object.values(TOKENS)) {
            const headers = { authorization: `Bearer ${token}`, accept };
            const response = await fetch(server.url + path, { headers });
            if (response.ok) shown += 1;
            assertFree(await response.text(), path);
          }
      }
    } finally {
      await server.close(0);
    }
    assert.ok(shown > 60, `${shown} pages`);
  });

  test('no line that a command prints and no file that it writes holds a canary', async () => {
    const { world_slug: world, attempts } = plays[0] ?? assert.fail('nothing was played');
    const failed = plays[6]?.attempts[0];
    const [attempt] = attempts;
    const ids = (attempt?.invocations ?? []).map(({ source_invocation_id }) => source_invocation_id);
    const files = ['world.jsonl', 'seen.test.json', 'bundle.json'].map((name) => join(folder, name));
    const lines = [
      ['run', world, '--verbose'],
      ['run', world, '--json'],
      ['world', 'show', world],
      ['world', 'story', world],
      ['attempt', attempt?.attempt_id ?? ''],
      ['attempt', failed?.attempt_id ?? ''],
      ['search', 'canary'],
      ['doctor'],
      ['connections', 'list'],
      ['connections', 'test', 'bearer', '--path', '/bearer/weather'],
      ['ledger', 'show', world],
      ...ids.flatMap((id) => [
        ['invocation', id],
        ['invocation', id, '--json'],
        ['invocation', id, '--unredacted', '--reason', 'to see it'],
      ]),
      ['world', 'export', world, '--out', files[0] ?? ''],
      ['record', attempt?.attempt_id ?? '', '--out', files[1] ?? '', '--unredacted', '--reason', 'to see it'],
      ['evidence', 'bundle', world, '--output', files[2] ?? ''],
    ];
    const variables = { ...stage.variables, XDG_CONFIG_HOME: folder };
    for (const words of lines) {
      const ended = await runHere(words, variables);
      assert.ok(ended.code === 0, `${words.join(' ')}: ${ended.code} ${ended.stderr}`);
      assertFree(ended.stdout + ended.stderr, words.join(' '));
    }
    assertFree(await readFile(files[0] ?? '', 'utf8'), 'an export');
  });

  test('a look at what redaction hides is an entry of the audit', async () => {
    const looks = await stage.outside?.query<{ readonly action: string; readonly reason: string }>(
      `SELECT action::text, reason FROM operator_actions WHERE action = 'see_unredacted'`,
    );
    assert.ok((looks ?? []).length >= 3);
    assert.deepEqual([...new Set(looks?.map(({ reason }) => reason))], ['to see it']);
  });

  test('the stack of a crash holds no canary', async () => {
    betrayal = undefined;
    const workflows = await documentsFor('bearer', { name: 'crashing', url_env: 'CHUKWA_CANARY_URL' });
    const world = await stage.makeWorld({ scenario: 'ambient-weather', workflows });
    const crashed = await startChukwa(['run', world.world_slug, '--verbose'], stage.variables).ended;
    assert.equal(crashed.code, 4, crashed.stderr);
    assert.match(crashed.stderr, /the service said .*\[secret:connection:bearer\]/s);
    assertFree(crashed.stdout + crashed.stderr, 'the output of a crash');
  });

  test('no span and no metric holds a canary', async () => {
    // The last of them are sent when the engine is closed.
    await stage.close();
    assert.ok(receiver.spans.length > 20, `${receiver.spans.length} spans`);
    for (const body of receiver.bodies) assertFree(body.toString('latin1'), 'what telemetry sent');
  });
});

/** A plugin that fails in a timer, with the words of its service. */
const CRASHING = `
export default {
  open: (definition, { origin }) => ({
    async invoke(request, context) {
      const response = await origin.fetch('/bearer/weather', {}, context);
      const text = await response.text();
      setTimeout(() => { throw new Error('the service said ' + text); }, 0);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    },
  }),
};`;

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

test('no innocent part of recorded streams is replaced, though many secrets are known', () => {
  const secrets = CANARIES.map((value, index) => ({ variable: `connection:${index}`, value }));
  const replacer = createSecretReplacer(secrets);
  const said = { reasoning: 'The bench is warm, and the tide comes at 12:00.', pieces: ['{"a":', ' "b/c+d=%41"}'] };
  const streams = [
    ...NATIVE_STREAMS.map(({ stream }) => stream),
    ...DIALECTS.map(({ reply }) => reply(said, { stream: true, messages: [], model: 'm' }).body),
  ];
  assert.ok(streams.length > 20, `${streams.length} streams`);
  for (const stream of streams) {
    assert.equal(replacer.text(stream), stream);
    assert.deepEqual(replacer.pieces(stream.match(/[^]{1,7}/g) ?? []).join(''), stream);
    assert.deepEqual(replacer.bytes(Buffer.from(stream)), Buffer.from(stream));
  }
});

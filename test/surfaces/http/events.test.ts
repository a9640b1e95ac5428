import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BaseEvent, EventType, HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import type { HttpServer } from '../../../engine/operations/composition.js';
import type { FactReader } from '../../../engine/store/open-store.js';
import { loadScript, type ParkStage, type Play, sharedStage } from '../../support/park-stage.js';
import { type WireEvent, readAll, readEvents } from '../../support/server-sent-events.js';
import { waitUntil } from '../../support/wait-until.js';
import { TOKENS } from '../../support/served-park.js';
import { serveElsewhere, serveStored, talkative } from '../../support/stream-servers.js';

const NOBODY = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';
const OPERATOR = { authorization: `Bearer ${TOKENS.operator_token}` };
const CONSUMER = { authorization: `Bearer ${TOKENS.token}` };

interface Asked {
  readonly last?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

function ask({ url }: HttpServer, path: string, { last, headers = OPERATOR, signal }: Asked = {}): Promise<Response> {
  const after = last === undefined ? {} : { 'last-event-id': last };
  return fetch(`${url}${path}`, { headers: { ...headers, ...after }, ...(signal === undefined ? {} : { signal }) });
}

const textOf = (events: readonly WireEvent[]): string => events.map(({ text }) => text).join('');
const eventsOf = (play: Play, turn = 0): string => `/attempts/${play.attempts[turn]?.attempt_id}/events`;

/** Speaks so slowly that the text is written in several portions. */
async function speakSlowly(stage: ParkStage): Promise<void> {
  stage.model.setScript(await loadScript('park'));
  stage.model.onPiece(() => sleep(25));
}

/** The open attempt of a world. */
async function findRunning(stage: ParkStage, world_slug: string): Promise<string> {
  for (;;) {
    const [attempt] = await stage.engine.store.records.attempts(world_slug);
    if (attempt !== undefined) return attempt.attempt_id;
    await sleep(5);
  }
}

describe('the stream of an attempt', () => {
  const open = sharedStage('PostgreSQL');
  test('the stream of an attempt has the same bytes after each of its events, in both formats', async (t) => {
    const stage = await open();
    const play = await stage.play({ scenario: 'park' });
    const server = await serveStored(t, stage.engine);
    for (const format of ['ag-ui', 'ai-sdk']) {
      const path = `${eventsOf(play)}?format=${format}`;
      const whole = await readAll(await ask(server, path));
      for (const [index, { id }] of whole.entries()) {
        if (id === '') continue;
        const response = await ask(server, path, { last: id });
        const rest = textOf(whole.slice(index + 1));
        if (response.status === 204) assert.equal(rest.replace('data: [DONE]\n\n', ''), '');
        else assert.equal(textOf(await readAll(response)), rest);
      }
    }
  });

  test('the stream of an attempt sends a reader that joins in the middle the same as one that comes afterwards', async (t) => {
    const stage = await open();
    await speakSlowly(stage);
    const world = await stage.makeWorld({ scenario: 'park' });
    const server = await serveStored(t, stage.engine);
    const running = stage.run(world);
    const path = `/attempts/${await findRunning(stage, world.world_slug)}/events`;
    const early = readAll(await ask(server, path));
    await sleep(700);
    const late = readAll(await ask(server, path));
    const [first, second] = await Promise.all([early, late, running]);
    const afterwards = textOf(await readAll(await ask(server, path)));
    assert.equal(textOf(first), afterwards);
    assert.equal(textOf(second), afterwards);
    const portions = first.filter(({ data }) => data.includes('TEXT_MESSAGE_CONTENT')).length;
    const messages = first.filter(({ data }) => data.includes('TEXT_MESSAGE_START')).length;
    assert.ok(portions > messages, `${portions} portions of ${messages} messages`);
  });
});

describe('a fleet over one PostgreSQL', () => {
  const open = sharedStage('PostgreSQL');

  test('a reader that moves between two servers at each event misses nothing and gets nothing twice', async (t) => {
    const stage = await open();
    await speakSlowly(stage);
    const world = await stage.makeWorld({ scenario: 'park' });
    const servers = [await serveStored(t, stage.engine), await serveElsewhere(t, stage)];
    const running = stage.run(world);
    const path = `/attempts/${await findRunning(stage, world.world_slug)}/events`;
    const received: WireEvent[] = [];
    for (let moves = 0; ; moves += 1) {
      const server = servers[moves % 2];
      assert.ok(server);
      const controller = new AbortController();
      const last = received.at(-1)?.id;
      const asked = { signal: controller.signal, ...(last === undefined ? {} : { last }) };
      const response = await ask(server, path, asked);
      if (response.status === 204) break;
      for await (const event of readEvents(response)) {
        received.push(event);
        break;
      }
      controller.abort();
    }
    await running;
    for (const server of servers) assert.equal(textOf(await readAll(await ask(server, path))), textOf(received));
  });
});

/** The peer's agent, which asks by GET. */
class RecordedAgent extends HttpAgent {
  protected override requestInit(): RequestInit {
    return {
      method: 'GET',
      headers: { ...OPERATOR, accept: 'text/event-stream' },
      signal: this.abortController.signal,
    };
  }
}

describe('the clients of others', () => {
  const open = sharedStage('PostgreSQL');
  test('AG-UI: a run comes to the messages of its models, and to the world that the turn left', async (t) => {
    const stage = await open();
    const play = await stage.play({ scenario: 'park' });
    const server = await serveStored(t, stage.engine);
    const agent = new RecordedAgent({ url: `${server.url}${eventsOf(play)}` });
    const events: BaseEvent[] = [];
    await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) });
    assert.equal(events.at(-1)?.type, EventType.RUN_FINISHED);
    const [attempt] = play.attempts;
    const generations = attempt?.invocations.filter(({ llm_call_id }) => llm_call_id !== null) ?? [];
    const said = agent.messages.filter(({ role }) => role === 'assistant');
    for (const { llm_call_id, response_json } of generations) {
      const message = said.find(({ id }) => id === llm_call_id);
      assert.equal(message?.content, (response_json as { text: string }).text);
    }
    const state = agent.state as { turn: number; entities: Record<string, { state: string }> };
    assert.equal(state.turn, 1);
    for (const { id, state: stands } of play.after.entities) assert.equal(state.entities[id]?.state, stands);
  });

  test('AG-UI: a tool call has its arguments and its result', async (t) => {
    const stage = await open();
    const play = await stage.play({ scenario: 'park', turns: 2 });
    const server = await serveStored(t, stage.engine);
    const agent = new RecordedAgent({ url: `${server.url}${eventsOf(play, 1)}` });
    await agent.runAgent();
    const called = agent.messages.flatMap((message) => ('toolCalls' in message ? (message.toolCalls ?? []) : []));
    assert.deepEqual(
      called.map(({ function: { name, arguments: given } }) => [name, JSON.parse(given)]),
      [['buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' }]],
    );
    const result = agent.messages.find(({ role }) => role === 'tool');
    assert.match(JSON.stringify(result), /A candy bar was dispensed/);
  });

  test('AI SDK: a run comes to a message with text, a tool’s answer and the state', async (t) => {
    const stage = await open();
    const play = await stage.play({ scenario: 'park', turns: 2 });
    const server = await serveStored(t, stage.engine);
    const api = `${server.url}${eventsOf(play, 1)}?format=ai-sdk`;
    const head = await ask(server, `${eventsOf(play, 1)}?format=ai-sdk`);
    assert.equal(head.headers.get('x-vercel-ai-ui-message-stream'), 'v1');
    await head.body?.cancel();
    const transport = new DefaultChatTransport({
      prepareReconnectToStreamRequest: () => ({ api, headers: OPERATOR }),
    });
    const stream = await transport.reconnectToStream({ chatId: 'any' });
    assert.ok(stream);
    let message: UIMessage | undefined;
    for await (const next of readUIMessageStream({ stream, terminateOnError: true })) message = next;
    assert.equal(message?.id, play.attempts[1]?.attempt_id);
    const parts = message?.parts ?? [];
    assert.ok(parts.some((part) => part.type === 'text' && part.text.includes('buys the last candy bar')));
    const tool = parts.find((part) => part.type === 'dynamic-tool');
    assert.deepEqual([tool?.toolName, tool?.state], ['buy_candy', 'output-available']);
    assert.ok(parts.some(({ type }) => type === 'data-state'));
  });
});

const shared = sharedStage('PostgreSQL');

test('a world streams its attempts one after the other, and resumes after any event', async (t) => {
  const stage = await shared();
  const play = await stage.play({ scenario: 'park', turns: 2 });
  const server = await serveStored(t, stage.engine);
  const path = `/worlds/${play.world_slug}/events`;
  const [first, second] = await Promise.all(
    [0, 1].map(async (turn) => readAll(await ask(server, eventsOf(play, turn)))),
  );
  assert.ok(first && second);
  const sent = [...first, ...second];
  for (const last of [undefined, first[3], first.at(-1), second[2]]) {
    const rest = sent.slice(last === undefined ? 0 : sent.indexOf(last) + 1);
    const response = await ask(server, path, last === undefined ? {} : { last: last.id });
    const received: WireEvent[] = [];
    for await (const event of readEvents(response)) if (received.push(event) === rest.length) break;
    assert.equal(textOf(received), textOf(rest));
  }
});

test('a world without attempts streams its first one when it begins', async (t) => {
  const stage = await shared();
  stage.model.setScript(await loadScript('park'));
  const world = await stage.makeWorld({ scenario: 'park' });
  const server = await serveStored(t, stage.engine);
  const response = await ask(server, `/worlds/${world.world_slug}/events`);
  const events = readEvents(response);
  const first = events.next();
  await stage.run(world);
  const { value } = (await first) as { readonly value: WireEvent };
  assert.match(value.data, /RUN_STARTED/);
  await events.return(undefined);
});

test('an id that its attempt does not have is refused before the attempts that follow are read', async (t) => {
  const stage = await shared();
  const { engine } = stage;
  const play = await stage.play({ scenario: 'park', turns: 2 });
  const [first] = play.attempts;
  const read: string[] = [];
  const facts: FactReader = {
    ...engine.store.facts,
    read: (cursor, until) => (read.push(cursor.attempt_id), engine.store.facts.read(cursor, until)),
  };
  const server = await serveStored(t, { store: { ...engine.store, facts } });
  for (const place of ['1.9999', '999999999999999.0']) {
    const last = `${first?.attempt_id}:${place}`;
    const response = await ask(server, `/worlds/${play.world_slug}/events`, { last });
    assert.equal(((await response.json()) as { code: string }).code, 'EVENT_ID_UNKNOWN');
  }
  assert.deepEqual(new Set(read), new Set([first?.attempt_id]));
});

test('since=now skips stored events', async (t) => {
  const stage = await shared();
  const play = await stage.play({ scenario: 'park' });
  const server = await serveStored(t, stage.engine);
  assert.equal((await ask(server, `${eventsOf(play)}?since=now`)).status, 204);
  const response = await ask(server, `/worlds/${play.world_slug}/events?since=now`);
  const events = readEvents(response);
  const first = events.next();
  await stage.run(play.after);
  const { value } = (await first) as { readonly value: WireEvent };
  assert.match(value.data, /RUN_STARTED/);
  assert.match(value.id, new RegExp(`^(?!${play.attempts[0]?.attempt_id})`));
  await events.return(undefined);
});

test('a consumer gets answers, and no requests', async (t) => {
  const stage = await shared();
  const play = await stage.play({ scenario: 'park', turns: 2 });
  const server = await serveStored(t, stage.engine);
  const types = async (headers: Readonly<Record<string, string>>) =>
    new Set(
      (await readAll(await ask(server, eventsOf(play, 1), { headers }))).map(
        ({ data }) => (JSON.parse(data) as { type: string }).type,
      ),
    );
  assert.ok((await types(OPERATOR)).has('TOOL_CALL_ARGS'));
  const seen = await types(CONSUMER);
  assert.ok(seen.has('TOOL_CALL_RESULT') && !seen.has('TOOL_CALL_ARGS'));
});

test('an unreadable record is a problem document', async (t) => {
  const stage = await shared();
  const play = await stage.play({ scenario: 'park', turns: 2 });
  const server = await serveStored(t, stage.engine);
  const own = eventsOf(play);
  const [event] = await readAll(await ask(server, own));
  const cases: readonly (readonly [string, Asked, number, string])[] = [
    [`/attempts/${NOBODY}/events`, {}, 404, 'ATTEMPT_UNKNOWN'],
    ['/attempts/nothing/events', {}, 404, 'ATTEMPT_UNKNOWN'],
    ['/worlds/nobody/events', {}, 404, 'WORLD_UNKNOWN'],
    [own, { last: 'yesterday' }, 400, 'EVENT_ID_UNKNOWN'],
    [own, { last: `${event?.id}9` }, 400, 'EVENT_ID_UNKNOWN'],
    [own, { last: `${NOBODY}:1.0` }, 400, 'EVENT_ID_UNKNOWN'],
    [eventsOf(play, 1), { last: event?.id ?? '' }, 400, 'EVENT_ID_UNKNOWN'],
    [`${own}?format=xml`, {}, 400, 'FORMAT_UNKNOWN'],
    [`${own}?since=yesterday`, {}, 400, 'REQUEST_MALFORMED'],
    [own, { headers: {} }, 401, 'UNAUTHORISED'],
  ];
  for (const [path, asked, status, code] of cases) {
    const response = await ask(server, path, asked);
    const problem = (await response.json()) as { readonly code: string };
    assert.deepEqual([response.status, problem.code], [status, code], path);
  }
});

test('HEAD says whether there is anything to read, and takes no place of a reader', async (t) => {
  const stage = await shared();
  const play = await stage.play({ scenario: 'simple' });
  const server = await serveStored(t, stage.engine);
  const look = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await fetch(`${server.url}${path}`, { method: 'HEAD', headers: { ...OPERATOR, ...headers } })).status;
  assert.equal(await look(eventsOf(play)), 200);
  assert.equal(await look(`/worlds/${play.world_slug}/events`), 200);
  assert.equal(await look('/worlds/nobody/events'), 404);
  assert.equal(await look(`/attempts/${NOBODY}/events`), 404);
  assert.equal(await look(eventsOf(play), { 'last-event-id': 'yesterday' }), 400);
});

test('as many read as may, and health and pages stay within reach', async (t) => {
  const stage = await shared();
  const world = await stage.makeWorld({ scenario: 'park' });
  const server = await serveStored(t, stage.engine);
  const path = `/worlds/${world.world_slug}/events`;
  const leaving = new AbortController();
  const asked = await Promise.all(Array.from({ length: 170 }, () => ask(server, path, { signal: leaving.signal })));
  assert.deepEqual(new Set(asked.map(({ status }) => status)), new Set([200, 503]));
  const refused = asked.find(({ status }) => status === 503);
  assert.ok(refused);
  assert.equal(((await refused.json()) as { code: string }).code, 'READERS_TOO_MANY');
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.equal((await ask(server, '/worlds')).status, 200);
  leaving.abort();
  for (let status = 503; status !== 200; ) {
    const again = await ask(server, path);
    ({ status } = again);
    await again.body?.cancel();
  }
});

test('a reader that takes nothing is dropped, and holds up no other', async (t) => {
  const { engine } = await shared();
  const server = await serveStored(t, { store: { ...engine.store, facts: talkative(NOBODY, 1_048_576) } });
  const path = `/attempts/${NOBODY}/events`;
  const idle = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
  t.after(() => idle.destroy());
  idle.on('error', () => {}).pause();
  idle.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${OPERATOR.authorization}\r\n\r\n`);
  const other = new AbortController();
  let received = 0;
  const listening = (async () => {
    // On a busy machine this reader may be too slow as well: it is dropped, and comes again.
    while (!other.signal.aborted) {
      const events = readEvents(await ask(server, path, { signal: other.signal }));
      while ((await events.next().catch(() => undefined))?.done === false) received += 1;
    }
  })().catch(() => {});
  // More than a connection holds between its ends.
  await waitUntil(() => received > 24);
  let taken = 0;
  idle.on('data', (bytes) => (taken += bytes.length)).resume();
  await waitUntil(() => idle.closed || idle.readableEnded);
  assert.ok(taken < received * 1_048_576, 'it was told all');
  other.abort();
  await listening;
});

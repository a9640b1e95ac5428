import { readFile } from 'node:fs/promises';
import { inFolder } from './documents.js';
import { median, readCpuMs, say } from './measures.js';
import { type Serving, whileServing } from './pages/serving.js';
import { type Row, toRow } from './row.js';
import { runChild } from './starts.js';

const TIMES = 100;
const SESSIONS = 200;
const PROTOCOL = '2025-11-25';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** What assistants wait for, and what their sessions keep. @param program the compiled `chukwa.js` */
export function measureAssistants(program: string): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    say('playing the park for assistants');
    const database = { CHUKWA_DATA_DIR: `${folder}/data` };
    await runChild(program, ['park', '--json'], database);
    return whileServing(program, database, async (serving) => [
      ...(await measureTools(serving)),
      await measureSessions(serving),
    ]);
  });
}

async function measureTools(serving: Serving): Promise<readonly Row[]> {
  say('calling tools');
  const session = await openSession(serving);
  const world = { name: 'get_world', arguments: { world_slug: 'park' } };
  const spent = { list: [] as Spent[], tool: [] as Spent[], route: [] as Spent[] };
  for (let time = 0; time < TIMES; time += 1) {
    spent.list.push(await clock(serving, () => ask(serving, session, 'tools/list', {})));
    spent.tool.push(await clock(serving, () => ask(serving, session, 'tools/call', world)));
    spent.route.push(await clock(serving, () => readRoute(serving, '/worlds/park')));
  }
  const [tool, route] = [middle(spent.tool), middle(spent.route)];
  return [
    toRow({
      id: 'tools_list',
      what: 'the list of tools for an operator, over HTTP',
      value: middle(spent.list).ms,
      unit: 'ms',
      goal: { kind: 'at_most', value: 20 },
      note: `the median of ${TIMES}, in one session; its CPU is ${middle(spent.list).cpu_ms.toFixed(1)} ms`,
    }),
    toRow({
      id: 'tool_read',
      what: 'what a tool that reads adds to the same read as JSON: CPU',
      value: Math.max(0, tool.cpu_ms - route.cpu_ms),
      unit: 'ms',
      goal: { kind: 'at_most', value: 5 },
      note: `get_world beside /worlds/park, whose CPU is ${route.cpu_ms.toFixed(1)} ms; medians of ${TIMES}, turn about; it took ${(tool.ms - route.ms).toFixed(1)} ms longer`,
    }),
  ];
}

/** Each session lists the tools and reads a world, and stays open. */
async function measureSessions(serving: Serving): Promise<Row> {
  say(`opening ${SESSIONS} sessions`);
  const before = await readMegabytes(serving.pid);
  for (let count = 0; count < SESSIONS; count += 1) {
    const session = await openSession(serving);
    await ask(serving, session, 'tools/list', {});
    await ask(serving, session, 'tools/call', { name: 'get_world', arguments: { world_slug: 'park' } });
  }
  return toRow({
    id: 'sessions_memory',
    what: `memory of ${SESSIONS} open sessions of assistants`,
    value: Math.max(0, (await readMegabytes(serving.pid)) - before),
    unit: 'MB',
    goal: { kind: 'at_most', value: 200 },
    note: `what the server holds more than before, which was ${before.toFixed(0)} MB`,
  });
}

async function openSession(serving: Serving): Promise<string> {
  const clientInfo = { name: 'a-benchmark', version: '1' };
  const asked = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
  const response = await send(serving, {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params: asked });
  await response.text();
  const session = response.headers.get('mcp-session-id');
  if (session === null) throw new Error(`no session is opened: ${response.status}`);
  await (await send(serving, of(session), { jsonrpc: '2.0', method: 'notifications/initialized' })).text();
  return session;
}

async function ask(serving: Serving, session: string, method: string, params: object): Promise<void> {
  const said = await (await send(serving, of(session), { jsonrpc: '2.0', id: 1, method, params })).text();
  if (!said.includes('"result"') || said.includes('"isError":true')) throw new Error(`${method} is answered ${said}`);
}

function of(session: string): Record<string, string> {
  return { 'mcp-session-id': session, 'mcp-protocol-version': PROTOCOL };
}

function send({ url, token }: Serving, headers: Record<string, string>, message: object): Promise<Response> {
  return fetch(`${url}/operator-mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers, authorization: `Bearer ${token}` },
    body: JSON.stringify(message),
  });
}

async function readRoute({ url, token }: Serving, path: string): Promise<void> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { headers });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} is answered with ${response.status}`);
}

/** What one answer took, and the CPU of the server for it; both in milliseconds. */
interface Spent {
  readonly ms: number;
  readonly cpu_ms: number;
}

async function clock({ pid }: Serving, work: () => Promise<void>): Promise<Spent> {
  const cpu_ms = await readCpuMs(pid);
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  return { ms, cpu_ms: (await readCpuMs(pid)) - cpu_ms };
}

function middle(spent: readonly Spent[]): Spent {
  return { ms: median(spent.map(({ ms }) => ms)), cpu_ms: median(spent.map(({ cpu_ms }) => cpu_ms)) };
}

/** The memory that a process has now, in megabytes. */
async function readMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}

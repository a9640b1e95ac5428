import { type Row, toRow } from './figures.js';
import { compareArms, readMegabytes, spend } from './measures.js';
import { AS_OPERATOR, makeFolder, readPage, serve, type Serving, type Stage } from './stage.js';
import { runProgram } from './starts.js';

const TIMES = 100;
const SESSIONS = 200;
const PROTOCOL = '2025-11-25';
const WORLD = { name: 'get_world', arguments: { world_slug: 'park' } };

/** What assistants wait for, and what their sessions keep. */
export async function measureAssistants(stage: Stage): Promise<readonly Row[]> {
  const database = { CHUKWA_DATA_DIR: await makeFolder(stage) };
  await runProgram(['park', '--json'], database);
  const serving = await serve(stage, database);
  return [...(await compareTools(serving)), await measureSessions(serving)];
}

async function compareTools(serving: Serving): Promise<readonly Row[]> {
  const ask = await openSession(serving);
  const server = { processes: [serving.pid] };
  const arms = {
    list: () => spend(() => ask('tools/list', {}), 1, server),
    tool: () => spend(() => ask('tools/call', WORLD), 1, server),
    read: () => spend(() => readPage(serving, '/worlds/park', 'application/json'), 1, server),
  };
  const compared = await compareArms(arms, { warm_up_blocks: 0, blocks: TIMES });
  const [list, tool, read] = ['list', 'tool', 'read'].map((arm) => compared.median('others_ms', arm)) as [
    number,
    number,
    number,
  ];
  const longer = compared.median('ms', 'tool') - compared.median('ms', 'read');
  const beside = `get_world beside /worlds/park, whose CPU is ${read.toFixed(1)} ms; it took ${longer.toFixed(1)} ms longer`;
  return [
    toRow('tools_list', compared.median('ms', 'list'), `in one session; its CPU is ${list.toFixed(1)} ms`),
    toRow('tool_read', Math.max(0, tool - read), `${beside}; medians of ${TIMES}, turn about`),
  ];
}

/** Each session lists the tools and reads a world, and stays open. */
async function measureSessions(serving: Serving): Promise<Row> {
  const before = await readMegabytes(serving.pid, 'VmRSS');
  for (let count = 0; count < SESSIONS; count += 1) {
    const ask = await openSession(serving);
    await ask('tools/list', {});
    await ask('tools/call', WORLD);
  }
  const more = (await readMegabytes(serving.pid, 'VmRSS')) - before;
  return toRow('sessions_memory', Math.max(0, more), `more than the server had before: ${before.toFixed(0)} MB`);
}

/** Asks something in an open session. */
type Ask = (method: string, params: object) => Promise<void>;

async function openSession({ url }: Serving): Promise<Ask> {
  const headers: Record<string, string> = {
    ...AS_OPERATOR,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const send = async (message: object): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const response = await fetch(`${url}/operator-mcp`, { method: 'POST', headers, body });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) Object.assign(headers, { 'mcp-session-id': session, 'mcp-protocol-version': PROTOCOL });
    return response.text();
  };
  const ask: Ask = async (method, params) => {
    const said = await send({ id: 1, method, params });
    if (!said.includes('"result"') || said.includes('"isError":true')) throw new Error(`${method} is answered ${said}`);
  };
  const clientInfo = { name: 'a-benchmark', version: '1' };
  await ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  await send({ method: 'notifications/initialized' });
  return ask;
}

import { readFile } from 'node:fs/promises';
import { renderNumber, type Row } from './figures.js';
import { say } from './measures.js';
import { openServer, ROOT, type Stage } from './stage.js';
import { armModule, ENGINE, openArms, type TurnPlan, UNRECORDED } from './turns/measure.js';

/** The folder of the other frameworks, which has packages of its own. */
const FOLDER = new URL('tools/bench/peers/', `file://${ROOT}/`);

const PLANS: readonly TurnPlan[] = [
  { warm_up_blocks: 10, blocks: 20, rounds: 3, at_once: 1 },
  { warm_up_blocks: 10, blocks: 20, rounds: 1, at_once: 16 },
];
/** It has a single world, and one turn of it at a time. */
const OF_ONE_WORLD = 'hand-written';

/** The unit turn, done turn about by this project, by records written by hand, and by other frameworks. */
export async function measurePeers(stage: Stage): Promise<readonly Row[]> {
  const peers = new Map([
    [OF_ONE_WORLD, { what: 'written by hand, plain statements', module: armModule(OF_ONE_WORLD) }],
    ['fused', { what: 'written by hand, fused', module: armModule('fused') }],
    ['dbos', await toFramework('dbos', '@dbos-inc/dbos-sdk', 'DBOS')],
    ['mastra', await toFramework('mastra', '@mastra/core', 'Mastra')],
    ['langgraph', await toFramework('langgraph', '@langchain/langgraph', 'LangGraph.js with PostgresSaver, sync')],
  ]);
  const makeDatabase = await openServer(stage);
  const arms = await openArms(stage, await makeDatabase(ENGINE));
  for (const [name, { module }] of peers) await arms.start(stage, name, module, await makeDatabase(name));
  const rows: Row[] = [];
  for (const plan of PLANS) {
    say(`running the unit turn of each framework, ${plan.at_once} at once`);
    const compared = await arms.compare(plan);
    for (const [name, { what }] of [[ENGINE, { what: 'this project, everything on record' }] as const, ...peers]) {
      const cpu = renderNumber(compared.ratio('cpu_ms', name, UNRECORDED));
      const database = renderNumber(compared.median('database_ms', name));
      rows.push({
        id: `peer_${name}_${plan.at_once}`,
        what: `${what}, over the same calls unrecorded, ${plan.at_once} at once: time`,
        value: compared.ratio('ms', name, UNRECORDED),
        unit: 'x',
        note: `CPU ${cpu} x; PostgreSQL ${database} ms of CPU a turn; ${compared.median('ms', name).toFixed(1)} ms`,
      });
    }
    arms.leave(OF_ONE_WORLD);
    peers.delete(OF_ONE_WORLD);
  }
  return rows;
}

/** @throws Error where the packages of the frameworks are not installed */
async function toFramework(arm: string, name: string, title: string) {
  const manifest = await readFile(new URL(`node_modules/${name}/package.json`, FOLDER), 'utf8').catch(() => {
    throw new Error('The other frameworks are not installed: run npm ci in tools/bench/peers first.');
  });
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return { what: `${title} ${version}`, module: new URL(`arms/${arm}.ts`, FOLDER) };
}

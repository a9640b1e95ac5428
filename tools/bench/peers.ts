import { readFile } from 'node:fs/promises';
import { withDatabases } from './databases.js';
import { renderNumber, type Row, toRow } from './row.js';
import { say } from './measures.js';
import { withStage } from './stage.js';
import { armModule } from './turns/arm.js';
import { openArms } from './turns/measure.js';
import { ENGINE, type Plan, runTurnAbout } from './turns/turn-about.js';
import { ROOT } from './worlds.js';

/** The folder of the other frameworks, which has packages of its own. */
const FOLDER = new URL('tools/bench/peers/', `file://${ROOT}/`);

const PLANS: readonly Plan[] = [
  { warm_up_blocks: 10, blocks: 20, rounds_per_block: 3, at_once: 1 },
  { warm_up_blocks: 10, blocks: 20, rounds_per_block: 1, at_once: 16 },
];

const UNRECORDED = 'unrecorded';

interface Peer {
  readonly what: string;
  readonly module: URL;
  /** It has a single world, and one turn of it at a time. */
  readonly has_one_world?: boolean;
}

/** The unit turn, done turn about by this project, by records written by hand, and by other frameworks. */
export async function measurePeers(): Promise<readonly Row[]> {
  const peers: Readonly<Record<string, Peer>> = {
    'hand-written': {
      what: 'written by hand, plain statements',
      module: armModule('hand-written'),
      has_one_world: true,
    },
    fused: { what: 'written by hand, fused', module: armModule('fused') },
    dbos: await toFramework('dbos', '@dbos-inc/dbos-sdk', (version) => `DBOS ${version}`),
    mastra: await toFramework('mastra', '@mastra/core', (version) => `Mastra ${version}`),
    langgraph: await toFramework(
      'langgraph',
      '@langchain/langgraph',
      (version) => `LangGraph.js ${version} with PostgresSaver, sync`,
    ),
  };
  return withDatabases((make) =>
    withStage(async (stage) => {
      const places: Record<string, string> = {};
      for (const name of [ENGINE, ...Object.keys(peers)]) places[name] = await make(name);
      const modules = Object.fromEntries(Object.entries(peers).map(([name, { module }]) => [name, module]));
      const arms = await openArms(stage.first, { [UNRECORDED]: armModule(UNRECORDED), ...modules }, places);
      const rows: Row[] = [];
      try {
        for (const plan of PLANS) {
          say(`running the unit turn of each framework, ${plan.at_once} at once`);
          const named = Object.entries(peers).filter(([, peer]) => plan.at_once === 1 || !peer.has_one_world);
          for (const name of Object.keys(peers).filter((one) => !named.some(([other]) => other === one))) {
            await arms.others.get(name)?.close();
            arms.others.delete(name);
          }
          const compared = await runTurnAbout(stage, arms, plan);
          const everybody = [[ENGINE, { what: 'this project, everything on record' }] as const, ...named];
          for (const [name, { what }] of everybody) {
            const cpu = renderNumber(compared.ratio('cpu_ms', name, UNRECORDED));
            const database = renderNumber(compared.median('database_ms', name));
            rows.push(
              toRow({
                id: `peer_${name}, ${plan.at_once}`,
                what: `${what}, over the same calls unrecorded, ${plan.at_once} at once: time`,
                value: compared.ratio('ms', name, UNRECORDED),
                unit: 'x',
                note: `CPU ${cpu} x; PostgreSQL ${database} ms of CPU a turn; ${compared.median('ms', name).toFixed(1)} ms`,
              }),
            );
          }
        }
      } finally {
        await arms.close();
      }
      return rows;
    }),
  );
}

/** @throws Error where the packages of the frameworks are not installed */
async function toFramework(arm: string, name: string, say: (version: string) => string): Promise<Peer> {
  const manifest = await readFile(new URL(`node_modules/${name}/package.json`, FOLDER), 'utf8').catch(() => {
    throw new Error('The other frameworks are not installed: run npm ci in tools/bench/peers first.');
  });
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return { what: say(version), module: new URL(`arms/${arm}.ts`, FOLDER) };
}

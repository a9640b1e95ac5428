import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { type BareAnswer, type CapturedCall, COMMIT, COMMITTED, makeCalls, type OpenArm, toPatches } from '../peer.js';

/** DBOS: a workflow, each call a step, the commit a step. */
export const openArm: OpenArm = async (url, clients) => {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(COMMITTED);
  DBOS.setConfig({ name: 'peers', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false });
  const turn = DBOS.registerWorkflow(
    async (calls: readonly CapturedCall[]) => {
      const answers: BareAnswer[] = [];
      await makeCalls(calls, async (call) => {
        answers.push(await DBOS.runStep(() => clients.ask(call), { name: call.client_request_id }));
      });
      const patches = toPatches(answers);
      await DBOS.runStep(async () => void (await pool.query({ ...COMMIT, values: [patches] })), { name: 'commit' });
    },
    { name: 'turn' },
  );
  await DBOS.launch();
  return {
    turn: (calls) => turn(calls),
    close: async () => {
      await DBOS.shutdown();
      await pool.end();
    },
  };
};

import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import type { CapturedCall } from '../../../../dist/tools/bench/stage.js';
import type { BareAnswer } from '../../../../dist/tools/bench/turns/bare-turn.js';
import { COMMIT, COMMITTED, type OpenPeer, toPatches } from '../peer.js';

/** DBOS: a workflow, each call a step, the commit a step. */
export const open: OpenPeer = async (url, clients) => {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(COMMITTED);
  DBOS.setConfig({ name: 'peers', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false });
  const turn = DBOS.registerWorkflow(
    async (calls: readonly CapturedCall[]) => {
      const answers: BareAnswer[] = [];
      await clients.turn(calls, async ({ client_request_id }, ask) => {
        const answer = await DBOS.runStep(ask, { name: client_request_id });
        answers.push(answer);
        return answer;
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

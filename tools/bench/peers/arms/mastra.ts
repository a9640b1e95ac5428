import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { PostgresStore } from '@mastra/pg';
import pg from 'pg';
import { z } from 'zod';
import { type BareAnswer, type CapturedCall, COMMIT, COMMITTED, type OpenArm, toGroups, toPatches } from '../peer.js';

/** The input of a turn. Mastra writes it once, and each step's result beside it. */
interface Begun {
  readonly groups: readonly (readonly CapturedCall[])[];
}

interface Said {
  readonly answers: readonly BareAnswer[];
}

const ANY = z.any();
/** Of the unit turn: its reading, a generation, the tool, and another generation. */
const GROUPS = 4;

/** Mastra: a workflow of steps, whose snapshot is written to PostgreSQL after each. */
export const openArm: OpenArm = async (url, clients) => {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(COMMITTED);
  const steps = Array.from({ length: GROUPS }, (_one, index) =>
    createStep({
      id: `ask-${index}`,
      inputSchema: ANY,
      outputSchema: ANY,
      execute: async ({ getInitData }): Promise<Said> => {
        const { groups } = getInitData() as Begun;
        return { answers: await Promise.all((groups[index] ?? []).map((call) => clients.ask(call))) };
      },
    }),
  );
  const commit = createStep({
    id: 'commit',
    inputSchema: ANY,
    outputSchema: ANY,
    execute: async ({ getStepResult }) => {
      const answers = steps.flatMap((step) => (getStepResult(step) as Said).answers);
      await pool.query({ ...COMMIT, values: [toPatches(answers)] });
      return {};
    },
  });
  const begun = createWorkflow({ id: 'turn', inputSchema: ANY, outputSchema: ANY });
  const workflow = [...steps, commit].reduce(
    (chain, step) => chain.then(step),
    begun as ReturnType<typeof createWorkflow>,
  );
  workflow.commit();
  const storage = new PostgresStore({ connectionString: url });
  const mastra = new Mastra({ storage, workflows: { turn: workflow }, logger: false });
  await storage.init();
  return {
    turn: async (calls) => {
      const groups = toGroups(calls);
      if (groups.length !== GROUPS) throw new Error(`a turn of ${groups.length} groups`);
      const run = await mastra.getWorkflow('turn').createRunAsync();
      const result = await run.start({ inputData: { groups } });
      if (result.status !== 'success') throw new Error(`the turn ended as ${result.status}`);
    },
    close: async () => {
      await storage.close();
      await pool.end();
    },
  };
};

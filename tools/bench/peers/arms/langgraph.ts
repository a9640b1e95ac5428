import { randomUUID } from 'node:crypto';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import pg from 'pg';
import { type BareAnswer, type CapturedCall, COMMIT, COMMITTED, type OpenArm, toGroups, toPatches } from '../peer.js';

const State = Annotation.Root({
  groups: Annotation<readonly (readonly CapturedCall[])[]>,
  answers: Annotation<readonly BareAnswer[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
  done: Annotation<number>({ reducer: (_left, right) => right, default: () => 0 }),
});

/** LangGraph.js: a graph with one round for each call, and a checkpoint in PostgreSQL after each. */
export const openArm: OpenArm = async (url, clients) => {
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  await pool.query(COMMITTED);
  const saver = new PostgresSaver(pool);
  await saver.setup();
  const graph = new StateGraph(State)
    .addNode('ask', async ({ groups, done }) => {
      const answers = await Promise.all((groups[done] ?? []).map((call) => clients.ask(call)));
      return { answers, done: done + 1 };
    })
    .addNode('commit', async ({ answers }) => {
      await pool.query({ ...COMMIT, values: [toPatches(answers)] });
      return {};
    })
    .addEdge(START, 'ask')
    .addConditionalEdges('ask', ({ groups, done }) => (done < groups.length ? 'ask' : 'commit'))
    .addEdge('commit', END)
    .compile({ checkpointer: saver });
  return {
    turn: async (calls) => {
      const settings = { configurable: { thread_id: randomUUID() }, durability: 'sync' as const, recursionLimit: 100 };
      await graph.invoke({ groups: toGroups(calls) }, settings);
    },
    close: () => pool.end(),
  };
};

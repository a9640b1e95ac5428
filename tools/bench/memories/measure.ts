import type { Engine } from '../../../engine/operations/engine.js';
import { startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import { withDatabases } from '../databases.js';
import { agentId, inFolder, type Scene, toAnswers, writeScene } from '../documents.js';
import { median, say } from '../measures.js';
import { renderNumber, type Row, toRow } from '../row.js';
import { openWorlds, type Variables, type Worlds } from '../worlds.js';
import { makeConversation } from './corpus.js';
import { toQuery } from './recall.js';

const SIZES = [
  { memories: 600, most_ms: 5 },
  { memories: 50_000, most_ms: 20 },
] as const;
const QUERIES = 60;
/** The turns that are compared: so many before each of these. */
const EARLY = 50;
const LATE = 1_000;
const COMPARED = 25;

/** What a search among the memories of an agent costs, and how a turn and its prompt grow with a life. */
export async function measureMemories(): Promise<readonly Row[]> {
  return [
    ...(await inFolder((folder) => measureOn('the embedded database', { CHUKWA_DATA_DIR: `${folder}/data` }))),
    ...(await withDatabases(async (make) => measureOn('PostgreSQL', { CHUKWA_DATABASE_URL: await make('memories') }))),
  ];
}

function measureOn(where: string, database: Variables): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const scene: Scene = { places: ['room'], life: makeConversation(7, LATE).memories.slice(0, LATE) };
    await writeScene(folder, scene);
    const model = await startScriptedModel(toAnswers(scene));
    const services = { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'loopback-needs-no-key' };
    const worlds = await openWorlds(database, services, { folder, scenario: 'scenario.json', world_slugs: ['life'] });
    try {
      return [...(await measureSearches(worlds, where)), ...(await measureLife(worlds, where))];
    } finally {
      await worlds.close();
      await model.close();
    }
  });
}

async function measureSearches({ engine, scenario_hash }: Worlds, where: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { memories, most_ms } of SIZES) {
    say(`searching ${memories} memories on ${where}`);
    const conversation = makeConversation(memories, memories);
    const world_slug = `memories-${memories}`;
    const memory = conversation.memories.map((content, index) => ({ turn: index + 1, content }));
    const agent = { id: agentId(0), name: 'Agent', kind: 'agent', environment: 'room', state: 'idle', memory } as const;
    const start_time = '2026-05-01T09:00:00.000Z';
    const environments = ['room', 'yard'].map((label) => ({ label, content: 'A place.' }));
    const about = { world_slug, scenario_hash, start_time, created_at: Date.now(), turn: memory.length };
    await engine.store.worlds.plant({ ...about, environments, entities: [agent] });
    const ask = (text: string) =>
      engine.store.attempts.retrieve({ world_slug }, toQuery(text, { entity_id: agentId(0), neighbours: 1 }));
    // The first search indexes all of them.
    await ask('lantern');
    const times = await timesOf(
      conversation.questions.slice(0, QUERIES).map(
        ({ text }) =>
          () =>
            ask(text),
      ),
    );
    rows.push(
      toRow({
        id: `memories_${memories}, ${where}`,
        what: `a search among ${memories.toLocaleString('en')} memories on ${where}`,
        value: median(times),
        unit: 'ms',
        goal: { kind: 'at_most', value: most_ms },
        note: `${times.length} questions; the slowest ${renderNumber(Math.max(...times))} ms`,
      }),
    );
  }
  return rows;
}

async function timesOf(tasks: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const task of tasks) {
    const began = performance.now();
    await task();
    times.push(performance.now() - began);
  }
  return times;
}

/** Turns and prompts of a life up to some turns, each the median of the last before it. */
async function measureLife(worlds: Worlds, where: string): Promise<readonly Row[]> {
  let turn = 0;
  const upTo = async (last: number) => {
    say(`living up to turn ${last} on ${where}`);
    for (; turn < last - COMPARED; turn += 1) await worlds.turn();
    const ms = median(await timesOf(Array.from({ length: COMPARED }, () => () => worlds.turn())));
    turn = last;
    return { ms, prompt: await promptLength(worlds.engine) };
  };
  const [early, late] = [await upTo(EARLY), await upTo(LATE)];
  const drawn = (points: readonly number[], unit: string): string =>
    points
      .map((value) => `${'▇'.repeat(Math.round((10 * value) / Math.max(...points)))} ${renderNumber(value)} ${unit}`)
      .join('  ');
  return [
    toRow({
      id: `life_prompt, ${where}`,
      what: `a prompt of turn ${LATE} over one of turn ${EARLY} on ${where}`,
      value: late.prompt / early.prompt,
      unit: 'x',
      goal: { kind: 'at_most', value: 1.1 },
      note: drawn([early.prompt, late.prompt], 'characters'),
    }),
    toRow({
      id: `life_turn, ${where}`,
      what: `a turn before ${LATE} over one before ${EARLY} on ${where}: search, prompt and commit`,
      value: late.ms / early.ms,
      unit: 'x',
      goal: { kind: 'at_most', value: 1.25 },
      note: drawn([early.ms, late.ms], 'ms'),
    }),
  ];
}

/** The mean length of the latest prompts. */
async function promptLength({ store }: Engine): Promise<number> {
  const calls = await store.browse.llmCalls({ limit: COMPARED });
  const found = await Promise.all(calls.map(({ llm_call_id }) => store.records.llmCall(llm_call_id)));
  const lengths = found.map((call) => (call?.messages ?? []).reduce((sum, { content }) => sum + content.length, 0));
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}

import { type Outcome, succeed } from '../contract/problem.js';
import { type AskingNode, estimateTurns, type TurnsEstimate } from '../core/cost/estimate.js';
import type { MeteredCall } from '../core/cost/cost.js';
import type { PriceSources } from '../core/cost/price-book.js';
import type { GenerationProgram } from '../core/nodes/generation.js';
import type { NodeProgram, Program } from '../core/protocol/program.js';
import { estimateTexts } from '../core/protocol/token-counts.js';
import { skeletonOf } from '../core/workflow-test/skeleton.js';
import type { WorldRecord } from '../ports/worlds.js';
import type { Engine } from './engine.js';
import { loadScenario } from './load-program.js';
import { NO_PRICE } from './read-cost.js';
import { unknownWorld } from './worlds.js';

/** What the next turns of a world will use and cost. */
export interface RunEstimate extends TurnsEstimate {
  readonly world_slug: string;
  readonly turns: number;
  /** What the nodes will ask; null where a variable has to be set first. */
  readonly models: readonly (string | null)[];
  /** Null where nothing is priced. */
  readonly prices: PriceSources | null;
}

/** Estimates the next turns of a world, by authored limits and its earlier turns. Makes no call, and writes nothing. */
export async function estimateRun(
  engine: Engine,
  { world_slug, turns }: { readonly world_slug: string; readonly turns: number },
): Promise<Outcome<RunEstimate>> {
  const { store, metering } = engine;
  const world = await store.worlds.find(world_slug);
  if (world === undefined) return unknownWorld(engine, world_slug);
  const loaded = await loadScenario(engine, world.scenario_hash);
  if (!loaded.ok) return loaded;
  const book = await metering?.openPrices();
  if (book?.ok === false) return book;
  const nodes = listAsking(engine, loaded.value.program);
  // What earlier documents used says little about these.
  const since = (await store.worlds.scenarios(world_slug)).at(-1)?.from_turn ?? 0;
  const earlier = (await listEarlier(engine, world)).filter(({ attempted_turn: turn }) => since <= turn);
  const costOf = book?.value.costOf ?? NO_PRICE;
  return succeed({
    world_slug,
    turns,
    models: [...new Set(nodes.map(({ model }) => model))],
    prices: book?.value.sources ?? null,
    ...estimateTurns(turns, nodes, earlier, { costOf, at: engine.runtime.clock.now() }),
  });
}

/** The calls of its committed turns; of a fork also those that it shares. */
async function listEarlier(
  { store }: Pick<Engine, 'store'>,
  { world_slug, turn, forked_from }: Pick<WorldRecord, 'world_slug' | 'turn' | 'forked_from'>,
): Promise<readonly MeteredCall[]> {
  const calls = await store.browse.metered({ world_slug });
  const own = calls.filter(({ attempted_turn }) => (forked_from?.turn ?? 0) < attempted_turn && attempted_turn <= turn);
  const shared = forked_from && (await store.worlds.find(forked_from.world_slug));
  return shared ? [...(await listEarlier({ store }, { ...shared, turn: forked_from.turn })), ...own] : own;
}

function listAsking({ findModel }: Pick<Engine, 'findModel'>, program: Program): readonly AskingNode[] {
  return program.subjects.flatMap(({ subject_id, workflow }) =>
    workflow.nodes.filter(asksModel).map((node): AskingNode => {
      const { source } = node.call;
      const { turn_limit, token_budget } = node.constraints;
      const { max_output_tokens } = source.interface;
      const key = `${subject_id}/${node.id}/round-1/try-1`;
      const written = node.prompt.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])),
      );
      const answer = JSON.stringify(skeletonOf(program, { key, source_label: source.label }));
      return {
        subject_id,
        node_id: node.id,
        ...findModel(source),
        least: { input_tokens: estimateTexts(...written), output_tokens: estimateTexts(answer) },
        token_budget,
        calls_max: Math.min(turn_limit ?? Infinity, (1 + toolCallsOf(node)) * callsOfRound(node)),
        output_tokens_max: typeof max_output_tokens === 'number' ? max_output_tokens : null,
      };
    }),
  );
}

function asksModel(node: NodeProgram): node is GenerationProgram {
  return node.constraints !== undefined;
}

/** Its tries, and where it has a gate, as many tries at a verdict on each. */
function callsOfRound({ max_generation_attempts: tries, gate }: GenerationProgram): number {
  return gate === undefined ? tries : tries * (1 + tries);
}

function toolCallsOf(node: NodeProgram & { readonly max_tool_calls?: number }): number {
  return node.max_tool_calls ?? 0;
}

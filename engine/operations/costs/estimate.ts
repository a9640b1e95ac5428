import { type Outcome, succeed } from '../../contract/problem.js';
import type { TokenUsage } from '../../contract/source.js';
import { type AskedModel, type AskingNode, estimateTurns, type TurnsEstimate } from '../../core/cost/estimate.js';
import type { MeteredCall } from '../../core/cost/cost.js';
import type { PriceSources } from '../../core/cost/price-book.js';
import type { GenerationProgram } from '../../core/nodes/generation.js';
import type { NodeProgram, Program } from '../../core/protocol/program.js';
import { estimateTexts } from '../../core/protocol/token-counts.js';
import { skeletonOf } from '../../core/workflow-test/skeleton.js';
import type { WorldRecord } from '../../ports/worlds.js';
import type { Engine } from '../engine.js';
import { loadScenario } from '../running/load-program.js';
import { NO_PRICE } from './read-cost.js';
import type { StageRequest } from '../running/stage.js';
import { unknownWorld } from '../worlds/worlds.js';

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
  const { store } = engine;
  const world = await store.worlds.find(world_slug);
  if (world === undefined) return unknownWorld(engine, world_slug);
  const loaded = await loadScenario(engine, world.scenario_hash);
  if (!loaded.ok) return loaded;
  // What earlier documents used says little about these.
  const since = (await store.worlds.scenarios(world_slug)).at(-1)?.from_turn ?? 0;
  const earlier = (await listEarlier(engine, world)).filter(({ attempted_turn: turn }) => since <= turn);
  return estimateProgram(engine, loaded.value.program, { world_slug, turns, earlier });
}

/** A run of as many turns is estimated unasked. */
const LONG_RUN_TURNS = 10;

/** Estimates a long run of models that somebody pays; undefined for others. */
export async function estimateLongRun(
  engine: Engine,
  { world_slug, turns, answers_file, person }: LongRun,
): Promise<RunEstimate | undefined> {
  if (turns < LONG_RUN_TURNS || answers_file !== undefined || person !== undefined) return undefined;
  const estimate = await estimateRun(engine, { world_slug, turns });
  return estimate.ok ? estimate.value : undefined;
}

interface LongRun extends Pick<StageRequest, 'answers_file' | 'person'> {
  readonly world_slug: string;
  readonly turns: number;
}

/** Estimates turns of a program. @returns a refusal of the operator's prices */
export async function estimateProgram(
  sources: AskedSources,
  program: Program,
  {
    world_slug,
    turns,
    earlier,
  }: Pick<RunEstimate, 'world_slug' | 'turns'> & { readonly earlier: readonly MeteredCall[] },
): Promise<Outcome<RunEstimate>> {
  const book = await sources.metering?.openPrices();
  if (book?.ok === false) return book;
  const nodes = listAsking(sources, program);
  const costOf = book?.value.costOf ?? NO_PRICE;
  return succeed({
    world_slug,
    turns,
    models: [...new Set(nodes.flatMap(({ asked }) => asked.map(({ model }) => model)))],
    prices: book?.value.sources ?? null,
    ...estimateTurns(turns, nodes, earlier, { costOf, at: Date.now() }),
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

type AskedSources = Pick<Engine, 'findModel' | 'metering'>;

function listAsking({ findModel }: AskedSources, program: Program): readonly AskingNode[] {
  return program.subjects.flatMap(({ subject_id, workflow }) =>
    workflow.nodes.filter(asksModel).map((node): AskingNode => {
      const { gate, fallback, max_generation_attempts: tries } = node;
      const { turn_limit = Infinity, token_budget } = node.constraints;
      const answers = (1 + (node.max_tool_calls ?? 0)) * tries;
      const toAsked = ({ call }: Pick<GenerationProgram, 'call'>, calls: number): Omit<AskedModel, 'least'> => ({
        is_gate: call === gate?.call,
        ...findModel(call.source),
        calls_max: Math.min(turn_limit, calls),
        output_tokens_max: call.source.output_limit ?? null,
      });
      const [own, verdict] = [`${subject_id}/${node.id}/round-1/try-1`, '/gate/try-1'];
      const leastOf = ({ call, prompt }: Pick<GenerationProgram, 'call' | 'prompt'>, key: string): TokenUsage => {
        const written = prompt.messages.flatMap(({ parts }) =>
          parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])),
        );
        const answer = JSON.stringify(skeletonOf(program, { key, source_label: call.source.label }));
        return { input_tokens: estimateTexts(...written), output_tokens: estimateTexts(answer) };
      };
      return {
        subject_id,
        node_id: node.id,
        asked: [
          { ...toAsked(node, answers), least: leastOf(node, own) },
          ...(gate ? [{ ...toAsked(gate, answers * tries), least: leastOf(gate, own + verdict) }] : []),
          ...(fallback ? [{ ...toAsked(fallback, answers), least: null }] : []),
        ],
        token_budget,
        calls_max: Math.min(turn_limit, gate ? answers * (1 + tries) : answers),
      };
    }),
  );
}

type AskingProgram = GenerationProgram & {
  readonly max_tool_calls?: number;
  readonly fallback?: Pick<GenerationProgram, 'call'>;
};

function asksModel(node: NodeProgram): node is AskingProgram {
  return node.constraints !== undefined;
}

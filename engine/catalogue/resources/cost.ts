import type { Cost, GroupedCosts } from '../../core/cost/cost.js';
import type { PromptParts } from '../../core/cost/prompt-parts.js';
import { type CostsBy, showCost, type WorldCost } from '../../operations/costs/costs.js';
import { present } from '../../contract/present.js';
import { resource } from '../resource.js';
import { type Blocks, type Columns, facts, note, section, table, trailToWorld } from '../view.js';
import { capital, count, costFacts, toDollars, toThousands, toShare } from '../words.js';

export const cost = resource({
  name: 'get_cost',
  path: '/worlds/:world_slug/cost',
  command: 'cost',
  says: 'Show what a world has cost: tokens and money by turn, subject, node and model, and what filled its prompts.',
  gives: 'WorldCost',
  takes: ['by'],
  read: (archive, { parameters: { world_slug }, query: { by } }) =>
    showCost(archive, present({ world_slug, by: by as CostsBy | undefined })),
  view: ({ world_slug, total, groups, prompts, prices }) => ({
    eyebrow: 'Cost',
    title: `What ${world_slug} has cost`,
    trail: trailToWorld(world_slug),
    sections: [
      section('facts', 'In all', facts({ ...costFacts(total), prices: prices && drawPrices(prices) })),
      ...groups.map(({ by, rows }) =>
        section(by, TITLES[by], table(rows, columnsOf(by), 'No model has been asked yet.')),
      ),
      section('component', 'What filled the prompts', prompts && drawPrompts(prompts, total)),
    ],
  }),
});

const TITLES: Readonly<Record<GroupedCosts['by'], string>> = {
  turn: 'By turn',
  subject: 'By subject',
  node: 'By node',
  model: 'By model',
  standing: 'By how calls stand',
};

function drawPrices({ snapshot, snapshot_date, snapshot_age_days, file }: NonNullable<WorldCost['prices']>): string {
  const shipped = `${snapshot} of ${snapshot_date}, ${count(snapshot_age_days, 'day')} old`;
  return file === null ? shipped : `${file}, then ${shipped}`;
}

const some = (number: number): string | null => (number === 0 ? null : toThousands(number));

const columnsOf = (by: string): Columns<GroupedCosts['rows'][number]> => ({
  [by === 'standing' ? 'calls that are' : by]: ({ of }) => of,
  calls: ({ calls }) => toThousands(calls),
  'tokens in': ({ input_tokens }) => toThousands(input_tokens),
  cached: ({ cached_input_tokens }) => some(cached_input_tokens),
  written: ({ cache_written_input_tokens }) => some(cache_written_input_tokens),
  out: ({ output_tokens }) => toThousands(output_tokens),
  reasoning: ({ reasoning_tokens }) => some(reasoning_tokens),
  cost: ({ usd }: Cost) => toDollars(usd),
  estimated: ({ estimated_calls }) => some(estimated_calls),
  uncounted: ({ uncounted_calls }) => some(uncounted_calls),
  unpriced: ({ unpriced_calls, usd }) => (usd === null ? null : some(unpriced_calls)),
});

function drawPrompts({ parts, counted_tokens, counted_by }: PromptParts, { input_tokens }: Cost): Blocks {
  const columns: Columns<PromptParts['parts'][number]> = {
    'part of the prompt': ({ origin }) => origin,
    tokens: ({ tokens }) => toThousands(tokens),
    share: ({ tokens }) => toShare(tokens, counted_tokens),
  };
  const by = counted_by.map(({ tokenizer, is_estimate, calls }) =>
    [`${count(calls, 'call')} by ${tokenizer}`, is_estimate ? ', an estimate' : ''].join(''),
  );
  const said = `${toThousands(counted_tokens)} tokens, counted for ${by.join(', ')}. Providers counted ${toThousands(input_tokens)}, with schemas that are sent beside the prompt.`;
  return [table(parts, columns, 'No model has been asked yet.'), parts.length > 0 && note(capital(said))];
}

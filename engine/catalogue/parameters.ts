import type { JsonObject } from '../contract/json.js';
import { SLUG } from '../contract/slug.js';
import { TRAVERSALS } from '../core/ledger/traverse.js';
import { STREAM_FORMATS } from '../core/stream/frames.js';
import { COSTS_BY } from '../operations/costs/costs.js';
import { LIMIT, LIMIT_MAX } from '../operations/browse/list-part.js';
import { PLACES, type PlaceKind } from './places.js';
import { SEARCH_KINDS } from '../ports/search.js';

interface Parameter {
  readonly description: string;
  readonly schema: JsonObject;
}

const ID = { type: 'string', format: 'uuid' };
const HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const NAME = { type: 'string', pattern: `^${SLUG}$`, maxLength: 64 };
const TURN = { type: 'integer', minimum: 0 };
const TEXT = { type: 'string' };

type KeyOf<Kind> = Kind extends { readonly members: readonly [infer Key extends `${string}_id`, ...unknown[]] }
  ? Key
  : never;

/** The ids of resources, each by the first of its members. */
const KEYS = Object.fromEntries(
  Object.values(PLACES).map(({ noun, members: [key = ''] }) => {
    const description = `The id of ${/^[aeiou]|^LLM/.test(noun) ? 'an' : 'a'} ${noun}.`;
    return [key, { description, schema: ID }] as const;
  }),
) as unknown as Readonly<Record<KeyOf<(typeof PLACES)[PlaceKind]>, Parameter>>;

/** Every parameter of a path or a query, by name: one name means one thing on every route. */
export const PARAMETERS = {
  ...KEYS,
  world_slug: { description: 'The name of a world.', schema: NAME },
  study_label: { description: 'The label of a study.', schema: NAME },
  entity_id: { description: 'The id of an entity, as people type it.', schema: TEXT },
  entity: { description: 'Only changes of this entity.', schema: TEXT },
  text: { description: 'A text, as it was written; of several lines the longest counts.', schema: TEXT },
  tool: { description: 'The name of a tool, or the id of another call of a workflow.', schema: TEXT },
  arguments: { description: 'The arguments of the call, as JSON.', schema: TEXT },
  event_id: { description: 'The id of an event: its attempt, a point, and its number.', schema: TEXT },
  correlation_id: { description: 'The id of a call, or the alias that its service gave it.', schema: TEXT },
  hash: {
    description: 'The SHA-256 of a document, or a unique beginning of it.',
    schema: { type: 'string', pattern: '^[0-9a-f]{8,64}$' },
  },
  turn: { description: 'A turn.', schema: TURN },
  limit: {
    description: `How many rows; ${LIMIT} by default.`,
    schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX },
  },
  after: { description: 'The "next" of the previous part; of an attempt, the number of a call.', schema: TEXT },
  only: {
    description: 'unfinished: only calls that are open, have failed or are in doubt.',
    schema: { enum: ['unfinished'] },
  },
  until: { description: 'The latest turn of the story.', schema: TURN },
  from: { description: 'The first of the two turns; 0 by default.', schema: TURN },
  to: { description: 'The other turn; the latest by default.', schema: TURN },
  other: { description: 'The other world or attempt of the comparison.', schema: TEXT },
  format: {
    description: 'Of a page: json; by default, the Accept header decides. Of a stream: ai-sdk; AG-UI by default.',
    schema: { enum: ['json', 'html', ...STREAM_FORMATS] },
  },
  since: { description: 'Now: skips stored events.', schema: { enum: ['start', 'now'] } },
  attempt: { description: 'The attempt whose prompts are shown; the latest by default.', schema: ID },
  scenario: { description: 'Only worlds that use the scenario of this hash, or did.', schema: HASH },
  q: {
    description: 'Words of the text; "quoted words" must be adjacent, or means either, -word excludes.',
    schema: { type: 'string', maxLength: 200 },
  },
  kind: { description: 'Only texts of this kind.', schema: { enum: [...SEARCH_KINDS] } },
  wo_id: { description: 'The id of a work order.', schema: TEXT },
  pattern: { description: 'The traversal.', schema: { enum: Object.keys(TRAVERSALS) } },
  of: {
    description: 'The id that the traversal starts from: of an entry, an artifact, an agent or a framework.',
    schema: TEXT,
  },
  world: { description: 'Only calls, or texts, of this world.', schema: NAME },
  subject: { description: 'Only calls, or texts, of this subject.', schema: TEXT },
  source: { description: 'Only calls of the source with this label.', schema: TEXT },
  by: { description: 'Only the costs by this; all of them by default.', schema: { enum: [...COSTS_BY] } },
  state: { description: 'Only calls, or attempts, in this state, such as failed.', schema: TEXT },
  failure: { description: 'Only calls, attempts and their texts that failed with this class.', schema: TEXT },
} as const satisfies Readonly<Record<string, Parameter>>;

export type ParameterName = keyof typeof PARAMETERS;

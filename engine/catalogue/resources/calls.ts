import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { type PartReader, readPart } from '../../operations/browse/list-part.js';
import type { Archive } from '../../operations/engine.js';
import type { CallFilter, CountedCalls } from '../../ports/browse.js';
import type { Answers } from '../answers.js';
import type { ParameterName } from '../parameters.js';
import { type Asked, listView, type Resource, resource, type Row } from '../resource.js';
import { listedColumns, llmCallColumns } from '../tables.js';
import { code, type Link, note, type RecordView, section } from '../view.js';

const FILTERS: readonly ParameterName[] = ['state', 'world', 'source', 'failure'];

/** How many of the latest calls are counted by their state. */
const COUNTED = 1_000;

type CallList = 'SourceInvocations' | 'LlmCalls';

interface Declared<Kind extends CallList> extends Pick<Resource<Kind>, 'name' | 'path' | 'says' | 'gives'> {
  readonly title: string;
  readonly counted: Omit<CountedCalls, 'seen'>;
  readonly keyOf: (row: Row<Kind>) => string;
  readonly list: (
    archive: Archive,
    wanted: Parameters<PartReader<Row<Kind>>['read']>[0] & CallFilter,
  ) => Promise<readonly Row<Kind>[]>;
  readonly columns: Parameters<typeof listView<Kind>>[0]['columns'];
}

/** A list of calls by state, world, source and failure, with the number of each state among the latest. */
function callList<Kind extends CallList>({ title, counted, keyOf, list, columns, ...declared }: Declared<Kind>) {
  const drawRows = listView<Kind>({ about: () => ({ title }), order: 'The latest first', columns, empty: NO_CALLS });
  return resource<Kind>({
    ...declared,
    reader: 'operator',
    takes: [...FILTERS, 'limit', 'after'],
    async read(archive, { query }) {
      const { state: status, world: world_slug, source: source_label, failure: failure_class } = query;
      const others = present({ world_slug, source_label, failure_class });
      const part = await readPart<Row<Kind>>(query, {
        cursor: 'id',
        keyOf,
        read: async (wanted) => succeed(await list(archive, { ...wanted, ...others, ...present({ status }) })),
      });
      if (!part.ok) return part;
      const states = await archive.store.browse.statuses({ ...others, ...counted, seen: COUNTED });
      return succeed({ ...part.value, states }) as unknown as Outcome<Answers[Kind]>;
    },
    view(value, asked): RecordView {
      const drawn = drawRows(value, asked);
      return { ...drawn, sections: [section('states', 'By state', statesOf(value, asked)), ...drawn.sections] };
    },
  } as Resource<Kind>);
}

/** The states of the latest calls, each a way to those calls alone. */
function statesOf({ states }: Answers[CallList], { query }: Asked) {
  const kept = Object.entries(query).filter(([name]) => FILTERS.some((filter) => filter === name));
  const linkOf = (state: string | undefined, text: string): Link => {
    const wanted = new URLSearchParams(kept.filter(([name]) => name !== 'state'));
    if (state !== undefined) wanted.set('state', state);
    return { path: `?${wanted.toString()}`, command: [], text };
  };
  const ways = states.flatMap(({ status, count }) => [', ', linkOf(status, `${status} ${count}`)]);
  return note(`Of the latest ${COUNTED}: `, linkOf(undefined, 'all'), ways);
}

const NO_CALLS = ['No call has been made yet. Three turns make some: ', code('npx chukwa park')];

export const invocationList = callList({
  name: 'list_source_invocations',
  path: '/source-invocations',
  says: 'Source calls, the latest first; by state, world, source and failure.',
  gives: 'SourceInvocations',
  title: 'Source invocations',
  counted: {},
  keyOf: ({ source_invocation_id }) => source_invocation_id,
  list: ({ store }, wanted) => store.browse.invocations(wanted),
  columns: listedColumns,
});

export const llmCallList = callList({
  name: 'list_llm_calls',
  path: '/llm-calls',
  says: 'Generations, the latest first; by state, world, source and failure.',
  gives: 'LlmCalls',
  title: 'LLM calls',
  counted: { kind: 'llm_generation' },
  keyOf: ({ llm_call_id }) => llm_call_id,
  list: ({ store }, wanted) => store.browse.llmCalls(wanted),
  columns: llmCallColumns,
});

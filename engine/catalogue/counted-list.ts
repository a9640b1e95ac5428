import { succeed } from '../contract/problem.js';
import type { Archive } from '../operations/engine.js';
import type { StatusCount } from '../ports/browse.js';
import type { ParameterName } from './parameters.js';
import { type Asked, type ListDeclaration, listResource, type Resource } from './resource.js';
import { type Link, note, type RecordView, section } from './view.js';

/** How many of the latest rows are counted by their state. */
const COUNTED = 1_000;

type CountedKind = 'Attempts' | 'SourceInvocations' | 'LlmCalls';

interface CountedDeclaration<Kind extends CountedKind> extends Omit<ListDeclaration<Kind>, 'takes'> {
  /** The parameters that choose rows, `state` among them. */
  readonly filters: readonly ParameterName[];
  /** How many of so many latest rows have each state, whatever state is asked for. */
  readonly count: (archive: Archive, asked: Asked, seen: number) => Promise<readonly StatusCount[]>;
}

/** Declares a list that can be narrowed, with the number of each state among the latest rows. */
export function countedList<Kind extends CountedKind>({
  filters,
  count,
  ...declared
}: CountedDeclaration<Kind>): Resource<Kind> {
  const list = listResource<Kind>({ ...declared, takes: filters });
  return {
    ...list,
    async read(archive, asked) {
      const part = await list.read(archive, asked);
      if (!part.ok) return part;
      const states = await count(archive, asked, COUNTED);
      return succeed({ ...part.value, states });
    },
    view(value, asked): RecordView {
      const drawn = list.view(value, asked);
      const states = section('states', 'By state', statesOf(value.states, filters, asked));
      return { ...drawn, sections: [states, ...drawn.sections] };
    },
  };
}

/** The states of the latest rows, each a way to those rows alone. */
function statesOf(states: readonly StatusCount[], filters: readonly ParameterName[], { query }: Asked) {
  const kept = Object.entries(query).filter(([name]) => filters.some((filter) => filter === name));
  const linkOf = (state: string | undefined, text: string): Link => {
    const wanted = new URLSearchParams(kept.filter(([name]) => name !== 'state'));
    if (state !== undefined) wanted.set('state', state);
    return { path: `?${wanted.toString()}`, command: [], text };
  };
  const ways = states.flatMap((one) => [', ', linkOf(one.status, `${one.status} ${one.count}`)]);
  return note(`Of the latest ${COUNTED}: `, linkOf(undefined, 'all'), ways);
}

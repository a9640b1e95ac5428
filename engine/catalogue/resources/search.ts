import { type Found, search as find } from '../../operations/browse/search.js';
import type { SearchHit } from '../../ports/search.js';
import { pathOf, pathOfPatch } from '../places.js';
import { resource } from '../resource.js';
import {
  type Blocks,
  faint,
  type Link,
  links,
  linkTo,
  list,
  more,
  note,
  type Phrase,
  section,
  strong,
} from '../view.js';

const HEAD = { title: 'Search', eyebrow: 'Search all texts', trail: [] };

export const search = resource({
  name: 'search',
  path: '/search',
  says: 'Narrations, states, prompts, answers and results by their words; the latest attempt first.',
  gives: 'Found',
  takes: ['q', 'kind', 'world', 'turn', 'subject', 'source', 'failure', 'limit', 'after'],
  asks: {
    ...HEAD,
    fields: {
      q: 'Words',
      kind: 'In',
      world: 'World',
      turn: 'Turn',
      subject: 'Subject',
      source: 'Source',
      failure: 'Failure class',
    },
  },
  read: (archive, { query }) => find(archive, query),
  view({ rows, next, is_complete }: Found, { query }) {
    const isAsked = Object.entries(query).some(([name, text]) => !['format', 'limit'].includes(name) && text !== '');
    const nothing = isAsked
      ? 'Nothing was found. An attempt can be searched once it has ended.'
      : 'Write words, or choose a filter. "Two words" in quotes must be adjacent; -word excludes.';
    return {
      ...HEAD,
      sections: [
        section(
          'found',
          'Found',
          !is_complete && note('The latest attempts are not indexed yet. Search again in a moment.'),
          rows.length === 0 ? note(nothing) : list(rows.map(drawHit)),
          more(next),
        ),
      ],
    };
  },
});

function drawHit(hit: SearchHit): Blocks {
  const { kind, world_slug, turn, workflow_subject_entity_id: subject, source_label, failure_class, snippet } = hit;
  const about = [`turn ${turn}`, subject, source_label, failure_class].filter((word) => word !== null);
  const words = snippet.map(({ text, is_match }): Phrase => {
    const plain = text.replaceAll(/\s+/g, ' ');
    return is_match ? { as: 'match', text: plain } : plain;
  });
  return [
    note(strong(kind), '  ', linkTo('world', world_slug), '  ', faint(about.join(', '))),
    note(...words),
    links(placeOf(hit)),
  ];
}

/** The place of a found text: a turn for a patch, a generation, or a call for a result. */
function placeOf(hit: SearchHit): Link {
  const { kind, world_slug, turn, attempt_id, patch_seq, llm_call_id, source_invocation_id } = hit;
  const call = llm_call_id === null ? null : linkTo('llm_call', llm_call_id, 'the prompt');
  if (patch_seq !== null) {
    const path = pathOfPatch(world_slug, turn, patch_seq);
    return { ...(call ?? linkTo('attempt', attempt_id)), path, text: `patch ${patch_seq} of turn ${turn}` };
  }
  if (llm_call_id !== null && call !== null) return { ...call, path: `${pathOf('llm_call', llm_call_id)}#${kind}` };
  if (source_invocation_id === null) return linkTo('attempt', attempt_id, 'the attempt');
  return linkTo('source_invocation', source_invocation_id, 'the call');
}

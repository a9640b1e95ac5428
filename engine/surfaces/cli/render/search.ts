import type { Found } from '../../../operations/search.js';
import type { SearchHit } from '../../../ports/search.js';
import { command, EMPTY, faint, hanging, line, type Lines, type Span, strong, verbatim } from './line.js';

/** The texts found, each with its place and the command that shows it. */
export function foundLines({ rows, next }: Found): Lines {
  if (rows.length === 0) return [line('Nothing was found.')];
  const more = next === null ? [] : [line(faint('There are more: raise --limit, or use other words.'))];
  return [rows.flatMap(hitLines), more];
}

function hitLines(hit: SearchHit): Lines {
  const { kind, world_slug, turn, workflow_subject_entity_id: subject, failure_class, snippet } = hit;
  const about = [`turn ${turn}`, subject, hit.source_label, failure_class].filter((word) => word !== null);
  const words = snippet.map(({ text, is_match }) => {
    const plain = text.replaceAll(/\s+/g, ' ');
    return is_match ? strong(plain) : { text: plain };
  });
  return [
    line(strong(kind), `  ${world_slug}  `, faint(about.join(', '))),
    hanging(2, '  ', ...words),
    verbatim('  ', commandOf(hit)),
    EMPTY,
  ];
}

function commandOf({ llm_call_id, source_invocation_id, attempt_id }: SearchHit): Span {
  if (llm_call_id !== null) return command('llm-call', llm_call_id);
  return source_invocation_id === null ? command('attempt', attempt_id) : command('invocation', source_invocation_id);
}

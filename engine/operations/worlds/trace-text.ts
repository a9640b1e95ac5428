import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { type LearntText, traceText as trace } from '../../core/world/trace-text.js';
import type { Archive } from '../engine.js';
import { type EntityPlace, showEntity } from './entities.js';

/** How an agent came to know a text. */
export interface TracedText {
  readonly world_slug: string;
  readonly agent_id: string;
  readonly text: string;
  /** Each agent that it came through, the asked one first; empty where no prompt of the agent had it. */
  readonly path: readonly LearntText[];
}

/**
 * Says when, how and through whom an agent came to know a text: what prompts of committed turns have shown, and nothing that
 * a model may have guessed.
 * @param place with the text as it was written; of several lines the longest counts
 */
export async function traceText(
  archive: Archive,
  { text: written, ...place }: Omit<EntityPlace, 'turn'> & { readonly text: string },
): Promise<Outcome<TracedText>> {
  const shown = await showEntity(archive, place);
  if (!shown.ok) return shown;
  const { world_slug, turn, id: agent_id } = shown.value;
  const lines = written.split(/\r\n|[\n\r]/).map((line) => line.trim());
  const [text = ''] = lines.toSorted((one, other) => other.length - one.length);
  if (text === '') return refuse(problem('TEXT_BLANK'));
  const record = await archive.store.records.textRecord({ world_slug, turn, text });
  return succeed({ world_slug, agent_id, text, path: trace(record, agent_id) });
}

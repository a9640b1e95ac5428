import type { Message } from '../prompt/message.js';
import { pinnedMemories, recentMemories } from '../world/projection.js';
import type { GenerationProgram } from './generation.js';
import type { NodeScope } from './node-type.js';

/** The ids of the memories that a prompt shows, oldest first: those of its placeholders, each once. */
export function listShownMemories(
  { projection }: Pick<GenerationProgram, 'projection'>,
  { frozen: { subject }, retrieved }: Pick<NodeScope, 'frozen' | 'retrieved'>,
  messages: readonly Pick<Message, 'segments'>[],
): readonly string[] {
  if (subject === undefined) return [];
  const origins = new Set(messages.flatMap(({ segments }) => segments.map(({ origin }) => origin)));
  const shown = [
    ...(origins.has('memory.pinned') ? pinnedMemories(subject) : []),
    ...(origins.has('memory.retrieved') ? (retrieved?.found ?? []) : []),
    ...(origins.has('subject.rendered') ? recentMemories(subject, projection) : []),
  ];
  return [...new Set(shown.flatMap(({ memory_id }) => memory_id ?? []))].toSorted(byAge);
}

function byAge(one: string, other: string): number {
  const [[turn = 0, seq = 0], [otherTurn = 0, otherSeq = 0]] = [one, other].map((id) => id.split('.').map(Number)) as [
    number[],
    number[],
  ];
  return turn - otherTurn || seq - otherSeq;
}

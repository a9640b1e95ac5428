import type { MemoryQuery } from '../../engine/core/world/retrieval.js';
import { type LongConversation, makeConversation } from './long-conversations.js';

const TOP = 10;

/** A query for the memories of one agent, as the comparison makes it. */
export function toQuery(text: string, change: Partial<MemoryQuery> = {}): MemoryQuery {
  const own = { entity_id: 'agent', turn: 1_000_000, text, language: 'english', top: TOP } as const;
  return { ...own, neighbours: 0, skip_latest: 0, skip_pinned: false, ...change };
}

/** What finds memories: gives the indexes of the best. */
export type Finder = (conversation: LongConversation, question: string, index: number) => Promise<readonly number[]>;

/** The share of the questions whose answer is among what is found. */
export async function recallOf(find: Finder, conversations: readonly LongConversation[]): Promise<number> {
  let [found, asked] = [0, 0];
  for (const [index, conversation] of conversations.entries())
    for (const { text, gold } of conversation.questions) {
      asked += 1;
      if ((await find(conversation, text, index)).includes(gold)) found += 1;
    }
  return found / asked;
}

/** The conversations of the comparison. */
export function corpus(): readonly LongConversation[] {
  return [1, 2, 3].map((seed) => makeConversation(seed, 600));
}

/** The latest memories, whatever is asked. */
export const lastOnes: Finder = ({ memories }) =>
  Promise.resolve(Array.from({ length: TOP }, (_, index) => memories.length - 1 - index));

/** The share of the question's words that a memory has, and its recency, with equal weights. */
export const termsAndRecency: Finder = ({ memories }, question) => {
  const words = wordsOf(question);
  const scores = memories.map((memory, index) => {
    const own = new Set(wordsOf(memory));
    const relevance = words.filter((word) => own.has(word)).length / words.length;
    return { index, score: relevance + (index + 1) / memories.length };
  });
  return Promise.resolve(
    scores
      .toSorted((one, other) => other.score - one.score)
      .slice(0, TOP)
      .map(({ index }) => index),
  );
};

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

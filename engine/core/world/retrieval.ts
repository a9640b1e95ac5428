import type { Origins } from '../prompt/origins.js';
import type { MemoryRetrieval } from '../../generated/workflow.js';

/** A search among the committed memories of an agent. */
export interface MemoryQuery extends Required<Omit<MemoryRetrieval, 'query'>> {
  readonly entity_id: string;
  /** The latest turn whose memories are searched. */
  readonly turn: number;
  readonly text: string;
  /** How many of the latest memories are left out: a prompt shows them already. */
  readonly skip_latest: number;
  /** Whether the memories of the scenario are left out, for the same reason. */
  readonly skip_pinned: boolean;
}

/** A memory that a search has found. */
export interface FoundMemory {
  /** Its turn, and its number among the memories that the agent has of that turn: `3.2`. */
  readonly memory_id: string;
  readonly turn: number;
  readonly content: string;
  /** Left out where the scenario wrote it. */
  readonly origins?: Origins;
  /** Of one that an author has a node write: the ids of the memories that the node was shown. */
  readonly sources?: readonly string[];
  /** By BM25, in millionths; null of a neighbour of one that was found. */
  readonly score: number | null;
}

/** A search and what it found, oldest first: it is recorded with the generation that it was made for. */
export interface Retrieved {
  /** SHA-256 of the canonical query, 64 hex digits. */
  readonly request_hash: string;
  readonly query: MemoryQuery;
  readonly found: readonly FoundMemory[];
}

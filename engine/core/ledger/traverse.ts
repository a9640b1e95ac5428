import type { LedgerEntry } from './ledger-entry.js';

/** The ways through the entries of an attempt, by the links of the work order protocol. */
export const TRAVERSALS = {
  /** From an entry up to its root cause. @param of an entry id */
  causal_chain: (entries, of) => {
    const byId = new Map(entries.map((entry) => [entry.entry_id, entry]));
    const chain: LedgerEntry[] = [];
    for (let at = byId.get(of); at !== undefined; at = byId.get(at.metadata.relational.parent_event_id ?? ''))
      chain.push(at);
    return chain;
  },
  /** All entries of a chain of orders. @param of the id of its root, or of any entry in it */
  chain_scope: (entries, of) => {
    const named = entries.find(({ entry_id }) => entry_id === of);
    const root = named?.metadata.relational.root_event_id ?? of;
    return entries.filter(({ entry_id, metadata }) => entry_id === root || metadata.relational.root_event_id === root);
  },
  /** All entries that name an artifact. @param of its id */
  artifact_impact: (entries, of) =>
    entries.filter(({ metadata }) => metadata.relational.related_artifacts.some(({ id }) => id === of)),
  /** All entries of an agent. @param of its id */
  agent_history: (entries, of) => entries.filter(({ metadata }) => metadata.provenance.agent_id === of),
  /** All failures under a framework. @param of its id, `FMWK-...` */
  framework_failures: (entries, of) =>
    entries.filter(({ metadata, outcome }) => metadata.provenance.framework_id === of && outcome?.status === 'failure'),
} as const satisfies Readonly<Record<string, (entries: readonly LedgerEntry[], of: string) => readonly LedgerEntry[]>>;

export type Traversal = keyof typeof TRAVERSALS;

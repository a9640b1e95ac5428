// Made by tools/generate-types.ts from schemas/gate-verdict.schema.json: do not edit, run `npm run generate`.
/** What the gate of a node says of an answer. */
export interface GateVerdict {
  /** pass: the answer counts. retry: its model is given the reason and answers again. escalate: the turn ends, and a person has to look at it. */
  readonly decision: 'pass' | 'retry' | 'escalate';
  /** Why, in a sentence or two. */
  readonly reason: string;
}

import type { CallEnded, CallStarted, Fact } from './fact.js';

/** A call from its start to its end. */
export interface Call {
  readonly start: CallStarted;
  /** Absent while it is under way. */
  readonly end?: CallEnded;
  readonly is_superseded: boolean;
}

/** The calls of an attempt in the order of their issue: adopted ones come first, each as its own attempt numbered it. */
export function pairCalls(facts: readonly Fact[]): readonly Call[] {
  const ends = new Map<string, CallEnded>();
  const superseded = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === 'call_ended') ends.set(fact.source_invocation_id, fact);
    if (fact.kind === 'call_superseded') superseded.add(fact.source_invocation_id);
  }
  return (
    facts
      .filter((fact) => fact.kind === 'call_started')
      .map((start): Call => {
        const end = ends.get(start.source_invocation_id);
        const is_superseded = superseded.has(start.source_invocation_id);
        return { start, is_superseded, ...(end === undefined ? {} : { end }) };
      })
      .map((call) => ({ call, place: placeOf(call) }))
      // By code units: an order that follows the language of the machine would seal entries otherwise elsewhere.
      .toSorted((left, right) => (left.place < right.place ? -1 : 1))
      .map(({ call }) => call)
  );
}

function placeOf({ start }: Call): string {
  const seq = `${start.invocation_seq}`.padStart(10, '0');
  return `${start.adopted_from === null ? '1' : '0'}${seq}${start.source_invocation_id}`;
}

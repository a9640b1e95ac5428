/** A call that waits for admission. */
export interface Applicant {
  readonly world_slug: string;
  /** Of one world's waiting calls the lowest is first. */
  readonly rank: number;
  /** The hash of its source, and how many of that source's calls its author allows at a time. */
  readonly source: { readonly hash: string; readonly max_in_flight?: number };
  /** Scheme, host and port, where it leads to any. */
  readonly endpoint?: string;
}

/** How many calls the operator allows at a time; where left out, any number. */
export interface FlightLimits {
  readonly process?: number;
  /** Of each endpoint, for all sources there. */
  readonly endpoint?: number;
}

/** The end of a call as a sign of its endpoint: it works, it wants no calls for so long, or nothing. */
export type Sign = { readonly kind: 'works' } | { readonly kind: 'closed'; readonly for_ms: number } | undefined;

/** Something that limits calls: the process, an endpoint or a source. */
interface Gate {
  readonly most: number;
  in_flight: number;
  /** How many calls at a time the endpoint has proved to bear: it may be more than `most`. */
  width: number;
  closed_until: number;
}

interface Lane<Call> {
  readonly gates: readonly Gate[];
  /** By rank, and in the order of their coming. */
  readonly calls: Call[];
}

/** No `Retry-After` closes an endpoint for longer: those that wait ask for themselves then. */
const CLOSED_MS_MAX = 60_000;
/** How long the limit of an idle endpoint is remembered. */
const REMEMBERED_MS = 60_000;

/**
 * Decides which calls of a process start now and which wait: a state machine over events and the time. Worlds take
 * turns, however many calls each has waiting. An endpoint that says `Retry-After` is closed to everybody until then;
 * after that it gets half as many calls at a time, and one more each time that so many have succeeded (additive
 * increase, multiplicative decrease).
 */
export class AdmissionTable<Call extends Applicant> {
  readonly #limits: FlightLimits;
  readonly #gates = new Map<string, Gate>();
  /** Lanes by world; the world that was served least lately comes first. */
  readonly #worlds = new Map<string, Map<string, Lane<Call>>>();

  constructor(limits: FlightLimits) {
    this.#limits = limits;
  }

  /** A call waits from now on. */
  add(call: Call): void {
    const lanes = this.#worlds.get(call.world_slug) ?? new Map<string, Lane<Call>>();
    this.#worlds.set(call.world_slug, lanes);
    const name = JSON.stringify([call.endpoint, call.source.hash]);
    const lane = lanes.get(name) ?? { gates: this.#gatesOf(call), calls: [] };
    lanes.set(name, lane);
    lane.calls.splice(placeFor(lane.calls, call.rank), 0, call);
  }

  /** A call waits no longer. */
  remove(call: Call): void {
    const lanes = this.#worlds.get(call.world_slug);
    for (const [name, { calls }] of lanes ?? []) {
      const at = calls.indexOf(call);
      if (at !== -1) calls.splice(at, 1);
      if (calls.length === 0) lanes?.delete(name);
    }
    if (lanes?.size === 0) this.#worlds.delete(call.world_slug);
  }

  /** The calls that are made now, in their order; each of them ends by `end`. */
  admit(now: number): readonly Call[] {
    const admitted: Call[] = [];
    for (let next = this.#findNext(now); next !== undefined; next = this.#findNext(now)) {
      this.remove(next);
      for (const gate of this.#gatesOf(next)) gate.in_flight += 1;
      const rest = this.#worlds.get(next.world_slug);
      // Behind all other worlds.
      if (rest !== undefined && this.#worlds.delete(next.world_slug)) this.#worlds.set(next.world_slug, rest);
      admitted.push(next);
    }
    return admitted;
  }

  /** A call that was made is over. */
  end(call: Call, sign: Sign, now: number): void {
    const gates = this.#gatesOf(call);
    const gate = call.endpoint === undefined ? undefined : this.#gates.get(`endpoint ${call.endpoint}`);
    if (gate !== undefined && sign?.kind === 'works') gate.width += 1 / gate.width;
    if (gate !== undefined && sign?.kind === 'closed') {
      // The calls that were under way together are refused together: that halves once.
      if (gate.closed_until <= now) gate.width = Math.max(1, Math.floor(gate.in_flight / 2));
      gate.closed_until = Math.max(gate.closed_until, now + Math.min(sign.for_ms, CLOSED_MS_MAX));
    }
    for (const each of gates) each.in_flight -= 1;
    this.#forget(now);
  }

  /** When the next endpoint opens for which calls wait; undefined where nothing waits for that. */
  opensAt(now: number): number | undefined {
    const closed = [...this.#lanes()].map(({ gates }) => Math.max(...gates.map(({ closed_until }) => closed_until)));
    const coming = closed.filter((at) => at > now);
    return coming.length === 0 ? undefined : Math.min(...coming);
  }

  #findNext(now: number): Call | undefined {
    for (const lanes of this.#worlds.values()) {
      const open = [...lanes.values()].flatMap(({ gates, calls }) =>
        gates.every((gate) => hasRoom(gate, now)) ? calls.slice(0, 1) : [],
      );
      if (open.length > 0) return open.reduce((first, call) => (call.rank < first.rank ? call : first));
    }
    return undefined;
  }

  *#lanes(): Iterable<Lane<Call>> {
    for (const lanes of this.#worlds.values()) yield* lanes.values();
  }

  #gatesOf({ source, endpoint }: Applicant): readonly Gate[] {
    return [
      this.#gate('process', this.#limits.process),
      this.#gate(`source ${source.hash}`, source.max_in_flight),
      ...(endpoint === undefined ? [] : [this.#gate(`endpoint ${endpoint}`, this.#limits.endpoint)]),
    ];
  }

  #gate(name: string, most = Infinity): Gate {
    const gate = this.#gates.get(name) ?? { most, in_flight: 0, width: most, closed_until: -Infinity };
    this.#gates.set(name, gate);
    return gate;
  }

  /** Gates that limit nothing now, and for which nothing waits that would have another in their place. */
  #forget(now: number): void {
    const waited = new Set([...this.#lanes()].flatMap(({ gates }) => gates));
    for (const [name, gate] of this.#gates)
      if (gate.in_flight === 0 && gate.closed_until + REMEMBERED_MS <= now && !waited.has(gate))
        this.#gates.delete(name);
  }
}

function hasRoom({ in_flight, most, width, closed_until }: Gate, now: number): boolean {
  return in_flight + 1 <= Math.min(most, width) && closed_until <= now;
}

/** The place of a call of this rank: behind all that are as low. */
function placeFor(calls: readonly Applicant[], rank: number): number {
  const at = calls.findLastIndex((call) => call.rank <= rank);
  return at + 1;
}

import type { JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import { PROBLEMS } from '../contract/problems/index.js';
import type { Scenario } from '../generated/scenario.js';
import type { Program } from '../core/protocol/program.js';
import type { Doorbell } from '../ports/doorbell.js';
import type { OpenHeartbeat } from '../ports/heartbeat.js';
import type { RuntimeParts } from '../runtime/runtime-parts.js';
import type { PluginCatalogue, ReplaceSecrets } from '../ports/sources.js';
import type { BrowsableStore } from '../ports/browse.js';
import type { CompileSchema, ValidateDocument } from '../ports/validation.js';

/** What operations on documents need; it reaches no database and no source. */
export interface Authoring {
  readonly compileSchema: CompileSchema;
  readonly validateDocument: ValidateDocument;
  readonly catalogue: PluginCatalogue;
  /** Shipped schemas, by file name such as `world-patch.schema.json`. */
  readonly shippedSchemas: ReadonlyMap<string, JsonObject>;
}

/** What is stored, for operations that only look: neither plugins nor validators need to be there. */
export interface Archive {
  readonly store: BrowsableStore;
}

export interface LoadedScenario {
  readonly scenario: Scenario;
  readonly program: Program;
}

/** Everything that an operation may use, put together by the composition root. */
export interface Engine extends Archive {
  readonly authoring: Authoring;
  readonly runtime: RuntimeParts;
  readonly replaceSecrets: ReplaceSecrets;
  /** What rings for workers, as it is configured; it connects when it is used. Close it. */
  openDoorbell(): Done<Doorbell>;
  /** Keeps leases from a thread of its own; undefined where nobody else could take them. Close it. */
  startHeartbeat(settings: { readonly lease_ms: number }): OpenHeartbeat | undefined;
  /** Scenarios and their programs by scenario hash: a hash names one content for ever. */
  readonly programs: Map<string, LoadedScenario>;
  close(): Promise<void>;
}

/** An operation that could not be done, for reasons that a person can mend. */
export interface Refused {
  readonly ok: false;
  /** `content`: what was asked for is at fault; `environment`: the database or a service is. */
  readonly because: 'content' | 'environment';
  readonly problems: readonly Problem[];
}

export type Done<Value> = { readonly ok: true; readonly value: Value } | Refused;

/** Does something with what is stored, and refuses where the database goes away or fills up meanwhile. */
export async function whileReachable<Opened extends Archive, Value>(
  engine: Opened,
  task: (engine: Opened) => Promise<Done<Value>>,
): Promise<Done<Value>> {
  try {
    return await task(engine);
  } catch (error) {
    const problem = engine.store.database.findFault(error);
    if (problem === undefined) throw error;
    return refuse(problem);
  }
}

/** Refuses; whether for what was asked or for the surroundings, the catalogue says of the first problem. */
export function refuse(...problems: readonly Problem[]): Refused {
  const { exit } = PROBLEMS[problems[0]?.code ?? 'UNEXPECTED'];
  return { ok: false, because: exit === 4 ? 'environment' : 'content', problems };
}

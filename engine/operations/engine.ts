import type { JsonObject } from '../contract/json.js';
import { type Outcome, problem, refuse } from '../contract/problem.js';
import type { Scenario } from '../generated/scenario.js';
import type { PriceBook } from '../core/cost/price-book.js';
import type { TokenizerOf } from '../core/cost/tokenizer.js';
import type { PriceTokens, Program } from '../core/protocol/program.js';
import type { Doorbell } from '../ports/doorbell.js';
import type { OpenHeartbeat } from '../ports/heartbeat.js';
import type { RuntimeParts } from '../runtime/runtime-parts.js';
import type { FindModel, FindObstacle, PluginCatalogue, ReplaceSecrets } from '../ports/sources.js';
import type { Store } from '../store/open-store.js';
import type { CompileSchema, ValidateDocument } from '../ports/validation.js';

/** The dependencies of operations on documents: no database and no source. */
export interface Authoring {
  readonly compileSchema: CompileSchema;
  readonly validateDocument: ValidateDocument;
  /** The same without the plugins: the settings of a source may be of one that is not here. */
  readonly validateShape: ValidateDocument;
  readonly catalogue: PluginCatalogue;
  /** Where shipped files live: `schemas/`, `fixtures/`. */
  readonly package_root: string;
  /** Shipped schemas, by file name such as `world-patch.schema.json`. */
  readonly shippedSchemas: ReadonlyMap<string, JsonObject>;
}

/** The database for operations that only read: neither plugins nor validators are needed. */
export interface Archive {
  readonly store: Store;
  /** Left out where nothing is priced. */
  readonly metering?: Metering;
}

/** What calls cost. Prices and tokenizers are large, and each is loaded when it is first asked for. */
export interface Metering {
  /** @returns a refusal of the operator's own file */
  openPrices(): Promise<Outcome<PriceBook>>;
  openTokenizers(models: readonly (string | null)[]): Promise<TokenizerOf>;
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
  readonly findObstacle: FindObstacle;
  /** The prices by which budgets of money are kept. @returns a refusal of the operator's own file */
  openPrice(): Promise<Outcome<PriceTokens>>;
  readonly findModel: FindModel;
  /** The configured doorbell of workers; it connects when it is used. Close it. */
  openDoorbell(): Outcome<Doorbell>;
  /** Renews leases from a thread of its own; undefined where no other process could take them. Close it. */
  startHeartbeat(settings: { readonly lease_ms: number }): OpenHeartbeat | undefined;
  /** Scenarios and their programs by scenario hash: a hash names one content for ever. */
  readonly programs: Map<string, LoadedScenario>;
  close(): Promise<void>;
}

/** Runs an operation on the store, and refuses where the database is lost or full meanwhile. */
export async function whileReachable<Opened extends Archive, Value>(
  engine: Opened,
  task: (engine: Opened) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  try {
    return await task(engine);
  } catch (error) {
    const found =
      engine.store.database.findFault(error) ?? (isDataException(error) ? problem('RECORD_UNREADABLE') : undefined);
    if (found === undefined) throw error;
    return refuse(found);
  }
}

/** The database reads a stored value otherwise than it is: SQLSTATE class 22. */
function isDataException(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^22...$/.test(String(error.code));
}

/** Runs a task with what has been opened, and closes it in any case. */
export async function whileOpen<Opened extends Archive & { close(): Promise<void> }, Value>(
  opened: Outcome<Opened>,
  task: (opened: Opened) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  if (!opened.ok) return opened;
  try {
    return await whileReachable(opened.value, task);
  } finally {
    await opened.value.close();
  }
}

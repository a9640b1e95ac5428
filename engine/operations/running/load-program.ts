import { type Outcome, problem, type Problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { Scenario } from '../../generated/scenario.js';
import { type Compiled, compileProgram } from '../../core/workflow/compile.js';
import { sourcesOf } from '../../core/workflow/sources-of.js';
import type { Program, SourceProgram } from '../../core/protocol/program.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import type { PluginDescription } from '../../ports/sources.js';
import type { ScenarioFiles } from '../../ports/worlds.js';
import { getComponent } from '../authoring/components.js';
import type { Authoring, Engine, LoadedScenario } from '../engine.js';

/** A scenario that has been checked and compiles. */
export interface UsableScenario {
  readonly hash: string;
  readonly scenario: Scenario;
  /** Absent where it is named by its hash. */
  readonly files?: ScenarioFiles;
  /** Stores it with all that it refers to, unless it is stored: the last step, after all other checks. */
  store(): Promise<void>;
}

export type WantedScenario = { readonly scenario_hash: string } | { readonly usable: UsableScenario };

/** Finds the scenario that is wanted. @returns a refusal where it is not stored or does not compile */
export async function findUsable(engine: Engine, wanted: WantedScenario): Promise<Outcome<UsableScenario>> {
  if ('usable' in wanted) return succeed(wanted.usable);
  const { scenario_hash: hash } = wanted;
  const loaded = await loadScenario(engine, hash);
  if (!loaded.ok) return loaded;
  return succeed({ hash, scenario: loaded.value.scenario, store: async () => {} });
}

/** Reads a stored scenario with all that it refers to, and compiles it, once per hash. */
export async function loadScenario(engine: Engine, scenarioHash: string): Promise<Outcome<LoadedScenario>> {
  const known = engine.programs.get(scenarioHash);
  if (known !== undefined) return succeed(known);
  const stored = await engine.store.components.find('scenario', scenarioHash);
  if (stored === undefined) return refuse(problem('UNKNOWN_SCENARIO', { digits: scenarioHash }));
  const closure = await engine.store.components.closure('scenario', scenarioHash);
  const byName = new Map(closure.map((component) => [`${component.kind} ${component.hash}`, component.content]));
  const compiled = compileStored();
  if (!compiled.ok) return refuse(...compiled.problems);
  const priced = await withPrice(engine, compiled.program);
  if (!priced.ok) return priced;
  const loaded = { scenario: stored.content as unknown as Scenario, program: priced.value };
  engine.programs.set(scenarioHash, loaded);
  return succeed(loaded);

  /** Rows that were written by hand may hold anything. To check each document before a run takes longer than to compile it. */
  function compileStored(): Compiled | Refused {
    try {
      return compileScenario(engine.authoring, scenarioHash, (kind, hash) => byName.get(`${kind} ${hash}`));
    } catch (error) {
      const broken = closure.find(({ kind, content }) => engine.authoring.validateDocument(kind, content).length > 0);
      if (broken === undefined) throw error;
      const { kind, hash } = broken;
      return refuse(problem('RECORD_UNREADABLE', undefined, { details: { kind, hash } }));
    }
  }
}

/** Prices are large, and loaded where a budget bounds money. */
async function withPrice(engine: Engine, program: Program): Promise<Outcome<Program>> {
  const bounds = [
    program.world_budget,
    engine.runtime.budgets?.of_day,
    ...(program.sessions ?? []).map(({ limits }) => limits),
  ];
  if (bounds.every((limits) => limits?.money === undefined)) return succeed(program);
  const price = await engine.openPrice();
  return price.ok ? succeed({ ...program, price: price.value }) : price;
}

/** The same, to run it here: refuses a plugin of one of its sources that a person has to confirm first. */
export async function loadToRun(engine: Engine, scenarioHash: string): Promise<Outcome<LoadedScenario>> {
  const unconfirmed = engine.authoring.catalogue.plugins.filter((plugin) => plugin.unconfirmed !== undefined);
  if (unconfirmed.length === 0) return loadScenario(engine, scenarioHash);
  const closure = await engine.store.components.closure('scenario', scenarioHash);
  const called = closure
    .filter(({ kind }) => kind === 'response_source')
    .map(({ content }) => (content as Partial<ResponseSource>).interface?.name);
  const problems = unconfirmed
    .filter(({ name }) => called.includes(name))
    .flatMap((plugin) => plugin.unconfirmed ?? []);
  return problems.length > 0 ? refuse(...problems) : loadScenario(engine, scenarioHash);
}

/**
 * Refuses a program before its first call where a variable of one of its sources is missing, so that no paid call is made
 * for a turn that cannot end well. A source whose absence is told counts too: a missing variable is no absence.
 */
export async function checkSources(
  { findObstacle }: Pick<Engine, 'findObstacle'>,
  program: Program,
  slug: string,
): Promise<Outcome<Program>> {
  const found = await Promise.all(
    sourcesOf(program).map(async (source) => {
      const obstacle = await findObstacle(source);
      return obstacle === undefined ? [] : [sourceNotReady(source, obstacle, slug)];
    }),
  );
  const problems = found.flat();
  return problems.length > 0 ? refuse(...problems) : succeed(program);
}

function sourceNotReady({ label, hash }: SourceProgram, obstacle: string, slug: string): Problem {
  return problem('SOURCE_NOT_READY', { label, obstacle, slug }, { details: { source: label, source_hash: hash } });
}

/** Refuses a world's scenario, or a workflow, that breaks its schema: who writes rows by hand is not held to it. */
export async function checkReadable(
  { store, authoring }: Engine,
  { world_slug = '', hash }: { readonly [Key in 'world_slug' | 'hash']?: string },
): Promise<Outcome<undefined>> {
  const kind = hash === undefined ? 'scenario' : 'cognition_workflow';
  const wanted = hash ?? (await store.worlds.find(world_slug))?.scenario_hash;
  const found = wanted === undefined ? undefined : await getComponent({ store }, { kind, hash: wanted });
  const isBroken = found?.ok === true && authoring.validateDocument(kind, found.value.content).length > 0;
  return isBroken ? refuse(problem('RECORD_UNREADABLE')) : succeed(undefined);
}

/** Compiles a scenario from documents in memory. */
export function compileScenario(
  authoring: Authoring,
  scenarioHash: string,
  find: (kind: ComponentKind, hash: string) => JsonObject | undefined,
): Compiled {
  return compileProgram(
    {
      find,
      compileSchema: authoring.compileSchema,
      tool_prefixes: byPlugin(authoring, ({ manifest }) => manifest.tool_prefix),
      findManifest: (name) => authoring.catalogue.plugins.find((plugin) => plugin.name === name)?.manifest,
      contracts: {
        tool_loop_output: shipped(authoring, 'tool-loop-output'),
        world_patch: shipped(authoring, 'world-patch'),
        gate_verdict: shipped(authoring, 'gate-verdict'),
      },
    },
    scenarioHash,
  );
}

function byPlugin<Value>(
  { catalogue }: Pick<Authoring, 'catalogue'>,
  find: (plugin: PluginDescription) => Value | undefined,
): ReadonlyMap<string, Value> {
  return new Map(
    catalogue.plugins.flatMap((plugin) => {
      const value = find(plugin);
      return value === undefined ? [] : [[plugin.name, value] as const];
    }),
  );
}

function shipped(authoring: Authoring, name: string): JsonObject {
  const schema = authoring.shippedSchemas.get(`${name}.schema.json`);
  if (schema === undefined) throw new Error(`the shipped schema ${name} is missing`);
  return schema;
}

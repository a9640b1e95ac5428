import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { listProbed, toProbeScenario } from '../../core/workflow/probe.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import { isError } from '../../core/protocol/document-problem.js';
import type { Probe } from '../../generated/probe.js';
import type { Scenario } from '../../generated/scenario.js';
import type { LlmCallRecord } from '../../ports/records.js';
import type { WorldSnapshot } from '../../ports/worlds.js';
import type { OnProgress } from '../../runtime/progress.js';
import { checkPaths, refuseFindings } from '../authoring/author.js';
import type { Composition } from '../composition.js';
import { toStorable } from '../dry-run/plant.js';
import { type LoadedFile, loadDocuments, type Place } from '../documents/index.js';
import type { Engine } from '../engine.js';
import { toEntityId } from './entities.js';
import { forkWorld } from './fork-world.js';
import { checkSources, compileScenario, type UsableScenario } from '../running/load-program.js';
import { locateIn } from '../settling/read-answer-file.js';
import { runTurns, type TurnReport } from '../running/run-turns.js';
import { withStagedEngine } from '../running/run-world.js';
import type { StageRequest } from '../running/stage.js';
import { freshSlug, showWorld, type WorldPlace } from './worlds.js';

export interface ProbeRequest extends StageRequest, WorldPlace {
  /** The file of the probe. */
  readonly ask: string;
  readonly place: Place;
  /** The agents to ask, as a person types them; by default those of the probe, or else all. */
  readonly subjects?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** What agents have answered. */
export interface ProbeReport extends Pick<TurnReport, 'attempt_id' | 'status' | 'failure_class' | 'failure_message'> {
  readonly world_slug: string;
  readonly turn: number;
  readonly probe: string;
  /** The world that holds the record of the questions; it is a fork of the probed one, which has not changed. */
  readonly fork_slug: string;
  readonly answers: readonly ProbeAnswer[];
}

interface ProbeAnswer {
  readonly subject_id: string;
  readonly question_id: string;
  /** Null where the agent has given none. */
  readonly answer: Json;
  /** The generation that gave the answer, or the last one; null where none was asked. */
  readonly llm_call_id: string | null;
  readonly tries: number;
  /** Of all tries, as far as the provider has counted. */
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/**
 * Asks agents the questions of a probe, in a fork of the world at one of its turns, whose one turn is the questions. The
 * world itself is only read.
 * @returns a refusal where the probe or an agent is unfit for the world, or a source cannot be called: then nothing is
 * written
 */
export function probeWorld(composition: Composition, request: ProbeRequest): Promise<Outcome<ProbeReport>> {
  return withStagedEngine(composition, request, async (engine) => {
    const read = await readProbe(engine, request);
    if (!read.ok) return read;
    const world = await showWorld(engine, request);
    if (!world.ok) return world;
    const { world_slug, turn, scenario_hash } = world.value;
    const usable = await composeProbe(engine, { world_slug, scenario_hash }, read.value, request.subjects);
    if (!usable.ok) return usable;
    const fork_slug = await freshSlug(engine, `${world_slug.slice(0, 50)}-probe`);
    const forked = await forkWorld(engine, {
      source_slug: world_slug,
      at_turn: turn,
      world_slug: fork_slug,
      scenario: { usable: usable.value },
    });
    if (!forked.ok) return forked;
    const { signal, onProgress } = request;
    const run = await runTurns(engine, { world_slug: fork_slug, turns: 1, signal, onProgress });
    if (!run.ok) return run;
    const [played] = run.value.turns;
    if (played === undefined) throw new Error('the turn of the questions has no report');
    const { attempt_id, status, failure_class, failure_message } = played;
    const answers = await readAnswers(engine, played, usable.value.scenario, read.value.probe);
    const probe = read.value.probe.label;
    return succeed({ world_slug, turn, probe, fork_slug, attempt_id, status, failure_class, failure_message, answers });
  });
}

interface ReadProbe {
  readonly probe: Probe;
  readonly file: LoadedFile;
}

async function readProbe(
  { authoring }: Pick<Engine, 'authoring'>,
  { ask, place }: Pick<ProbeRequest, 'ask' | 'place'>,
): Promise<Outcome<ReadProbe>> {
  const { findings } = await checkPaths(authoring, { place, paths: [ask] });
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return refuseFindings(errors);
  const { files } = await loadDocuments([ask], place, authoring.shippedSchemas);
  const probes = files.filter(({ kind }) => kind === 'probe');
  const [file] = probes;
  if (file?.source === undefined || probes.length > 1)
    return refuse(problem('NO_PROBE', { path: ask, count: probes.length }));
  return succeed({ file, probe: file.source.value as unknown as Probe });
}

/** The scenario that asks the questions. A problem is placed in the file of the probe. */
async function composeProbe(
  engine: Engine,
  { world_slug, scenario_hash }: Pick<WorldSnapshot, 'world_slug' | 'scenario_hash'>,
  { probe, file: { source } }: ReadProbe,
  named: ProbeRequest['subjects'],
): Promise<Outcome<UsableScenario>> {
  const closure = await engine.store.components.closure('scenario', scenario_hash);
  const contents = new Map<string, JsonObject>(closure.map(({ kind, hash, content }) => [`${kind} ${hash}`, content]));
  const find = (kind: ComponentKind, hash: string): JsonObject | undefined => contents.get(`${kind} ${hash}`);
  const subjects = chooseSubjects(listProbed({ find }, scenario_hash), probe, named);
  if (!subjects.ok) return { ...subjects, problems: locateIn(source, subjects.problems) };
  const asking = toProbeScenario({ find }, scenario_hash, probe, subjects.value);
  for (const { kind, hash, content } of asking.documents) contents.set(`${kind} ${hash}`, content);
  const compiled = compileScenario(engine.authoring, asking.hash, find);
  const problems = [...asking.problems, ...(compiled.ok ? [] : compiled.problems.filter(isError).map(asking.place))];
  // Each workflow has the same questions.
  const distinct = new Map(problems.map((found) => [`${found.code} ${found.pointer} ${found.message}`, found]));
  if (distinct.size > 0 || !compiled.ok) return refuse(...locateIn(source, [...distinct.values()]));
  const ready = await checkSources(engine, compiled.program, world_slug);
  if (!ready.ok) return ready;
  const scenario = find('scenario', asking.hash) as unknown as Scenario;
  const store = async (): Promise<void> => void (await engine.store.components.put(toStorable(asking.documents)));
  return succeed({ hash: asking.hash, scenario, store });
}

function chooseSubjects(
  known: readonly string[],
  probe: Probe,
  named: ProbeRequest['subjects'],
): Outcome<ReadonlySet<string>> {
  const chosen = named ?? probe.subjects ?? known;
  const problems: Problem[] = [];
  const ids = chosen.map((written, index) => {
    const id = named === undefined ? succeed(written) : toEntityId(written);
    if (!id.ok) problems.push(...id.problems);
    else if (!known.includes(id.value)) {
      const place = named === undefined ? { pointer: `/subjects/${index}` } : {};
      problems.push(problem('PROBE_SUBJECT_UNASKED', { name: written, known }, place));
    }
    return id.ok ? id.value : '';
  });
  return problems.length > 0 ? refuse(...problems) : succeed(new Set(ids));
}

/** One row for each agent and question, in the order of the scenario and of the probe. */
async function readAnswers(
  { store }: Engine,
  { invocations }: TurnReport,
  { cognition }: Scenario,
  { questions }: Probe,
): Promise<readonly ProbeAnswer[]> {
  const asked = cognition.flatMap(({ subjects }) =>
    subjects.flatMap((subject_id) => questions.map((question) => ({ subject_id, question }))),
  );
  return Promise.all(
    asked.map(async ({ subject_id, question }) => {
      const own = invocations.filter(
        ({ llm_call_id, workflow_subject_entity_id, workflow_node_id }) =>
          llm_call_id !== null && workflow_subject_entity_id === subject_id && workflow_node_id === question.id,
      );
      const calls = await Promise.all(own.map(({ llm_call_id }) => store.records.llmCall(llm_call_id ?? '')));
      const made = calls.filter((call) => call !== undefined);
      const last = made.find(({ model_output_kind }) => model_output_kind === 'json_answer') ?? made.at(-1);
      return {
        subject_id,
        question_id: question.id,
        answer: last === undefined ? null : readAnswer(last, question),
        llm_call_id: last?.llm_call_id ?? null,
        tries: made.length,
        input_tokens: sumOf(made, 'input_tokens'),
        output_tokens: sumOf(made, 'output_tokens'),
      };
    }),
  );
}

function readAnswer(
  { model_output_kind, artifacts }: Pick<LlmCallRecord, 'model_output_kind' | 'artifacts'>,
  { answer: form }: Probe['questions'][number],
): Json {
  if (model_output_kind !== 'json_answer') return null;
  const value = artifacts.find(({ kind }) => kind === 'parsed_output')?.value ?? null;
  return form.kind === 'schema' ? value : ((value as { readonly answer: Json } | null)?.answer ?? null);
}

function sumOf(calls: readonly LlmCallRecord[], count: 'input_tokens' | 'output_tokens'): number {
  return calls.reduce((sum, { tokens }) => sum + (tokens?.[count] ?? 0), 0);
}

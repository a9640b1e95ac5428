import type { JsonObject } from '../../contract/json.js';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { contentHash } from '../../core/content/canonical.js';
import { toMoney } from '../../core/cost/money.js';
import type { Limits } from '../../core/protocol/amounts.js';
import type { ComponentReference } from '../../core/protocol/component.js';
import { type ComposedScenario, composeScenario, type StudyFiles } from '../../core/study/compose.js';
import { designStudy, hashOfStudy, type StudyDesign, type StudyWorld } from '../../core/study/design.js';
import { labelOfVariant, type Variant } from '../../core/study/perturbations.js';
import { listProbed, toProbeScenario } from '../../core/workflow/probe.js';
import type { LinkedDocument } from '../../core/workflow/link.js';
import type { Probe } from '../../generated/probe.js';
import type { Study } from '../../generated/study.js';
import type { SealedStudy, SealedWorld } from '../../ports/studies.js';
import { checkPaths, refuseFindings } from '../authoring/author.js';
import { type LoadedFiles, loadDocuments, type Place } from '../documents/index.js';
import { toStorable } from '../dry-run/plant.js';
import type { Authoring } from '../engine.js';

/** A document of a scenario, by its content. */
type StudyDocument = Parameters<typeof toStorable>[0][number];

/** A study that was read from its files, as it would be sealed. */
export interface ReadStudy {
  readonly study: Study;
  readonly design: StudyDesign;
  readonly sealed: SealedStudy;
  /** In the order in which they begin. */
  readonly worlds: readonly SealedWorld[];
  /** Of all scenarios, each once. */
  readonly documents: ReadonlyMap<string, StudyDocument>;
  readonly limits: Limits;
}

/** Names the file of a study. */
export interface NamedStudy {
  readonly file: string;
  readonly place: Place;
}

/** The files of a study, sound and each by itself. */
export interface StudySource {
  readonly files: StudyFiles;
  /** By the paths with which the study names them. */
  readonly probes: ReadonlyMap<string, Probe>;
}

/** Reads a study with all its files, and puts the scenarios of its conditions together. Nothing is stored. */
export async function readStudy(authoring: Authoring, named: NamedStudy): Promise<Outcome<ReadStudy>> {
  const source = await readSource(authoring, named);
  return source.ok ? toRead(source.value) : source;
}

/** Reads a study with all its files. */
export async function readSource(authoring: Authoring, { file, place }: NamedStudy): Promise<Outcome<StudySource>> {
  const { findings } = await checkPaths(authoring, { place, paths: [file] });
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return refuseFindings(errors);
  const loaded = await loadDocuments([file], place, authoring.shippedSchemas);
  const studies = loaded.files.filter(({ kind }) => kind === 'study');
  const [found] = studies;
  if (found?.source === undefined || studies.length > 1)
    return refuse(problem('NO_STUDY', { path: file, count: studies.length }));
  const study = found.source.value as unknown as Study;
  const files: StudyFiles = {
    path: found.path,
    study,
    resolve_path: loaded.resolve_path,
    files: loaded.files.map(({ path, kind, source }) => ({ path, kind, value: source?.value, is_sound: true })),
  };
  return succeed({ files, probes: readProbes(files, loaded) });
}

/** The label of the study in a file, as far as it can be read. */
export async function findLabel(file: string, place: Place): Promise<string | undefined> {
  const { files } = await loadDocuments([file], place, new Map());
  const study = files.find(({ kind }) => kind === 'study')?.source?.value as Partial<Study> | undefined;
  return typeof study?.label === 'string' ? study.label : undefined;
}

/** The probes of a study, by the paths with which it names them. */
function readProbes({ path, study, resolve_path }: StudyFiles, { files }: LoadedFiles): ReadonlyMap<string, Probe> {
  const named = (study.probes ?? []).map(({ ask }) => {
    const resolved = resolve_path(path, ask);
    const file = files.find((one) => resolved.ok && one.path === resolved.value);
    if (file?.source === undefined) throw new Error(`${ask} was checked, and is not there`);
    return [ask, file.source.value as unknown as Probe] as const;
  });
  return new Map(named);
}

/**
 * Puts the scenarios of a study together.
 * @param variant changes each of them; then the study has the label of the variant
 */
export function toRead({ files, probes }: StudySource, variant?: Variant): Outcome<ReadStudy> {
  const { study: written } = files;
  const { audit: _audit, ...alike } = written;
  const study: Study =
    variant === undefined
      ? written
      : { ...alike, label: labelOfVariant(written.label, variant), description: variant.says };
  const design = designStudy(study);
  const documents = new Map<string, StudyDocument>();
  const compose = composer(files, documents, variant);
  const problems: Problem[] = [];
  const played = [...design.shared, ...design.runs].map((world) => toSealed(world, compose(world)));
  const asked = played.flatMap((run) => {
    if (run.condition === null) return [];
    return (study.probes ?? []).flatMap(({ ask, at_turns }) => {
      const probe = probes.get(ask);
      if (probe === undefined) return [];
      const asking = toAsking(documents, run.scenario_hash, probe);
      problems.push(...asking.problems);
      return at_turns.map((turn): SealedWorld => toAsked(run, { ask, turn, scenario_hash: asking.hash }));
    });
  });
  if (problems.length > 0) return refuse(...new Map(problems.map((one) => [one.message, one])).values());
  const worlds = [...played, ...asked];
  const probeDocuments = Object.fromEntries(probes) as unknown as Readonly<Record<string, JsonObject>>;
  const study_hash = hashOfSealed(study, probeDocuments, worlds);
  return succeed({
    study,
    design,
    worlds,
    documents,
    limits: toLimits(study.budget ?? {}),
    sealed: {
      study_label: study.label,
      study_hash,
      document: study as unknown as JsonObject,
      probes: probeDocuments,
    },
  });
}

/** Composes scenarios, each once, and gathers their documents. */
function composer(files: StudyFiles, documents: Map<string, StudyDocument>, variant?: Variant) {
  const known = new Map<string, ComposedScenario>();
  return ({ levels, seed }: Pick<StudyWorld, 'levels' | 'seed'>): ComposedScenario => {
    const isOfSeed = files.study.roster === 'shuffled' || variant?.perturbation === 'roster';
    const place = JSON.stringify([levels, isOfSeed ? seed : null]);
    const composed = known.get(place) ?? composeVariant(files, { levels, seed }, variant);
    known.set(place, composed);
    for (const document of composed.documents) documents.set(keyOf(document), document);
    return composed;
  };
}

function composeVariant(
  files: StudyFiles,
  { levels, seed }: Pick<StudyWorld, 'levels' | 'seed'>,
  variant: Variant | undefined,
): ComposedScenario {
  const change = variant?.change;
  const composed = composeScenario(files, levels, seed, change?.kind === 'authored' ? change.level : {});
  if (composed === undefined) throw new Error('the scenario of each condition was checked with its study');
  return change?.kind === 'made' ? change.change(composed, seed) : composed;
}

function keyOf({ kind, hash }: ComponentReference): string {
  return `${kind} ${hash}`;
}

function toSealed(
  { world_slug, seed, forked, last_turn, ...more }: StudyWorld & { readonly condition?: string },
  { hash, roster }: ComposedScenario,
): SealedWorld {
  return {
    world_slug,
    seed,
    condition: more.condition ?? null,
    probe: null,
    scenario_hash: hash,
    parent: forked === null ? null : { world_slug: forked.world_slug, turn: forked.at_turn },
    until_turn: last_turn,
    roster,
  };
}

/** The scenario whose one turn asks the questions of a probe. */
function toAsking(documents: Map<string, StudyDocument>, scenario_hash: string, probe: Probe) {
  const find = (kind: LinkedDocument['kind'], hash: string): JsonObject | undefined =>
    documents.get(keyOf({ kind, hash }))?.content;
  const subjects = new Set(probe.subjects ?? listProbed({ find }, scenario_hash));
  const asking = toProbeScenario({ find }, scenario_hash, probe, subjects);
  for (const document of asking.documents) documents.set(keyOf(document), document);
  return asking;
}

const SLUG_LENGTH_MAX = 64;
const DIGEST_LENGTH = 12;

/** The fork of a run in which a probe is asked after a turn. */
function toAsked(
  run: SealedWorld,
  { ask, turn, scenario_hash }: { readonly ask: string; readonly turn: number; readonly scenario_hash: string },
): SealedWorld {
  const end = `-probe-${contentHash([run.world_slug, ask, turn]).slice(0, DIGEST_LENGTH)}`;
  const start = run.world_slug.slice(0, SLUG_LENGTH_MAX - end.length).replace(/[-_]+$/, '');
  return {
    ...run,
    world_slug: `${start}${end}`,
    probe: ask,
    scenario_hash,
    parent: { world_slug: run.world_slug, turn },
    until_turn: turn + 1,
  };
}

/** Of all that the results depend on. The budget may be raised, and the study be audited otherwise. */
function hashOfSealed(
  { budget: _raised, audit: _audit, ...study }: Study,
  probes: Readonly<Record<string, JsonObject>>,
  worlds: readonly SealedWorld[],
): string {
  const played = worlds.map(({ world_slug, scenario_hash }) => [world_slug, scenario_hash]).toSorted(bySlug);
  return contentHash({ study: hashOfStudy(study), probes, worlds: played });
}

function bySlug([one = '']: readonly string[], [other = '']: readonly string[]): number {
  return one < other ? -1 : 1;
}

/** The most that all calls of a study may use. */
function toLimits({ token_budget: tokens, usd }: NonNullable<Study['budget']>): Limits {
  return { ...(tokens === undefined ? {} : { tokens }), ...(usd === undefined ? {} : { money: toMoney(usd) }) };
}

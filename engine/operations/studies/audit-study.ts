import { type Outcome, succeed } from '../../contract/problem.js';
import { type AuditedVerdict, compareVerdicts, listMoves, type Move, narrowStudy } from '../../core/study/audit.js';
import { listSeeds } from '../../core/study/design.js';
import type { Observation } from '../../core/study/observation.js';
import { listVariants, type Perturbation, PERTURBATIONS, type Variant } from '../../core/study/perturbations.js';
import type { Study } from '../../generated/study.js';
import { checkModelOf } from '../running/chosen-model.js';
import type { Composition } from '../composition.js';
import type { Engine } from '../engine.js';
import { withStagedEngine } from '../running/run-world.js';
import type { StageRequest } from '../running/stage.js';
import { findAnswering } from './find-answering.js';
import { checkStudySources } from './plan-study.js';
import { type ReadStudy, readSource, toRead } from './read-study.js';
import { playHere, type StudyRunRequest } from './run-study.js';
import { checkSealed, sealStudy } from './seal-study.js';
import { listObservations, showStudy } from './show-study.js';

export interface StudyAuditRequest extends StageRequest, Omit<StudyRunRequest, 'is_queued' | 'onPlan' | 'model'> {
  /** How many of its seeds are audited, the smallest first; all by default. */
  readonly seeds?: number | undefined;
  /** The perturbations that are tried; all by default. */
  readonly only?: readonly Perturbation[] | undefined;
  /** Names of models that take the place of its own. */
  readonly models: readonly string[];
  /** Called before the study itself is played, and then each variant. */
  readonly onPart: (part: AuditPart) => void;
}

/** What is played next. */
export interface AuditPart {
  /** Undefined of the study as it is written. */
  readonly variant: Pick<Variant, 'perturbation' | 'name' | 'says'> | undefined;
  readonly number: number;
  readonly count: number;
}

/** How robust a study is. */
export interface AuditReport {
  readonly study_label: string;
  readonly seeds: number;
  readonly variants: readonly AuditedVariant[];
  /** Perturbations of which there was nothing to try. */
  readonly untried: readonly Perturbation[];
}

/** What a variant has moved. */
export interface AuditedVariant extends Pick<Variant, 'perturbation' | 'name' | 'says'> {
  /** The study that has run it. */
  readonly study_label: string;
  readonly runs_failed: number;
  readonly moves: readonly Move[];
  readonly verdicts: readonly AuditedVerdict[];
}

/** Sets the stage, and audits a study. */
export function auditStudy(
  composition: Composition,
  request: StudyAuditRequest & StageRequest,
): Promise<Outcome<AuditReport>> {
  return withStagedEngine(composition, request, (engine) => auditStudyOn(engine, request));
}

/**
 * Runs a study again with changes that should not matter, each alone, and compares. What has been run already is not run
 * again; each variant is sealed as a study of its own, and has the budget of the study.
 */
export async function auditStudyOn(engine: Engine, request: StudyAuditRequest): Promise<Outcome<AuditReport>> {
  const source = await readSource(engine.authoring, request);
  if (!source.ok) return source;
  const written = toRead(source.value);
  if (!written.ok) return written;
  // A variant may name another model, which no variable overrides.
  const fits = checkModelOf(engine, written.value.documents.values(), request.model);
  if (!fits.ok) return fits;
  const study = narrowStudy(source.value.files.study, request.seeds);
  const chosen = listVariants(source.value.files.study, {
    names: request.models,
    fieldsOf: (plugin) => engine.authoring.catalogue.plugins.find(({ name }) => name === plugin)?.manifest.model,
  });
  const variants = chosen.filter(({ perturbation }) => request.only?.includes(perturbation) ?? true);
  const differing: { readonly variant: Variant; readonly read: ReadStudy }[] = [];
  for (const variant of variants) {
    const read = toRead(source.value, variant);
    if (!read.ok) return read;
    if (scenariosOf(read.value) !== scenariosOf(written.value)) differing.push({ variant, read: read.value });
  }
  const count = differing.length + 1;
  request.onPart({ variant: undefined, number: 1, count });
  const before = await observe(engine, written.value, study, request);
  if (!before.ok) return before;
  const audited: AuditedVariant[] = [];
  for (const { variant, read } of differing) {
    if (request.signal.aborted) break;
    request.onPart({ variant, number: audited.length + 2, count });
    const after = await observe(engine, read, study, request);
    if (!after.ok) return after;
    const { perturbation, name, says } = variant;
    audited.push({
      perturbation,
      name,
      says,
      study_label: read.study.label,
      runs_failed: new Set(after.value.filter(({ failed }) => failed).map(placeOf)).size,
      moves: listMoves(study, before.value, after.value),
      verdicts: compareVerdicts(study, before.value, after.value),
    });
  }
  const asked = new Set(request.only ?? PERTURBATIONS);
  for (const { variant } of differing) asked.delete(variant.perturbation);
  return succeed({
    study_label: study.label,
    seeds: listSeeds(study).length,
    variants: audited,
    untried: [...asked],
  });
}

function placeOf({ condition, seed }: Observation): string {
  return `${condition} ${seed}`;
}

/** The scenarios that a study runs, in one text. */
function scenariosOf({ worlds }: ReadStudy): string {
  const places = worlds.map(
    ({ condition, seed, probe, until_turn, scenario_hash }) =>
      `${condition} ${seed} ${probe} ${until_turn} ${scenario_hash}`,
  );
  return places.toSorted().join('\n');
}

/** Plays what is missing of the audited seeds of a study, and reads what its runs have come to. */
async function observe(
  engine: Engine,
  read: ReadStudy,
  audited: Study,
  request: StudyAuditRequest,
): Promise<Outcome<readonly Observation[]>> {
  const answered_by = await findAnswering(engine, read, request);
  const unchanged = await checkSealed(engine, read, answered_by);
  if (!unchanged.ok) return unchanged;
  const callable = await checkStudySources(engine, read);
  if (!callable.ok) return callable;
  const sealed = await sealStudy(engine, read, answered_by);
  if (!sealed.ok) return sealed;
  const seeds = new Set(listSeeds(audited));
  await playHere(
    engine,
    sealed.value.filter(({ seed }) => seeds.has(seed)),
    request,
  );
  const shown = await showStudy(engine, { study_label: read.study.label });
  if (!shown.ok) return shown;
  return succeed(
    listObservations(
      audited,
      shown.value.runs.filter(({ seed }) => seeds.has(seed)),
    ),
  );
}

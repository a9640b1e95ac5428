import { canonicalText } from '../../core/content/canonical.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { unreachable } from '../../contract/unreachable.js';
import type { PlayedWorld, SealedStudy, StudyRecord } from '../../ports/studies.js';
import { isAnother, isAnsweredByOthers } from '../../core/study/sealing.js';
import { toStorable } from '../dry-run/plant.js';
import type { Engine } from '../engine.js';
import type { ReadStudy } from './read-study.js';

/**
 * Seals a study before its first run, and stores the documents of its scenarios. A later run of the same study finds it
 * sealed, and only sets the limits of its budget.
 * @param answered_by who answers its calls
 * @returns a refusal where anything that its results depend on has changed since, and then nothing is stored
 */
export async function sealStudy(
  engine: Engine,
  read: ReadStudy,
  answered_by: string,
): Promise<Outcome<readonly PlayedWorld[]>> {
  const { store, runtime } = engine;
  const { sealed, worlds, documents, limits } = read;
  const known = await store.studies.find(sealed.study_label);
  if (known !== undefined && isAnother(known, { ...sealed, answered_by }))
    return refuseChanged(engine, known, read, answered_by);
  if (known === undefined) await store.components.put(toStorable([...documents.values()]));
  const sealing = await store.studies.seal({ ...sealed, answered_by, worlds, limits, sealed_at: runtime.clock.now() });
  switch (sealing.kind) {
    case 'sealed':
    case 'known':
      return succeed(await store.studies.worlds(sealed.study_label));
    case 'changed':
      return refuseChanged(engine, sealing.study, read, answered_by);
    case 'taken':
      return refuse(problem('STUDY_WORLDS_TAKEN', { label: sealed.study_label, worlds: sealing.world_slugs }));
    default:
      return unreachable(sealing);
  }
}

/**
 * Refuses a study of which something has changed since it was sealed.
 * @param answered_by who would answer its calls; where it is absent, nothing is compared with who answered
 */
export async function checkSealed(
  engine: Pick<Engine, 'store'>,
  read: ReadStudy,
  answered_by?: string,
): Promise<Outcome<undefined>> {
  const known = await engine.store.studies.find(read.sealed.study_label);
  if (known === undefined) return succeed(undefined);
  const now = answered_by ?? known.answered_by;
  return isAnother(known, { ...read.sealed, answered_by: now })
    ? refuseChanged(engine, known, read, now)
    : succeed(undefined);
}

async function refuseChanged(
  { store }: Pick<Engine, 'store'>,
  known: StudyRecord,
  { sealed, worlds }: ReadStudy,
  answered_by: string,
) {
  const { study_label: label, sealed_at } = known;
  const before = new Map((await store.studies.worlds(label)).map((world) => [world.world_slug, world]));
  const others = worlds.filter(({ world_slug, scenario_hash }) => {
    const sealedBefore = before.get(world_slug);
    return sealedBefore !== undefined && sealedBefore.scenario_hash !== scenario_hash;
  });
  const conditions = [...new Set(others.map(({ condition }) => condition ?? 'turns that conditions share'))];
  const changed = [
    ...changedMembers(known.document, sealed.document).map((name) => `"${name}" of its document`),
    ...changedMembers(known.probes, sealed.probes).map((path) => `the probe ${path}`),
    ...conditions.map((condition) => `the scenario of ${condition}`),
  ];
  const answered = isAnsweredByOthers(known, { answered_by }) ? { before: known.answered_by, now: answered_by } : null;
  const facts = { label, sealed_at, changed, answered };
  return refuse(problem('STUDY_CHANGED', facts, { details: { study: label, sealed_at } }));
}

/** What may change: where the editor finds the schema, the budget, and what an audit tries. */
const FREE_MEMBERS: readonly string[] = ['$schema', 'budget', 'audit'];

function changedMembers(before: SealedStudy['document'], after: JsonObject): readonly string[] {
  const textOf = (value: Json | undefined): string => (value === undefined ? '' : canonicalText(value));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.filter((name) => !FREE_MEMBERS.includes(name) && textOf(before[name]) !== textOf(after[name]));
}

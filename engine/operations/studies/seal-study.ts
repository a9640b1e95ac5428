import { canonicalText } from '../../core/content/canonical.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { unreachable } from '../../contract/unreachable.js';
import type { PlayedWorld, SealedStudy, StudyRecord } from '../../ports/studies.js';
import { toStorable } from '../dry-run/plant.js';
import type { Engine } from '../engine.js';
import type { ReadStudy } from './read-study.js';

/**
 * Seals a study before its first run, and stores the documents of its scenarios. A later run of the same study finds it
 * sealed, and only sets the limits of its budget.
 * @returns a refusal where anything that its results depend on has changed since, and then nothing is stored
 */
export async function sealStudy(engine: Engine, read: ReadStudy): Promise<Outcome<readonly PlayedWorld[]>> {
  const { store, runtime } = engine;
  const { sealed, worlds, documents, limits } = read;
  const known = await store.studies.find(sealed.study_label);
  if (known !== undefined && known.study_hash !== sealed.study_hash) return refuseChanged(engine, known, read);
  if (known === undefined) await store.components.put(toStorable([...documents.values()]));
  const sealing = await store.studies.seal({ ...sealed, worlds, limits, sealed_at: runtime.clock.now() });
  switch (sealing.kind) {
    case 'sealed':
    case 'known':
      return succeed(await store.studies.worlds(sealed.study_label));
    case 'changed':
      return refuseChanged(engine, sealing.study, read);
    case 'taken':
      return refuse(problem('STUDY_WORLDS_TAKEN', { label: sealed.study_label, worlds: sealing.world_slugs }));
    default:
      return unreachable(sealing);
  }
}

/** Refuses a study whose documents have changed since it was sealed. */
export async function checkSealed(engine: Pick<Engine, 'store'>, read: ReadStudy): Promise<Outcome<undefined>> {
  const known = await engine.store.studies.find(read.sealed.study_label);
  if (known === undefined || known.study_hash === read.sealed.study_hash) return succeed(undefined);
  return refuseChanged(engine, known, read);
}

async function refuseChanged({ store }: Pick<Engine, 'store'>, known: StudyRecord, { sealed, worlds }: ReadStudy) {
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
  return refuse(problem('STUDY_CHANGED', { label, sealed_at, changed }, { details: { study: label, sealed_at } }));
}

/** What may change: where the editor finds the schema, the budget, and what an audit tries. */
const FREE_MEMBERS: readonly string[] = ['$schema', 'budget', 'audit'];

function changedMembers(before: SealedStudy['document'], after: JsonObject): readonly string[] {
  const textOf = (value: Json | undefined): string => (value === undefined ? '' : canonicalText(value));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.filter((name) => !FREE_MEMBERS.includes(name) && textOf(before[name]) !== textOf(after[name]));
}

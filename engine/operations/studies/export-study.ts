import { resolve } from 'node:path';
import { pick } from '../../contract/pick.js';
import { type Outcome, problem, succeed } from '../../contract/problem.js';
import { type ExportedWorld, writeExport } from '../../core/study/export.js';
import type { Study } from '../../generated/study.js';
import type { PlayedWorld } from '../../ports/studies.js';
import type { Archive } from '../engine.js';
import { writeNewFolder } from '../write-files.js';
import { isRun } from './plan-study.js';
import { type ShownRun, showStudy } from './show-study.js';

export interface StudyExportRequest {
  readonly study_label: string;
  /** A path at which nothing is yet. */
  readonly folder: string;
  readonly working_folder: string;
}

/** The files that were written. */
export interface StudyExport {
  readonly study_label: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly runs: number;
  readonly runs_done: number;
  readonly runs_failed: number;
}

/** Writes what a study is and has found out into a new folder, for tools of other makers. */
export async function exportStudy(
  archive: Archive,
  { study_label, folder, working_folder }: StudyExportRequest,
): Promise<Outcome<StudyExport>> {
  const shown = await showStudy(archive, { study_label });
  if (!shown.ok) return shown;
  const { store } = archive;
  const sealed = await store.studies.find(study_label);
  if (sealed === undefined) throw new Error(`the study ${study_label} was shown, and is not there`);
  const worlds = await store.studies.worlds(study_label);
  const world_slugs = worlds.flatMap(({ world_slug, turn }) => (turn === null ? [] : [world_slug]));
  const used = world_slugs.length === 0 ? [] : await store.browse.used({ of: 'worlds', world_slugs }, []);
  const { runs, cost, measures, hypotheses } = shown.value;
  const byWorld = new Map(runs.map((run) => [run.world_slug, run]));
  const files = writeExport({
    study: sealed.document as unknown as Study,
    ...pick(sealed, ['study_hash', 'answered_by', 'sealed_at']),
    worlds: worlds.map((world) => toExported(world, byWorld.get(world.world_slug))),
    summaries: measures,
    judgements: hypotheses,
    models: [...new Set(used.flatMap(({ model }) => model ?? []))].toSorted(),
    tokens: cost.input_tokens + cost.output_tokens,
    usd: cost.usd,
  });
  const written = await writeNewFolder(
    resolve(working_folder, folder),
    files,
    problem('FILE_EXISTS', { path: folder }),
  );
  if (!written.ok) return written;
  return succeed({
    ...pick(shown.value, ['study_label', 'runs_done', 'runs_failed']),
    folder,
    files: files.map(({ path }) => path),
    runs: runs.length,
  });
}

function toExported(world: PlayedWorld, run: ShownRun | undefined): ExportedWorld {
  return {
    ...pick(world, [
      'world_slug',
      'condition',
      'seed',
      'probe',
      'scenario_hash',
      'parent',
      'until_turn',
      'turn',
      'roster',
    ]),
    role: isRun(world) ? 'run' : world.probe === null ? 'shared' : 'probe',
    state: run?.state ?? null,
    failure_class: run?.failure_class ?? null,
    values: run?.values ?? {},
  };
}

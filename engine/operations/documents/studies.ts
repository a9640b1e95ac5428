import type { Json, JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { checkConditions } from '../../core/study/check-conditions.js';
import type { ComposedScenario, StudyFiles } from '../../core/study/compose.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import { type DocumentProblem, inDocument, isError } from '../../core/protocol/document-problem.js';
import type { DocumentToLink } from '../../core/workflow/link.js';
import type { DocumentKind } from '../../core/workflow/link/document-kind.js';
import { listReferences } from '../../core/workflow/link/references.js';
import type { Study } from '../../generated/study.js';
import type { LoadedFile, LoadedFiles } from './load.js';
import type { FileComplaint } from './tests.js';

interface StudySurroundings {
  readonly isSound: (path: string) => boolean;
  readonly validateDocument: (kind: DocumentKind, document: Json) => readonly Problem[];
  readonly checkScenario: (
    find: (kind: ComponentKind, hash: string) => JsonObject | undefined,
    scenarioHash: string,
  ) => readonly DocumentProblem[];
}

/** The sound studies among files, each with the files that it can use. */
export function listStudies(
  { files, resolve_path }: Pick<LoadedFiles, 'files' | 'resolve_path'>,
  isSound: (path: string) => boolean,
): readonly StudyFiles[] {
  const toLink = files.map(
    ({ path, kind, source }): DocumentToLink => ({ path, kind, value: source?.value, is_sound: isSound(path) }),
  );
  return files.flatMap(({ path, kind, source }) =>
    kind === 'study' && source !== undefined && isSound(path)
      ? [{ path, study: source.value as unknown as Study, files: toLink, resolve_path }]
      : [],
  );
}

/** Checks the studies among files with the scenario of each of their conditions. */
export function complainOfStudies(
  loaded: Pick<LoadedFiles, 'files' | 'resolve_path'>,
  { isSound, validateDocument, checkScenario }: StudySurroundings,
): readonly FileComplaint[] {
  const checkComposed = ({ hash, documents }: ComposedScenario): readonly DocumentProblem[] => {
    const contents = new Map(documents.map((one) => [`${one.kind} ${one.hash}`, one.content]));
    const scenario = contents.get(`scenario ${hash}`) ?? {};
    const unfit = inDocument({ kind: 'scenario', hash }, validateDocument('scenario', scenario));
    return unfit.some(isError) ? unfit : checkScenario((kind, name) => contents.get(`${kind} ${name}`), hash);
  };
  return listStudies(loaded, isSound).flatMap((study) => checkConditions(study, checkComposed));
}

/** The paths of files that stand in the place of others in a condition of a study. */
export function listReplacing({
  files,
  resolve_path,
}: Pick<LoadedFiles, 'files' | 'resolve_path'>): ReadonlySet<string> {
  const studies = files.filter(({ kind }: LoadedFile) => kind === 'study');
  const paths = studies.flatMap(({ path, kind, source }) =>
    listReferences(kind, source?.value ?? null).flatMap(({ target }) => {
      const resolved = 'path' in target ? resolve_path(path, target.path) : undefined;
      return resolved?.ok ? [resolved.value] : [];
    }),
  );
  return new Set(paths);
}

import type { Answers } from '../../generated/answers.js';
import { checkAnswerKeys } from '../../core/workflow-test/check-test.js';
import type { Program } from '../../core/workflow/program.js';
import { refuseFindings, toParts } from '../author.js';
import { loadDocuments, type Place, validateLoaded } from '../documents/index.js';
import { type Authoring, type Done, refuse } from '../engine.js';

/** Reads a document of answers. Everything that is wrong with it is found at its place. */
export async function loadAnswers(
  authoring: Authoring,
  { path, place }: { readonly path: string; readonly place: Place },
  program: Program,
): Promise<Done<Answers>> {
  const parts = toParts(authoring, place);
  const loaded = await loadDocuments([path], place, parts.shipped);
  const { ok, findings } = await validateLoaded(parts, loaded);
  if (!ok) return refuseFindings(findings.filter(({ severity }) => severity === 'error'));
  const file = loaded.files.find(({ path: name }) => !name.startsWith('chukwa:'));
  if (file?.kind !== 'answers' || file.source === undefined) {
    return refuse({
      code: 'NO_ANSWERS',
      message: `${path} holds no answers${file?.kind === undefined ? '' : `: it is a ${file.kind}`}.`,
      repair: 'Name one file of the form that schemas/answers.schema.json describes.',
    });
  }
  const answers = file.source.value as unknown as Answers;
  const { locate } = file.source;
  const unasked = checkAnswerKeys(program, answers.turns, ['turns']);
  if (unasked.length === 0) return { ok: true, value: answers };
  return refuse(...unasked.map((complaint) => ({ ...complaint, location: locate(complaint.pointer) })));
}

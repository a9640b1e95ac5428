import { present } from '../../contract/present.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { checkAnswerKeys } from '../../core/workflow-test/check-test.js';
import type { Program } from '../../core/protocol/program.js';
import type { Answers } from '../../generated/answers.js';
import { refuseFindings, toParts } from '../authoring/author.js';
import { type LoadedFiles, listTests, loadDocuments, type Place, validateLoaded } from '../documents/index.js';
import type { Authoring } from '../engine.js';
import { locateIn } from '../settling/read-answer-file.js';
import { joinTurns } from './answer-book.js';

/** Reads a document of answers, or those of a test. Each problem has its place. */
export async function loadAnswers(
  authoring: Authoring,
  { path, place }: { readonly path: string; readonly place: Place },
  program: Program,
): Promise<Outcome<Answers>> {
  const parts = toParts(authoring, place);
  const loaded = await loadDocuments([path], place, parts.shipped);
  const { ok, findings } = await validateLoaded(parts, loaded);
  if (!ok) return refuseFindings(findings.filter(({ severity }) => severity === 'error'));
  const file = loaded.files.find(({ path: name }) => !name.startsWith('chukwa:'));
  const found = file?.source === undefined ? undefined : findAnswers(loaded, file);
  if (file?.source === undefined || found === undefined)
    return refuse(problem('NO_ANSWERS', { path, kind: file?.kind }));
  const unasked = checkAnswerKeys(program, found.own, [found.member]);
  return unasked.length === 0 ? succeed(found.answers) : refuse(...locateIn(file.source, unasked));
}

type Turns = Answers['turns'];

type File = LoadedFiles['files'][number];

/** The answers that a file holds or names, and those in the file itself with the member that holds them. */
function findAnswers(loaded: LoadedFiles, file: File) {
  if (file.kind === 'answers') {
    const answers = file.source?.value as unknown as Answers;
    return { answers, own: answers.turns, member: 'turns' };
  }
  const read = listTests(loaded).find((test) => test.file === file);
  if (read === undefined) return undefined;
  const { test, answers: named } = read;
  const own: Turns = test.answers ?? {};
  const { version, label } = test;
  const turns = joinTurns(named?.turns ?? {}, own);
  return { answers: present({ version, label, turns, population: named?.population }), own, member: 'answers' };
}

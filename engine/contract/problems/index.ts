import { CALL_PROBLEMS } from './calls.js';
import { COMMAND_PROBLEMS } from './commands.js';
import { COMPONENT_PROBLEMS } from './components.js';
import { DOCUMENT_PROBLEMS } from './documents.js';
import type { ProblemEntry } from './entry.js';
import { EVIDENCE_PROBLEMS } from './evidence.js';
import { FILE_PROBLEMS } from './files.js';
import { HTTP_PROBLEMS } from './http.js';
import { LEDGER_PROBLEMS } from './ledger.js';
import { PLUGIN_PROBLEMS } from './plugins.js';
import { RECORDING_PROBLEMS } from './recordings.js';
import { REFERENCE_PROBLEMS } from './references.js';
import { SCENARIO_PROBLEMS } from './scenarios.js';
import { SCHEMA_PROBLEMS } from './schemas.js';
import { STUDY_RUN_PROBLEMS } from './study-runs.js';
import { STUDY_PROBLEMS } from './studies.js';
import { SURROUNDINGS_PROBLEMS } from './surroundings.js';
import { TEST_PROBLEMS } from './tests.js';
import { WORKFLOW_PROBLEMS } from './workflows.js';
import { WORLD_PROBLEMS } from './worlds.js';

/**
 * Every problem code: meaning, message, repair, exit code and HTTP status. All sentences about problems stand here; the
 * place that finds one gives the code and the facts. A new code is an entry in the file of its section;
 * `npm run generate` writes docs/problems.md.
 */
export const PROBLEMS = {
  ...FILE_PROBLEMS,
  ...DOCUMENT_PROBLEMS,
  ...TEST_PROBLEMS,
  ...RECORDING_PROBLEMS,
  ...REFERENCE_PROBLEMS,
  ...SCHEMA_PROBLEMS,
  ...SCENARIO_PROBLEMS,
  ...WORKFLOW_PROBLEMS,
  ...STUDY_PROBLEMS,
  ...COMPONENT_PROBLEMS,
  ...WORLD_PROBLEMS,
  ...STUDY_RUN_PROBLEMS,
  ...CALL_PROBLEMS,
  ...EVIDENCE_PROBLEMS,
  ...LEDGER_PROBLEMS,
  ...COMMAND_PROBLEMS,
  ...PLUGIN_PROBLEMS,
  ...SURROUNDINGS_PROBLEMS,
  ...HTTP_PROBLEMS,
} satisfies Readonly<Record<string, ProblemEntry<never>>>;

/** The stable name of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

/** The facts that the sentences of a code are made of. */
export type FactsOf<Code extends ProblemCode> =
  (typeof PROBLEMS)[Code] extends ProblemEntry<infer Facts> ? Constant<Facts> : never;

/** Facts as a caller has them: never changed. */
type Constant<Facts> = Facts extends readonly (infer Item)[]
  ? readonly Constant<Item>[]
  : Facts extends object
    ? { readonly [Name in keyof Facts]: Constant<Facts[Name]> }
    : Facts;

/** Whether a text from outside is a code of this catalogue. */
export function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code);
}

/** The sections of docs/problems.md. */
export const PROBLEM_SECTIONS: readonly {
  readonly heading: string;
  readonly introduction?: string;
  readonly problems: Readonly<Record<string, ProblemEntry<never>>>;
}[] = [
  {
    heading: 'In files',
    introduction:
      'A finding names file, line and column. One about the path itself has no line; with `--json` its line and column are 0.',
    problems: FILE_PROBLEMS,
  },
  { heading: 'In documents', problems: DOCUMENT_PROBLEMS },
  { heading: 'In tests and answers', problems: TEST_PROBLEMS },
  { heading: 'In recordings', problems: RECORDING_PROBLEMS },
  { heading: 'In references', problems: REFERENCE_PROBLEMS },
  { heading: 'In schemas', problems: SCHEMA_PROBLEMS },
  { heading: 'In scenarios', problems: SCENARIO_PROBLEMS },
  { heading: 'In workflows', problems: WORKFLOW_PROBLEMS },
  { heading: 'In studies', problems: STUDY_PROBLEMS },
  { heading: 'In look-ups of stored documents', problems: COMPONENT_PROBLEMS },
  { heading: 'In worlds', problems: WORLD_PROBLEMS },
  { heading: 'In studies that run', problems: STUDY_RUN_PROBLEMS },
  { heading: 'In attempts and calls', problems: CALL_PROBLEMS },
  { heading: 'In evidence', problems: EVIDENCE_PROBLEMS },
  { heading: 'In ledgers', problems: LEDGER_PROBLEMS },
  { heading: 'In commands', problems: COMMAND_PROBLEMS },
  { heading: 'In plugins', problems: PLUGIN_PROBLEMS },
  { heading: 'In the surroundings', problems: SURROUNDINGS_PROBLEMS },
  {
    heading: 'Over HTTP',
    introduction:
      'As problem documents (RFC 9457), with the code as `code`. Codes of the sections above come this way too.',
    problems: HTTP_PROBLEMS,
  },
];

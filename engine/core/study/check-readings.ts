import type { JsonObject } from '../../contract/json.js';
import { type Problem, problem } from '../../contract/problem.js';
import type { Probe } from '../../generated/probe.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { among } from '../content/nearest-name.js';
import type { ComposedScenario, StudyFiles } from './compose.js';

/** Checks the names in what measures read. */
export function checkReadings(study: StudyFiles, composed: readonly ComposedScenario[]): readonly Problem[] {
  const scenarios = composed.map(({ scenario }) => scenario);
  const entities = listDistinct(scenarios, ({ entities: all }) => all.map(({ id }) => id));
  const subjects = listDistinct(scenarios, ({ cognition }) => cognition.flatMap((entry) => entry.subjects));
  const tools = listDistinct(composed, ({ documents }) =>
    documents.flatMap(({ kind, content }) => (kind === 'cognition_workflow' ? listTools(content) : [])),
  );
  const find = (kind: 'entity' | 'subject' | 'tool', known: readonly string[], name: string, pointer: string) =>
    known.includes(name) ? [] : [problem('STUDY_NAMES_NOTHING', { kind, name, ...among(name, known) }, { pointer })];
  return study.study.measures.flatMap(({ read }, index) => {
    const pointer = `/measures/${index}/read`;
    const named = 'subjects' in read ? (read.subjects ?? []) : [];
    return [
      ...('state_of' in read ? find('entity', entities, read.state_of, `${pointer}/state_of`) : []),
      ...('tool' in read ? find('tool', tools, read.tool, `${pointer}/tool`) : []),
      ...('probe' in read ? checkQuestion(study, read, `${pointer}/question`) : []),
      ...named.flatMap((name, at) => find('subject', subjects, name, `${pointer}/subjects/${at}`)),
    ];
  });
}

function checkQuestion(
  { path, files, resolve_path }: StudyFiles,
  { probe, question }: { readonly probe: string; readonly question: string },
  pointer: string,
): readonly Problem[] {
  const resolved = resolve_path(path, probe);
  const file = resolved.ok ? files.find((one) => one.path === resolved.value) : undefined;
  if (file?.kind !== 'probe' || !file.is_sound) return [];
  const known = (file.value as unknown as Probe).questions.map(({ id }) => id);
  if (known.includes(question)) return [];
  return [
    problem('STUDY_NAMES_NOTHING', { kind: 'question', name: question, probe, ...among(question, known) }, { pointer }),
  ];
}

function listTools(workflow: JsonObject): readonly string[] {
  const { nodes } = workflow as unknown as CognitionWorkflow;
  return nodes.flatMap((node) => (node.type === 'llm_tool_loop' ? node.available_tools.map(({ name }) => name) : []));
}

function listDistinct<Item>(items: readonly Item[], listOf: (item: Item) => readonly string[]): readonly string[] {
  return [...new Set(items.flatMap(listOf))];
}

import type { Json } from '../../contract/json.js';
import type { ByTurn } from '../../contract/scripted.js';
import type { Answer } from '../../generated/answers.js';
import type { Scenario } from '../../generated/scenario.js';
import { findAt, isList, toPointer } from '../content/json-pointer.js';
import { suggestName } from '../content/nearest-name.js';
import type { Complaint } from '../protocol/document-problem.js';
import type { Program } from '../protocol/program.js';
import { findUnasked } from './command-key.js';

/**
 * Notes names in the answers of models that the scenario does not have: entities, environments and tools. A model's
 * mistake may be meant where it is answered again: a key whose next try has an answer as well is left alone. So is one
 * that nothing asks for.
 */
export function checkAnsweredNames(
  program: Program,
  scenario: Scenario,
  turns: ByTurn<Answer>,
  place: readonly string[],
): readonly Complaint[] {
  return Object.entries(turns).flatMap(([turn, answers]) =>
    Object.entries(answers).flatMap(([key, answer]) => {
      if (!('json' in answer) || Object.hasOwn(answers, nextTry(key)) || findUnasked(program, key)) return [];
      return [
        ...checkEffects(scenario, answer.json, [...place, turn, key, 'json']),
        ...checkTool(program, answer.json, key, [...place, turn, key, 'json']),
      ];
    }),
  );
}

function nextTry(key: string): string {
  const tried = /^(.*\/try-)(\d+)$/.exec(key);
  return tried === null ? '' : `${tried[1]}${Number(tried[2]) + 1}`;
}

function checkEffects({ entities, environments }: Scenario, answer: Json, place: readonly string[]) {
  const effects = findAt(answer, ['patch', 'effects']);
  if (effects === undefined || effects === null || typeof effects !== 'object' || !isList(effects)) return [];
  return effects.flatMap((effect, index) => {
    const at = [...place, 'patch', 'effects', String(index)];
    return [
      ...checkName('entity', effect, 'entity_id', { known: entities.map(({ id }) => id), at }),
      ...checkName('environment', effect, 'environment_label', { known: environments.map(({ label }) => label), at }),
    ];
  });
}

function checkTool(program: Program, answer: Json, key: string, place: readonly string[]): readonly Complaint[] {
  const [subject, id] = key.split('/');
  const node = program.subjects
    .find(({ subject_id }) => subject_id === subject)
    ?.workflow.nodes.find((candidate) => candidate.id === id);
  const call = findAt(answer, ['tool_call']);
  if (node?.tools === undefined || call === undefined) return [];
  return checkName('tool', call, 'name', { known: node.tools.map(({ name }) => name), at: [...place, 'tool_call'] });
}

function checkName(
  what: string,
  holder: Json,
  member: string,
  { known, at }: { readonly known: readonly string[]; readonly at: readonly string[] },
): readonly Complaint[] {
  const name = findAt(holder, [member]);
  if (typeof name !== 'string' || known.includes(name)) return [];
  return [
    {
      code: 'ANSWER_NAMES_NOTHING',
      message: `there is no ${what} ${JSON.stringify(name)}, so this answer is sent back to the model`,
      pointer: toPointer([...at, member]),
      repair: known.length === 0 ? 'There are none.' : suggestName(name, known),
      severity: 'note',
    },
  ];
}

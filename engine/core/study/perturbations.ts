import type { Json, JsonObject } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import type { PromptText } from '../../generated/prompt-text.js';
import type { Scenario } from '../../generated/scenario.js';
import type { ModelFromInterface } from '../../generated/plugin-manifest.js';
import type { Study, StudyLevel } from '../../generated/study.js';
import type { CognitionWorkflow, PromptMessage } from '../../generated/workflow.js';
import { isList, isObject } from '../content/json-pointer.js';
import { parseJson } from '../content/parse-json.js';
import { sha256 } from '../content/sha256.js';
import { type ComposedScenario, orderAgents } from './compose.js';
import { shuffleRoster } from './design.js';
import { changeScenario, rewriteDocuments } from './rewrite.js';

/** What should not matter to the answer of a study. */
export const PERTURBATIONS = ['persona', 'wording', 'roster', 'memories', 'model'] as const;

export type Perturbation = (typeof PERTURBATIONS)[number];

/** One harmless change of all scenarios of a study. */
export interface Variant {
  readonly perturbation: Perturbation;
  readonly name: string;
  /** What it changes, in one sentence. */
  readonly says: string;
  readonly change: VariantChange;
}

/** A level as an author writes it, or a change of each scenario. */
export type VariantChange =
  | { readonly kind: 'authored'; readonly level: StudyLevel }
  | { readonly kind: 'made'; readonly change: (composed: ComposedScenario, seed: number) => ComposedScenario };

/** Models that take the place of a study's own. */
export interface OtherModels {
  readonly names: readonly string[];
  /** The members of the interface of a plugin that name its model; undefined where it asks none. */
  readonly fieldsOf: (plugin: string) => ModelFromInterface | undefined;
}

/**
 * Every variant of a study: those that its author wrote, and those that can be made of any study.
 * @param models that are to take the place of its own
 */
export function listVariants({ audit = {} }: Pick<Study, 'audit'>, models: OtherModels): readonly Variant[] {
  return PERTURBATIONS.flatMap((perturbation) => {
    const authored = perturbation === 'roster' ? {} : (audit[perturbation] ?? {});
    return [
      ...Object.entries(authored).map(([name, level]) => ({
        perturbation,
        name,
        says: level.description ?? `The ${perturbation} that its author wrote as ${name}.`,
        change: { kind: 'authored', level } as const,
      })),
      ...makeVariants(perturbation, models).map(({ name, says, change }) => ({
        perturbation,
        name,
        says,
        change: { kind: 'made', change } as const,
      })),
    ];
  });
}

const LABEL_MAX = 64;
const DIGEST_LENGTH = 8;

/** The label of the study that runs a variant. */
export function labelOfVariant(label: string, { perturbation, name }: Pick<Variant, 'perturbation' | 'name'>): string {
  const whole = `${label}-audit-${perturbation}-${name}`;
  if (whole.length <= LABEL_MAX) return whole;
  const end = `-audit-${perturbation}-${sha256(whole).slice(0, DIGEST_LENGTH)}`;
  return `${label.slice(0, LABEL_MAX - end.length).replace(/[-_]+$/, '')}${end}`;
}

interface MadeVariant {
  readonly name: string;
  readonly says: string;
  readonly change: (composed: ComposedScenario, seed: number) => ComposedScenario;
}

function makeVariants(perturbation: Perturbation, models: OtherModels): readonly MadeVariant[] {
  switch (perturbation) {
    case 'persona':
      return FORMS.map(([name, says, write]) => ({
        name,
        says: `The goals of agents are written as ${says}.`,
        change: (composed) => changeScenario(composed, (scenario) => rewriteGoals(scenario, write)),
      }));
    case 'wording':
      return WORDINGS.map(([name, says, reword]) => ({
        name,
        says,
        change: (composed) => rewordPrompts(composed, reword),
      }));
    case 'roster':
      return [
        {
          name: 'reversed',
          says: 'Agents act and are listed in the opposite order.',
          change: (composed) =>
            changeScenario(composed, (scenario) => orderAgents(scenario, (ids) => ids.toReversed())),
        },
        {
          name: 'reshuffled',
          says: 'Agents act and are listed in another random order.',
          change: (composed, seed) =>
            changeScenario(composed, (scenario) =>
              orderAgents(scenario, (ids) => shuffleRoster(ids, seed + OTHER_SEEDS)),
            ),
        },
      ];
    case 'memories':
      return [
        { name: 'half', says: 'Prompts show half as many recent memories.', change: resizeMemories(0.5) },
        { name: 'double', says: 'Prompts show twice as many recent memories.', change: resizeMemories(2) },
      ];
    case 'model':
      return models.names.map((model) => ({
        name: toName(model),
        says: `The model is ${model}.`,
        change: (composed) => replaceModel(composed, model, models.fieldsOf),
      }));
    default:
      return unreachable(perturbation);
  }
}

/** Beyond all seeds that a study may name. */
const OTHER_SEEDS = 2 ** 31;

type WriteParts = (parts: readonly string[]) => string;

/** Forms in which the same can be said. One that a text has already changes nothing. */
const FORMS: readonly (readonly [name: string, says: string, write: WriteParts])[] = [
  ['prose', 'prose', (parts) => parts.join(' ')],
  ['list', 'a list', (parts) => parts.map((part) => `- ${part}`).join('\n')],
  ['json', 'JSON', (parts) => JSON.stringify({ goal: parts })],
];

function rewriteGoals(scenario: Scenario, write: WriteParts): Scenario {
  const entities = scenario.entities.map((entity) =>
    entity.goal === undefined ? entity : { ...entity, goal: write(partsOf(entity.goal)) },
  );
  return { ...scenario, entities };
}

/** The sentences of a text, be it prose, a list or JSON. */
function partsOf(text: string): readonly string[] {
  const parsed = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  if (parsed?.ok) return listTexts(parsed.value);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.every((line) => /^\s*[-*] /.test(line))) return lines.map((line) => line.replace(/^\s*[-*] /, ''));
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function listTexts(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(listTexts);
  if (isObject(value)) return Object.values(value).flatMap(listTexts);
  return value === null ? [] : [String(value)];
}

type Reword = (text: string, is_first: boolean) => string;

/** English auxiliaries before "not", and the short form of both. */
const CONTRACTIONS: readonly (readonly [string, string])[] = [
  ['do not', "don't"],
  ['does not', "doesn't"],
  ['did not', "didn't"],
  ['is not', "isn't"],
  ['are not', "aren't"],
  ['was not', "wasn't"],
  ['cannot', "can't"],
  ['will not', "won't"],
  ['it is', "it's"],
  ['you are', "you're"],
];

const WORDINGS: readonly (readonly [name: string, says: string, reword: Reword])[] = [
  ['contracted', 'Prompts say "don\'t" for "do not", and the like.', (text) => replaceWords(text, CONTRACTIONS)],
  [
    'spelled-out',
    'Prompts say "do not" for "don\'t", and the like.',
    (text) =>
      replaceWords(
        text,
        CONTRACTIONS.map(([long, short]) => [short, long]),
      ),
  ],
  [
    'thanked',
    'The first message of each prompt ends with a word of thanks.',
    (text, is_first) => (is_first ? `${text.trimEnd()}\n\nThank you for taking part.` : text),
  ],
];

function replaceWords(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((before, [from, to]) => {
    const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
    const one = before.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to);
    return one.replaceAll(new RegExp(`\\b${capital(from)}\\b`, 'g'), capital(to));
  }, text);
}

/** Prompts stand in workflows, and in files of their own. */
function rewordPrompts(composed: ComposedScenario, reword: Reword): ComposedScenario {
  const workflows = composed.documents.filter(({ kind }) => kind === 'cognition_workflow');
  const firsts = new Set(
    workflows.flatMap(({ content }) => listMessages(content).map(([first]) => hashOfPrompt(first))),
  );
  return rewriteDocuments(composed, ({ kind, hash, content }) => {
    if (kind === 'prompt_text') {
      const { text } = content as unknown as PromptText;
      return { ...content, text: reword(text, firsts.has(hash)) };
    }
    return kind === 'cognition_workflow' ? rewordWorkflow(content, reword) : content;
  });
}

function listMessages(workflow: JsonObject): readonly (readonly PromptMessage[])[] {
  const { nodes } = workflow as unknown as CognitionWorkflow;
  return nodes.flatMap((node) => ('prompt_template' in node ? [node.prompt_template.messages] : []));
}

function hashOfPrompt(message: PromptMessage | undefined): string | undefined {
  return message !== undefined && typeof message.content === 'object' && 'hash' in message.content
    ? message.content.hash
    : undefined;
}

function rewordWorkflow(content: JsonObject, reword: Reword): JsonObject {
  const { nodes, ...workflow } = content as unknown as CognitionWorkflow;
  const reworded = nodes.map((node) => {
    if (!('prompt_template' in node)) return node;
    const messages = node.prompt_template.messages.map(
      (message, index): PromptMessage =>
        typeof message.content === 'string' ? { ...message, content: reword(message.content, index === 0) } : message,
    );
    return { ...node, prompt_template: { ...node.prompt_template, messages } };
  });
  return { ...workflow, nodes: reworded } as unknown as JsonObject;
}

function resizeMemories(factor: number): MadeVariant['change'] {
  return (composed) =>
    rewriteDocuments(composed, ({ kind, content }) => {
      if (kind !== 'cognition_workflow') return content;
      const { nodes, ...workflow } = content as unknown as CognitionWorkflow;
      const resized = nodes.map((node) => {
        if (!('projection' in node) || node.projection === undefined) return node;
        const { memory } = node.projection;
        const recent = Math.min(
          MEMORIES_MAX,
          memory.recent === 0 ? 0 : Math.max(1, Math.round(memory.recent * factor)),
        );
        return { ...node, projection: { ...node.projection, memory: { ...memory, recent } } };
      });
      return { ...workflow, nodes: resized } as unknown as JsonObject;
    });
}

const MEMORIES_MAX = 10_000;

/** The sources that a workflow asks as models get another name of a model, and no variable that would say another. */
function replaceModel(composed: ComposedScenario, model: string, fieldsOf: OtherModels['fieldsOf']): ComposedScenario {
  const asked = new Set(
    composed.documents.flatMap(({ kind, content }) => (kind === 'cognition_workflow' ? listModels(content) : [])),
  );
  return rewriteDocuments(composed, ({ kind, hash, content }) => {
    const named = content['interface'];
    if (kind !== 'response_source' || !asked.has(hash) || !isObject(named)) return content;
    const { name } = named;
    const fields = typeof name === 'string' ? fieldsOf(name) : undefined;
    if (fields === undefined) return content;
    const others = Object.entries(named).filter(([member]) => member !== fields.variable_field);
    return { ...content, interface: { ...Object.fromEntries(others), [fields.interface_field]: model } };
  });
}

function listModels(workflow: JsonObject): readonly string[] {
  const { nodes } = workflow as unknown as CognitionWorkflow;
  return nodes.flatMap((node) => {
    if (!('llm_source_ref' in node)) return [];
    const sources = [node.llm_source_ref, node.fallback?.llm_source_ref];
    return sources.flatMap((source) => (source !== undefined && 'hash' in source ? [source.hash] : []));
  });
}

function toName(model: string): string {
  const name = model.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return name.replaceAll(/^-+|-+$/g, '') || 'other';
}

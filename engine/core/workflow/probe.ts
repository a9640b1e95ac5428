import { type Problem, problem } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import { pick } from '../../contract/pick.js';
import { present } from '../../contract/present.js';
import type { CognitionProfile } from '../../generated/cognition-profile.js';
import type { Probe, ProbeQuestion } from '../../generated/probe.js';
import type { Scenario } from '../../generated/scenario.js';
import type { CognitionWorkflow, LlmJsonNode, PromptMessage } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { textOf } from '../binding/prompt-messages.js';
import { contentHash } from '../content/canonical.js';
import { checkPromptText } from '../nodes/compile-generation.js';
import { nodeTypeOf } from '../nodes/index.js';
import { edgesOf } from '../nodes/references.js';
import { parsePromptText } from '../prompt/template.js';
import type { ComponentReference } from '../protocol/component.js';
import { complainIf, complainOfTwins, type DocumentProblem } from '../protocol/document-problem.js';
import { listReached } from './link/order.js';
import { withPrompts } from './prompt-files.js';

/** Checks a probe beyond its schema: the ids, the texts and the ranges of its questions. */
export function checkProbe({ questions }: Probe): readonly Problem[] {
  const ids = questions.map(({ id }) => id);
  return [
    ...complainOfTwins('QUESTION_TWICE', ids, (index) => `/questions/${index}/id`),
    ...questions.flatMap(({ ask, answer }, index) => [
      ...checkPromptText(ask, `/questions/${index}/ask`),
      ...checkRange(answer, `/questions/${index}/answer/minimum`),
    ]),
  ];
}

function checkRange(answer: ProbeQuestion['answer'], pointer: string): readonly Problem[] {
  if (answer.kind !== 'number') return [];
  const { minimum = -Infinity, maximum = Infinity } = answer;
  return complainIf(minimum > maximum, problem('QUESTION_RANGE_EMPTY', { minimum, maximum }, { pointer }));
}

interface ProbeDocument extends ComponentReference {
  readonly content: JsonObject;
}

/** A scenario whose turn asks questions, with its new documents. */
export interface ProbeScenario {
  readonly hash: string;
  readonly documents: readonly ProbeDocument[];
  /** What keeps it from being run; without a place where the probe is not at fault. */
  readonly problems: readonly Problem[];
  /** Gives a problem of its documents its place in the probe. */
  readonly place: (problem: DocumentProblem) => Problem;
}

/** Where the problems of a question are: in a node of a workflow, or in the schema of its answer. */
type QuestionPlaces = Map<string, string>;

/**
 * Makes a scenario that asks the questions of a probe, of a world's own scenario. The workflow of an agent keeps its
 * readings and the nodes that its prompt shows; a node for each question takes the place of the one whose patch is applied.
 * Nothing is applied, so no agent sees what another answers.
 * @param find finds the linked documents of the world's scenario
 * @param subjects the agents that are asked
 */
export function toProbeScenario(
  { find }: Pick<CompileParts, 'find'>,
  scenario_hash: string,
  { questions }: Pick<Probe, 'questions'>,
  subjects: ReadonlySet<string>,
): ProbeScenario {
  const scenario = find('scenario', scenario_hash) as unknown as Scenario;
  const places: QuestionPlaces = new Map();
  const problems: Problem[] = [];
  const documents: ProbeDocument[] = [];
  const add = (kind: ProbeDocument['kind'], content: object): { readonly hash: string } => {
    const hash = contentHash(content as JsonObject);
    documents.push({ kind, hash, content: content as JsonObject });
    return { hash };
  };
  const answers = questions.map(({ answer }, index) => {
    const schema = add('json_schema', schemaOf(answer));
    places.set(schema.hash, `/questions/${index}/answer${answer.kind === 'schema' ? '/schema' : ''}`);
    return schema;
  });
  const cognition = scenario.cognition.flatMap((entry) => {
    const asked = entry.subjects.filter((id) => subjects.has(id));
    const profile = find('cognition_profile', hashOf(entry.profile_ref)) as unknown as CognitionProfile;
    const document = { kind: 'cognition_workflow', hash: hashOf(profile.workflow_ref) } as const;
    const authored = find(document.kind, document.hash) as unknown as CognitionWorkflow;
    const { workflow } = withPrompts({ find }, document, authored);
    const node = findAsking(workflow);
    if (asked.length === 0 || node === undefined) return [];
    const edges = new Map(workflow.nodes.map((each) => [each.id, edgesOf(nodeTypeOf(each), each)]));
    const before = workflow.nodes.filter(({ id }) => id !== node.id && listReached(edges, node.id).has(id));
    problems.push(...findActing([...workflow.ambient_sources, ...before]));
    const asking = questions.map(
      ({ id, ask }, index): LlmJsonNode => ({
        ...present(pick(node, KEPT)),
        id,
        type: 'llm_json',
        order_type: 'execute',
        prompt_template: { messages: withQuestion(node.prompt_template.messages, ask) },
        result_schema_ref: answers[index] as { readonly hash: string },
      }),
    );
    const workflow_ref = add('cognition_workflow', {
      ...present(pick(workflow, ['version', 'label', 'ambient_sources'])),
      execution: 'per_subject_ordered',
      nodes: [...before, ...asking],
    });
    questions.forEach((_, index) => {
      places.set(`${workflow_ref.hash}/nodes/${before.length + index}`, `/questions/${index}`);
    });
    return [{ ...entry, subjects: asked, profile_ref: add('cognition_profile', { ...profile, workflow_ref }) }];
  });
  const { hash } = add('scenario', { ...scenario, cognition });
  return { hash, documents, problems, place: (found) => placeIn(places, found) };
}

/** The members that a question's node has of the node in whose place it is; a gate judges patches alone. */
const KEPT = [
  'llm_source_ref',
  'connection',
  'fallback',
  'projection',
  'max_generation_attempts',
  'constraints',
] as const;

/** The agents of whom a model is asked. */
export function listProbed({ find }: Pick<CompileParts, 'find'>, scenario_hash: string): readonly string[] {
  const scenario = find('scenario', scenario_hash) as unknown as Scenario;
  return scenario.cognition.flatMap(({ profile_ref, subjects }) => {
    const profile = find('cognition_profile', hashOf(profile_ref)) as unknown as CognitionProfile;
    const workflow = find('cognition_workflow', hashOf(profile.workflow_ref)) as unknown as CognitionWorkflow;
    return findAsking(workflow) === undefined ? [] : subjects;
  });
}

/** The node whose patch is applied; where nothing is, the last that asks a model. */
function findAsking({ nodes, apply }: CognitionWorkflow) {
  const asking = nodes.filter((node) => node.type !== 'source_call');
  return asking.find(({ id }) => `${id}.final` === apply?.from) ?? asking.at(-1);
}

function findActing(
  parts: readonly (CognitionWorkflow['ambient_sources'][number] | CognitionWorkflow['nodes'][number])[],
): readonly Problem[] {
  return parts.flatMap((part) =>
    'effect' in part && part.effect !== 'read_only'
      ? [problem('PROBE_WOULD_ACT', { id: part.id, effect: part.effect })]
      : [],
  );
}

const INSTEAD =
  'Nothing is done now, and no turn is played. Instead of what is asked above, answer as {{subject.name}}, by what {{subject.name}} knows and remembers:';

/**
 * A prompt with a question in the place of its task: of the last paragraph of its last message, where that shows nothing but
 * who the agent is and when it is.
 */
function withQuestion(messages: readonly PromptMessage[], ask: string): readonly PromptMessage[] {
  const last = messages.at(-1);
  if (last === undefined) return messages;
  const paragraphs = textOf(last)
    .trimEnd()
    .split(/\n[^\S\n]*\n/);
  const [task = ''] = paragraphs.slice(-1);
  const isTask = parsePromptText(task).parts.every(
    (part) => part.kind === 'text' || part.placeholder.reads === 'subject' || part.placeholder.reads === 'world',
  );
  const kept = isTask && (messages.length > 1 || paragraphs.length > 1) ? paragraphs.slice(0, -1) : paragraphs;
  const content = [...kept, `${INSTEAD}\n${ask}`, 'Answer with exactly one JSON object and nothing around it.'];
  return [...messages.slice(0, -1), { ...last, content: content.join('\n\n') }];
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The schema of an answer: of an object with the member `answer`, or the author's own. */
function schemaOf(form: ProbeQuestion['answer']): JsonObject {
  if (form.kind === 'schema') return form.schema;
  const answer = valueSchemaOf(form);
  return {
    $schema: DIALECT,
    type: 'object',
    additionalProperties: false,
    required: ['answer'],
    properties: { answer },
  };
}

function valueSchemaOf(form: Exclude<ProbeQuestion['answer'], { readonly kind: 'schema' }>): JsonObject {
  switch (form.kind) {
    case 'choice':
      return { enum: form.options };
    case 'number':
      return { type: 'number', ...present(pick(form, ['minimum', 'maximum'])) };
    case 'yes_no':
      return { enum: ['yes', 'no'] };
    case 'text':
      return { type: 'string', minLength: 1 };
  }
}

function placeIn(places: QuestionPlaces, { document, ...found }: DocumentProblem): Problem {
  const [, node, member] = /^(\/nodes\/\d+)(\/[^/]+)?/.exec(found.pointer ?? '') ?? [];
  const question = places.get(`${document.hash}${node ?? ''}`);
  const { offset: _offset, pointer, ...placed } = found;
  if (question === undefined) return placed;
  if (node === undefined) return { ...placed, pointer: `${question}${question.endsWith('/schema') ? pointer : ''}` };
  return { ...placed, pointer: `${question}${member === '/prompt_template' ? '/ask' : member === '/id' ? '/id' : ''}` };
}

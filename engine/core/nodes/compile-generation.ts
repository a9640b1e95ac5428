import type { LlmJsonNode, LlmToolLoopNode } from '../../generated/workflow.js';
import { present } from '../../contract/present.js';
import { compileCall } from '../binding/compile-call.js';
import type { CompileParts, Part, WorkflowSetting } from '../binding/compile-parts.js';
import { messagePointer, textOf } from '../binding/prompt-messages.js';
import { findNotYet, readDelivery } from '../binding/source-settings.js';
import { nearestName } from '../content/nearest-name.js';
import { shorten } from '../content/shorten.js';
import { parsePromptText, PLACEHOLDER_NAMES, type PromptTemplate } from '../prompt/template.js';
import { type Complaint, complainIf, inDocument, isError } from '../protocol/document-problem.js';
import { type GenerationProgram, isInPrompt } from './generation.js';

/** The members of a generation that an author writes, whatever the type of the node. */
type AuthoredGeneration = Pick<
  LlmToolLoopNode | LlmJsonNode,
  'id' | 'llm_source_ref' | 'fallback' | 'prompt_template' | 'projection' | 'max_generation_attempts' | 'constraints'
>;

/** Compiles the common part of the nodes that ask a model. */
export function compileGeneration(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: AuthoredGeneration,
  pointer: string,
): Part<Omit<GenerationProgram, 'type' | 'id' | 'after'>> {
  const source = compileSource(parts, setting, node, { llm_source_ref: node.llm_source_ref, pointer });
  const second = node.fallback && {
    ...compileSource(parts, setting, node, { ...node.fallback, pointer: `${pointer}/fallback` }),
    on: node.fallback.on,
  };
  const prompt = compilePrompt(node, pointer);
  const problems = [
    ...source.problems,
    ...(second?.problems ?? []),
    ...inDocument(setting.document, [
      ...prompt.complaints,
      ...checkEvents(node, prompt.template, pointer),
      ...(source.value && second?.value ? checkFallback(node, source.value, second.value, `${pointer}/fallback`) : []),
    ]),
  ];
  if (source.value === undefined || problems.some(isError)) return { problems };
  return {
    value: {
      ...source.value,
      ...present({ fallback: second?.value && { ...second.value, on: new Set(second.on) } }),
      prompt: prompt.template,
      projection: node.projection,
      max_generation_attempts: node.max_generation_attempts,
      constraints: node.constraints,
    },
    problems,
  };
}

type AskedSource = Pick<GenerationProgram, 'call' | 'schema_delivery'>;

/** A source that a node asks for answers: its first one, or its fallback. */
function compileSource(
  parts: CompileParts,
  setting: WorkflowSetting,
  { id }: AuthoredGeneration,
  { llm_source_ref, pointer }: Pick<AuthoredGeneration, 'llm_source_ref'> & { readonly pointer: string },
): Part<AskedSource> {
  const authored = { source_ref: llm_source_ref, effect: 'read_only', redaction: { allow: 'all' } } as const;
  const call = compileCall(parts, setting, authored, { pointer, policy_id: id, speaks: 'chat' });
  const manifest = call.value && parts.findManifest(call.value.source.plugin);
  if (call.value === undefined || manifest === undefined) return { problems: call.problems };
  const { source } = call.value;
  const refused = findNotYet(manifest, source.interface);
  const schema_delivery = readDelivery(manifest, source.interface);
  if (refused === undefined && schema_delivery !== undefined)
    return { value: { call: call.value, schema_delivery }, problems: call.problems };
  const complaints = refused === undefined ? [] : [notYet(refused.member, refused.value)];
  return {
    problems: [...call.problems, ...inDocument({ kind: 'response_source', hash: source.hash }, complaints)],
  };
}

/** A fallback that would never be asked, or could not go on with the conversation of the first source. */
function checkFallback(
  { fallback, constraints }: AuthoredGeneration,
  first: AskedSource,
  second: AskedSource,
  pointer: string,
): readonly Complaint[] {
  const [{ source, limits }, { source: other }] = [first.call, second.call];
  const node_ms = constraints.timeout_seconds * 1000;
  return [
    ...complainIf(source.hash === other.hash, {
      code: 'FALLBACK_IS_THE_SAME',
      message: `The fallback is the source ${source.label} itself, which has failed when its fallback is asked.`,
      pointer: `${pointer}/llm_source_ref`,
      repair: 'Refer to another source, or write "retry" in the source in place of "fallback".',
    }),
    ...complainIf(isInPrompt(first) !== isInPrompt(second), {
      code: 'FALLBACK_DELIVERS_OTHERWISE',
      message: `${source.label} is given the schema of its answer by ${first.schema_delivery}, and ${other.label} by ${second.schema_delivery}: they cannot share one conversation.`,
      pointer: `${pointer}/llm_source_ref`,
      repair: 'Let both sources have the schema in the prompt ("prompt" or "json_object"), or both beside it.',
    }),
    ...complainIf(fallback?.on.includes('timeout') === true && limits.max_runtime_ms >= node_ms, {
      code: 'FALLBACK_HAS_NO_TIME',
      message: `A call of ${source.label} may take ${limits.max_runtime_ms / 1000} s, and all calls of the node ${constraints.timeout_seconds} s: after a timeout none is left for the fallback.`,
      pointer: `${pointer}/on/${fallback?.on.indexOf('timeout') ?? 0}`,
      repair: 'Lower the timeout of the source, raise "timeout_seconds", or remove "timeout".',
    }),
  ];
}

function compilePrompt(
  node: AuthoredGeneration,
  pointer: string,
): { readonly template: PromptTemplate; readonly complaints: readonly Complaint[] } {
  const parsed = node.prompt_template.messages.map((message) => {
    const text = textOf(message);
    return { role: message.role, text, ...parsePromptText(text) };
  });
  const complaints = parsed.flatMap(({ text, unknown, unclosed }, index) => {
    const place = `${pointer}${messagePointer(index)}`;
    return [
      ...unknown.map(({ text, offset }) => ({ ...unknownPlaceholder(text, place), offset })),
      ...(unclosed ? [unclosedPlaceholder(unclosed.offset, place)] : []),
      ...checkBraces(text, place),
    ];
  });
  return { template: { messages: parsed.map(({ role, parts }) => ({ role, parts })) }, complaints };
}

/** A projection asks for events where a prompt shows them, and there only. */
function checkEvents(node: AuthoredGeneration, { messages }: PromptTemplate, pointer: string): readonly Complaint[] {
  const shown = messages.findIndex(({ parts }) =>
    parts.some((part) => part.kind === 'placeholder' && part.placeholder.reads === 'world.recent_events'),
  );
  const isAsked = node.projection.events !== undefined;
  return [
    ...complainIf(!isAsked && shown !== -1, {
      code: 'EVENTS_NOT_PROJECTED',
      message: '{{world.recent_events}} is used in a prompt, but the projection does not say for how many turns.',
      pointer: `${pointer}${messagePointer(shown)}`,
      repair: 'Add "events": {"turns": 2} to the projection of the node.',
    }),
    ...complainIf(isAsked && shown === -1, {
      code: 'EVENTS_NOT_SHOWN',
      message: 'The projection requests events, but no message of the prompt uses them.',
      pointer: `${pointer}/projection/events`,
      repair: 'Write {{world.recent_events}} into a message, or remove "events".',
      severity: 'note',
    }),
  ];
}

function unknownPlaceholder(text: string, pointer: string): Complaint {
  const name = text.slice(2, -2).trim();
  const nearest = nearestName(name, PLACEHOLDER_NAMES) ?? outputOf(name) ?? onlyOfRoot(name);
  return {
    code: 'PROMPT_PLACEHOLDER_UNKNOWN',
    message: `${shorten(text, SHOWN_LENGTH_MAX)} is not a placeholder.`,
    pointer,
    repair: `${nearest === undefined ? '' : `Did you mean {{${nearest}}}? `}Use ${PLACEHOLDER_NAMES.join(', ')}, ambient.<path> or nodes.<id>.output.`,
  };
}

/** `{{nodes.plan.intention}}`: all that a node has is below its output. */
function outputOf(name: string): string | undefined {
  const [root, node_id = '', ...path] = name.split('.');
  return root !== 'nodes' || node_id === '' || path[0] === 'output'
    ? undefined
    : ['nodes', node_id, 'output', ...path].join('.');
}

/** `{{ambient.tide.height}}`: all that a prompt has of readings is `{{ambient.visible}}`. */
function onlyOfRoot(name: string): string | undefined {
  const root = name.slice(0, name.indexOf('.') + 1);
  const [only, ...others] = root === '' ? [] : PLACEHOLDER_NAMES.filter((known) => known.startsWith(root));
  return others.length === 0 ? only : undefined;
}

const SHOWN_LENGTH_MAX = 80;

function unclosedPlaceholder(offset: number, pointer: string): Complaint {
  return {
    code: 'PROMPT_PLACEHOLDER_UNCLOSED',
    message: `The braces that open at character ${offset + 1} are not closed.`,
    pointer,
    offset,
    repair: 'Close them with }}, or write a single brace.',
  };
}

function notYet(member: string, value: string): Complaint {
  return {
    code: 'NOT_SUPPORTED_YET',
    message: `This version does not support this "${member}", and never chooses another by itself.`,
    pointer: `/interface/${member}`,
    repair: `Write ${JSON.stringify(value)}.`,
  };
}

/** How other languages write a name that is to be filled in: any name behind a dollar, a name of ours in single braces. */
const OTHER_BRACES = [
  { code: 'PROMPT_DOLLAR_BRACES', pattern: /\$\{\s*([A-Za-z_][\w.]*)\s*\}/g },
  {
    code: 'PROMPT_SINGLE_BRACES',
    pattern: /(?<![{$])\{\s*((?:world|subject|ambient|tools|nodes)\.[\w.]+)\s*\}(?!\})/g,
  },
] as const;

function checkBraces(text: string, pointer: string): readonly Complaint[] {
  return OTHER_BRACES.flatMap(({ code, pattern }) =>
    [...text.matchAll(pattern)].map(
      ({ 0: written, 1: name = '', index }): Complaint => ({
        code,
        message: `${written} reaches the model unchanged: a placeholder has double braces.`,
        pointer,
        offset: index,
        repair: `Write {{${nearestName(name, PLACEHOLDER_NAMES) ?? name}}}, unless this text is meant.`,
        severity: 'note',
      }),
    ),
  );
}

import { type Problem, problem } from '../../contract/problem.js';
import type { LlmJsonNode, LlmToolLoopNode } from '../../generated/workflow.js';
import { present } from '../../contract/present.js';
import { compileCall } from '../binding/compile-call.js';
import type { CompileParts, Part, WorkflowSetting } from '../binding/compile-parts.js';
import { messagePointer, type PlacedPrompt, promptsOf, textOf } from '../binding/prompt-messages.js';
import { findNotYet, readDelivery, readToolCalling } from '../binding/source-settings.js';
import { nearestName } from '../content/nearest-name.js';
import { shorten } from '../content/shorten.js';
import type { Projection } from '../world/projection.js';
import { parsePromptText, type Placeholder, PLACEHOLDER_NAMES, type PromptTemplate } from '../prompt/template.js';
import { complainIf, inDocument } from '../protocol/document-problem.js';
import type { SchemaProgram } from '../protocol/program.js';
import { offerAnswerSchema } from './compose-schema.js';
import { type GenerationProgram, isInPrompt } from './generation.js';

/** The members of a generation that an author writes, whatever the type of the node. */
type AuthoredGeneration = Pick<
  LlmToolLoopNode | LlmJsonNode,
  | 'id'
  | 'llm_source_ref'
  | 'connection'
  | 'fallback'
  | 'gate'
  | 'prompt_template'
  | 'projection'
  | 'max_generation_attempts'
  | 'constraints'
> &
  Partial<Pick<LlmToolLoopNode, 'available_tools' | 'max_tool_calls'>>;

/** Compiles the common part of the nodes that ask a model. */
export function compileGeneration(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: AuthoredGeneration,
  pointer: string,
): Part<Omit<GenerationProgram, 'type' | 'id' | 'after'>> {
  const source = compileSource(parts, setting, node, { ...node, pointer });
  const second = node.fallback && {
    ...compileSource(parts, setting, node, { ...node.fallback, pointer: `${pointer}/fallback` }),
    on: node.fallback.on,
  };
  const judge = node.gate && compileSource(parts, setting, node, { ...node.gate, pointer: `${pointer}/gate` });
  const prompts = promptsOf(node).map((prompt) => ({ prompt, ...compilePrompt(prompt, pointer) }));
  const [own, ofGate] = prompts.map(({ template }) => template);
  const problems = [
    ...source.problems,
    ...(second?.problems ?? []),
    ...(judge?.problems ?? []),
    ...inDocument(setting.document, [
      ...prompts.flatMap(({ complaints }) => complaints),
      ...checkShown(node, prompts, pointer),
      ...checkQuery(prompts, pointer),
      ...checkGate(node, prompts, pointer),
      ...(source.value && second?.value ? checkFallback(node, source.value, second.value, `${pointer}/fallback`) : []),
    ]),
  ];
  if (source.value === undefined || own === undefined) return { problems };
  return {
    value: {
      ...source.value,
      ...present({
        fallback: second?.value && { ...second.value, on: new Set(second.on) },
        gate: judge?.value && ofGate && { ...judge.value, ...offerVerdict(parts), prompt: ofGate },
        query: prompts.find(({ prompt }) => prompt.is_query === true)?.template,
      }),
      prompt: own,
      projection: node.projection,
      max_generation_attempts: node.max_generation_attempts,
      constraints: node.constraints,
    },
    problems,
  };
}

type AskedSource = Pick<GenerationProgram, 'call' | 'schema_delivery' | 'tool_calling'>;

/** A model that a node asks: its first one, its fallback, or its gate. */
function compileSource(
  parts: CompileParts,
  setting: WorkflowSetting,
  { id }: AuthoredGeneration,
  {
    llm_source_ref,
    connection,
    pointer,
  }: Pick<AuthoredGeneration, 'llm_source_ref' | 'connection'> & { readonly pointer: string },
): Part<AskedSource> {
  const bound = { source_ref: llm_source_ref, effect: 'read_only', redaction: { allow: 'all' } } as const;
  const authored = { ...bound, ...present({ connection }) };
  const call = compileCall(parts, setting, authored, { pointer, policy_id: id, speaks: 'chat' });
  const manifest = call.value && parts.findManifest(call.value.source.plugin);
  if (call.value === undefined || manifest === undefined) return { problems: call.problems };
  const { source } = call.value;
  const refused = findNotYet(manifest, source.interface);
  const schema_delivery = readDelivery(manifest, source.interface);
  if (refused === undefined && schema_delivery !== undefined)
    return {
      value: { call: call.value, schema_delivery, tool_calling: readToolCalling(manifest, source.interface) },
      problems: call.problems,
    };
  const complaints =
    refused === undefined ? [] : [problem('NOT_SUPPORTED_YET', refused, { pointer: `/interface/${refused.member}` })];
  return {
    problems: [...call.problems, ...inDocument({ kind: 'response_source', hash: source.hash }, complaints)],
  };
}

/** A fallback that would never be asked, or could not go on with the conversation of the first source. */
function checkFallback(
  { fallback, constraints, available_tools = [], max_tool_calls = 0 }: AuthoredGeneration,
  first: AskedSource,
  second: AskedSource,
  pointer: string,
): readonly Problem[] {
  const [{ source, limits }, { source: other }] = [first.call, second.call];
  const node_s = constraints.timeout_seconds;
  return [
    ...complainIf(
      source.hash === other.hash,
      problem('FALLBACK_IS_THE_SAME', { source: source.label }, { pointer: `${pointer}/llm_source_ref` }),
    ),
    ...complainIf(
      isInPrompt(first) !== isInPrompt(second),
      problem(
        'FALLBACK_DELIVERS_OTHERWISE',
        { first: deliveryOf(first), second: deliveryOf(second) },
        { pointer: `${pointer}/llm_source_ref` },
      ),
    ),
    ...complainIf(
      // A node without tools asks for its answer in the same way, however its models would call them.
      available_tools.length > 0 && max_tool_calls > 0 && first.tool_calling !== second.tool_calling,
      problem(
        'FALLBACK_CALLS_OTHERWISE',
        { first: callingOf(first), second: callingOf(second) },
        { pointer: `${pointer}/llm_source_ref` },
      ),
    ),
    ...complainIf(
      fallback?.on.includes('timeout') === true && limits.max_runtime_ms >= node_s * 1000,
      problem(
        'FALLBACK_HAS_NO_TIME',
        { source: source.label, call_s: limits.max_runtime_ms / 1000, node_s },
        { pointer: `${pointer}/on/${fallback?.on.indexOf('timeout') ?? 0}` },
      ),
    ),
  ];
}

function offerVerdict(parts: CompileParts) {
  const verdict = compileContract(parts, 'gate_verdict');
  return { verdict, offered: offerAnswerSchema(verdict.schema) };
}

/** A schema that ships, with its validator. */
export function compileContract(parts: CompileParts, name: keyof CompileParts['contracts']): SchemaProgram {
  const schema = parts.contracts[name];
  const compiled = parts.compileSchema(`contract:${name}`, schema);
  if (!compiled.ok) throw new Error(`the shipped ${name} schema does not compile`);
  return { hash: `contract:${name}`, schema, validate: compiled.value };
}

interface CompiledPrompt {
  readonly prompt: PlacedPrompt;
  readonly template: PromptTemplate;
}

/** The prompt of a gate shows the answer that it judges, and no other prompt does; a gate needs a generation of its own. */
function checkGate(
  { id, gate, constraints }: AuthoredGeneration,
  prompts: readonly CompiledPrompt[],
  pointer: string,
): readonly Problem[] {
  const [own, ofGate] = prompts.map((each) => findShown(each, 'model'));
  return [
    ...complainIf(
      own !== undefined,
      problem('GATE_ANSWER_MISPLACED', undefined, { pointer: `${pointer}${own?.pointer}`, offset: own?.offset ?? 0 }),
    ),
    ...complainIf(
      gate !== undefined && ofGate === undefined,
      problem('GATE_ANSWER_UNSEEN', { id }, { pointer: `${pointer}/gate/prompt_template` }),
    ),
    ...complainIf(
      gate !== undefined && constraints.turn_limit === 1,
      problem('GATE_HAS_NO_TURN', { id }, { pointer: `${pointer}/constraints/turn_limit` }),
    ),
  ];
}

/** Where a prompt first shows something, if it does. */
function findShown({ prompt, template }: CompiledPrompt, reads: Placeholder['reads']) {
  for (const [index, { parts }] of template.messages.entries()) {
    const shown = parts.find((part) => part.kind === 'placeholder' && part.placeholder.reads === reads);
    if (shown?.kind === 'placeholder') return { pointer: messagePointer(prompt, index), offset: shown.offset };
  }
  return undefined;
}

function deliveryOf({ call, schema_delivery }: AskedSource) {
  return { source: call.source.label, schema_delivery };
}

function callingOf({ call, tool_calling }: AskedSource) {
  return { source: call.source.label, tool_calling };
}

function compilePrompt(
  prompt: PlacedPrompt,
  pointer: string,
): { readonly template: PromptTemplate; readonly complaints: readonly Problem[] } {
  const parsed = prompt.messages.map((message) => {
    const text = textOf(message);
    return { role: message.role, text, ...parsePromptText(text) };
  });
  const complaints = parsed.flatMap(({ text }, index) =>
    checkPromptText(text, `${pointer}${messagePointer(prompt, index)}`),
  );
  return { template: { messages: parsed.map(({ role, parts }) => ({ role, parts })) }, complaints };
}

/** Checks the placeholders of one authored text. */
export function checkPromptText(text: string, pointer: string): readonly Problem[] {
  const { unknown, unclosed } = parsePromptText(text);
  return [
    ...unknown.map(({ text, offset }) => unknownPlaceholder(text, { pointer, offset })),
    ...(unclosed ? [problem('PROMPT_PLACEHOLDER_UNCLOSED', unclosed, { pointer, ...unclosed })] : []),
    ...checkBraces(text, pointer),
  ];
}

/** What a prompt shows, and the member of the projection that asks for it. */
const ASKED_FOR = [
  { shows: 'world.recent_events', member: 'events', isAsked: ({ events }: Projection) => events !== undefined },
  { shows: 'subject.own_turns', member: 'own_turns', isAsked: ({ own_turns }: Projection) => own_turns !== undefined },
  { shows: 'memory.pinned', member: 'memory/pinned', isAsked: ({ memory }: Projection) => memory.pinned === true },
  {
    shows: 'memory.retrieved',
    member: 'memory/retrieve',
    isAsked: ({ memory }: Projection) => memory.retrieve !== undefined,
  },
] as const;

/** A projection asks for a part where a prompt shows it, and there only. */
function checkShown(
  { projection }: AuthoredGeneration,
  prompts: readonly CompiledPrompt[],
  pointer: string,
): readonly Problem[] {
  return ASKED_FOR.flatMap(({ shows, member, isAsked }) => {
    const shown = prompts.flatMap((each) => findShown(each, shows) ?? []);
    if (!isAsked(projection))
      return shown.map((place) => {
        const at = { pointer: `${pointer}${place.pointer}` };
        return member === 'events'
          ? problem('EVENTS_NOT_PROJECTED', undefined, at)
          : problem('PART_NOT_PROJECTED', { shows, member }, at);
      });
    const at = { pointer: `${pointer}/projection/${member}` };
    return complainIf(
      shown.length === 0,
      member === 'events'
        ? problem('EVENTS_NOT_SHOWN', undefined, at)
        : problem('PART_NOT_SHOWN', { shows, member }, at),
    );
  });
}

/** Placeholders that get their text after memories are retrieved: a query cannot show them. */
const AFTER_RETRIEVAL = ['memory.retrieved', 'tools.available'] as const;

function checkQuery(prompts: readonly CompiledPrompt[], pointer: string): readonly Problem[] {
  const query = prompts.find(({ prompt }) => prompt.is_query === true);
  return AFTER_RETRIEVAL.flatMap((shows) => {
    const shown = query && findShown(query, shows);
    if (shown === undefined) return [];
    return problem('QUERY_READS_LATER', { shows }, { pointer: `${pointer}${shown.pointer}`, offset: shown.offset });
  });
}

function unknownPlaceholder(text: string, place: { readonly pointer: string; readonly offset: number }): Problem {
  const name = text.slice(2, -2).trim();
  const known = PLACEHOLDER_NAMES.filter((each) => each !== 'gate.answer' || place.pointer.includes('/gate/'));
  const nearest = nearestName(name, known) ?? outputOf(name) ?? onlyOfRoot(name);
  const shown = shorten(text, SHOWN_LENGTH_MAX);
  return problem('PROMPT_PLACEHOLDER_UNKNOWN', { text: shown, nearest, known }, place);
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

/** How other languages write a name that is to be filled in: any name behind a dollar, a name of ours in single braces. */
const OTHER_BRACES = [
  { code: 'PROMPT_DOLLAR_BRACES', pattern: /\$\{\s*([A-Za-z_][\w.]*)\s*\}/g },
  {
    code: 'PROMPT_SINGLE_BRACES',
    pattern: /(?<![{$])\{\s*((?:world|subject|ambient|tools|nodes|gate)\.[\w.]+)\s*\}(?!\})/g,
  },
] as const;

function checkBraces(text: string, pointer: string): readonly Problem[] {
  return OTHER_BRACES.flatMap(({ code, pattern }) =>
    [...text.matchAll(pattern)].map(({ 0: written, 1: found = '', index }) => {
      const name = nearestName(found, PLACEHOLDER_NAMES) ?? found;
      return problem(code, { written, name }, { pointer, offset: index });
    }),
  );
}

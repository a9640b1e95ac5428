import { unreachable } from '../../contract/unreachable.js';
import type { JsonObject } from '../../contract/json.js';
import type {
  AvailableTool,
  CognitionWorkflow,
  LlmJsonNode,
  LlmToolLoopNode,
  SourceCallNode,
} from '../../generated/workflow.js';
import { nodesReadBy, parsePromptText, PLACEHOLDER_NAMES, type PromptTemplate } from '../prompt/template.js';
import { pointerTokens } from '../content/json-pointer.js';
import { nearestName } from '../content/nearest-name.js';
import { compileCall, compileReference } from './compile-call.js';
import { type CompiledPolicy, type CompileParts, type Part, textOf, type WorkflowSetting } from './compile-parts.js';
import { composeToolLoopSchema, offerAnswerSchema, withReach } from './compose-schema.js';
import { type Complaint, inDocument, isError } from '../protocol/document-problem.js';
import { isEquivalentSchema } from './equivalent-schema.js';
import type {
  GenerationProgram,
  LlmJsonProgram,
  LlmToolLoopProgram,
  NodeProgram,
  SchemaDelivery,
  SchemaProgram,
  SourceCallProgram,
  ToolProgram,
} from '../protocol/program.js';
import { listReads } from '../protocol/request-template.js';
import { checkToolName } from './tool-name.js';

type AuthoredNode = CognitionWorkflow['nodes'][number];

/** A node as a program. */
export function compileNode(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: AuthoredNode,
  pointer: string,
): Part<NodeProgram> {
  switch (node.type) {
    case 'llm_tool_loop':
      return compileToolLoop(parts, setting, node, pointer);
    case 'llm_json':
      return compileLlmJson(parts, setting, node, pointer);
    case 'source_call':
      return compileSourceCall(parts, setting, node, pointer);
    default:
      return unreachable(node);
  }
}

function compileToolLoop(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: LlmToolLoopNode,
  pointer: string,
): Part<LlmToolLoopProgram> {
  const document = { kind: 'cognition_workflow', hash: setting.hash } as const;
  const generation = compileGeneration(parts, setting, node, pointer);
  const tools = node.available_tools.map((tool, index) =>
    compileTool(parts, setting, tool, `${pointer}/available_tools/${index}`),
  );
  const final = compileReference(parts, document, node.final_schema_ref, `${pointer}/final_schema_ref`);
  const foreign = final.value !== undefined && !isEquivalentSchema(final.value.schema, parts.contracts.world_patch);
  const problems = [
    ...generation.problems,
    ...tools.flatMap((tool) => tool.problems),
    ...final.problems,
    ...inDocument(document, foreign ? [notWorldPatch(`${pointer}/final_schema_ref`)] : []),
  ];
  if (generation.value === undefined || final.value === undefined || problems.some(isError)) return { problems };
  const compiled = tools.flatMap((tool) => tool.value ?? []);
  const offered = compiled
    .filter((tool) => tool.permitted)
    .map((tool) => ({ name: tool.name, arguments: tool.arguments.schema }));
  const patch = withReach(parts.contracts.world_patch, node.may ?? {});
  return {
    value: {
      ...generation.value,
      type: 'llm_tool_loop',
      id: node.id,
      after: nodesReadBy(generation.value.prompt),
      tools: compiled,
      max_tool_calls: node.max_tool_calls,
      may: node.may ?? {},
      envelope: contract(parts, 'tool_loop_output'),
      patch: contract(parts, 'world_patch'),
      offered: composeToolLoopSchema(node.max_tool_calls === 0 ? [] : offered, patch),
      offered_last: composeToolLoopSchema([], patch),
    },
    problems,
  };
}

function compileLlmJson(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: LlmJsonNode,
  pointer: string,
): Part<LlmJsonProgram> {
  const document = { kind: 'cognition_workflow', hash: setting.hash } as const;
  const generation = compileGeneration(parts, setting, node, pointer);
  const result = compileReference(parts, document, node.result_schema_ref, `${pointer}/result_schema_ref`);
  const problems = [...generation.problems, ...result.problems];
  if (generation.value === undefined || result.value === undefined) return { problems };
  const after = nodesReadBy(generation.value.prompt);
  return {
    value: {
      ...generation.value,
      type: 'llm_json',
      id: node.id,
      after,
      result: result.value,
      offered: offerAnswerSchema(result.value.schema),
    },
    problems,
  };
}

function compileSourceCall(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: SourceCallNode,
  pointer: string,
): Part<SourceCallProgram> {
  const call = compileCall(parts, setting, node, { pointer, policy_id: node.id, speaks: 'json' });
  if (call.value === undefined) return { problems: call.problems };
  const after = [...new Set(nodesReadByTemplate(node))];
  return {
    value: { type: 'source_call', id: node.id, after, call: call.value, request_template: node.request_template },
    problems: call.problems,
  };
}

function nodesReadByTemplate(node: SourceCallNode): readonly string[] {
  return listReads(node.request_template).flatMap((read) => {
    const [root, id] = pointerTokens(read.from);
    return root === 'nodes' && id !== undefined ? [id] : [];
  });
}

function compileGeneration(
  parts: CompileParts,
  setting: WorkflowSetting,
  node: LlmToolLoopNode | LlmJsonNode,
  pointer: string,
): Part<GenerationProgram> {
  const document = { kind: 'cognition_workflow', hash: setting.hash } as const;
  const authored = { source_ref: node.llm_source_ref, effect: 'read_only', redaction: { allow: 'all' } } as const;
  const call = compileCall(parts, setting, authored, { pointer, policy_id: node.id, speaks: 'chat' });
  const prompt = compilePrompt(node, pointer);
  const delivery = call.value === undefined ? undefined : readDelivery(call.value.source.interface);
  const problems = [
    ...call.problems,
    ...inDocument(document, [...prompt.complaints, ...checkEvents(node, prompt.template, pointer)]),
    ...(call.value === undefined || delivery?.ok !== false
      ? []
      : inDocument({ kind: 'response_source', hash: call.value.source.hash }, [delivery.complaint])),
  ];
  if (call.value === undefined || delivery?.ok !== true || problems.some(isError)) return { problems };
  return {
    value: {
      call: call.value,
      prompt: prompt.template,
      projection: node.projection,
      max_generation_attempts: node.max_generation_attempts,
      constraints: node.constraints,
      schema_delivery: delivery.schema_delivery,
    },
    problems,
  };
}

function compilePrompt(
  node: LlmToolLoopNode | LlmJsonNode,
  pointer: string,
): { readonly template: PromptTemplate; readonly complaints: readonly Complaint[] } {
  const parsed = node.prompt_template.messages.map((message) => ({
    role: message.role,
    ...parsePromptText(textOf(message.content)),
  }));
  const complaints = parsed.flatMap(({ unknown, unclosed }, index) => {
    const place = `${pointer}/prompt_template/messages/${index}/content`;
    return [
      ...unknown.map(({ text, offset }) => ({ ...unknownPlaceholder(text, place), offset })),
      ...(unclosed ? [unclosedPlaceholder(unclosed.offset, place)] : []),
    ];
  });
  return { template: { messages: parsed.map(({ role, parts }) => ({ role, parts })) }, complaints };
}

/** A projection asks for events where a prompt shows them, and there only. */
function checkEvents(
  node: LlmToolLoopNode | LlmJsonNode,
  { messages }: PromptTemplate,
  pointer: string,
): readonly Complaint[] {
  const shown = messages.findIndex(({ parts }) =>
    parts.some((part) => part.kind === 'placeholder' && part.placeholder.reads === 'world.recent_events'),
  );
  const isAsked = node.projection.events !== undefined;
  if (isAsked === (shown !== -1)) return [];
  return [isAsked ? eventsNotShown(`${pointer}/projection/events`) : eventsNotAsked(shown, pointer)];
}

function eventsNotAsked(message: number, pointer: string): Complaint {
  return {
    code: 'EVENTS_NOT_PROJECTED',
    message: '{{world.recent_events}} stands in a prompt whose projection does not say of how many turns.',
    pointer: `${pointer}/prompt_template/messages/${message}/content`,
    repair: 'Add "events": {"turns": 2} to the projection of the node.',
  };
}

function eventsNotShown(pointer: string): Complaint {
  return {
    code: 'EVENTS_NOT_SHOWN',
    message: 'The projection asks for events, and no message of the prompt shows them.',
    pointer,
    repair: 'Write {{world.recent_events}} into a message, or take "events" away.',
    severity: 'note',
  };
}

function unknownPlaceholder(text: string, pointer: string): Complaint {
  const shown = text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}...` : text;
  const nearest = nearestName(text.slice(2, -2).trim(), PLACEHOLDER_NAMES);
  return {
    code: 'PROMPT_PLACEHOLDER_UNKNOWN',
    message: `${shown} names nothing that a prompt can be given.`,
    pointer,
    repair: `${nearest === undefined ? '' : `Did you mean {{${nearest}}}? `}Use ${PLACEHOLDER_NAMES.join(', ')} or nodes.<id>.output.`,
  };
}

const SHOWN_LENGTH_MAX = 80;

function unclosedPlaceholder(offset: number, pointer: string): Complaint {
  return {
    code: 'PROMPT_PLACEHOLDER_UNCLOSED',
    message: `The braces that open at character ${offset + 1} do not close.`,
    pointer,
    offset,
    repair: 'Close them with }}, or write the first brace alone.',
  };
}

const DELIVERIES: readonly SchemaDelivery[] = ['prompt', 'json_object', 'response_format'];

/** How a chat source wants its schema; what this version cannot do is said before anything runs. */
function readDelivery(
  authored: JsonObject,
):
  | { readonly ok: true; readonly schema_delivery: SchemaDelivery }
  | { readonly ok: false; readonly complaint: Complaint } {
  const { schema_delivery, tool_calling } = authored;
  if (tool_calling !== undefined && tool_calling !== 'json_control')
    return { ok: false, complaint: notYet('tool_calling', 'json_control') };
  const known = DELIVERIES.find((delivery) => delivery === schema_delivery);
  if (known !== undefined) return { ok: true, schema_delivery: known };
  return { ok: false, complaint: notYet('schema_delivery', 'response_format') };
}

function compileTool(
  parts: CompileParts,
  setting: WorkflowSetting,
  tool: AvailableTool,
  pointer: string,
): Part<ToolProgram> {
  const document = { kind: 'cognition_workflow', hash: setting.hash } as const;
  const call = compileCall(parts, setting, tool, {
    pointer,
    policy_id: tool.name,
    speaks: 'json',
    always_policed: true,
  });
  const named = inDocument(document, checkToolName(parts, tool, `${pointer}/name`));
  const { name, description } = tool;
  if (setting.policy !== undefined && !setting.policy.allow.has(name)) {
    const notes = inDocument(document, [notAllowed(name, setting.policy, pointer)]);
    // A call that nobody may make needs no plugin.
    const problems = call.problems.filter(({ code }) => code !== 'PLUGIN_UNKNOWN');
    return { value: { name, permitted: false }, problems: [...named, ...problems, ...notes] };
  }
  const args = call.value?.input;
  if (call.value === undefined || args === undefined) return { problems: [...named, ...call.problems] };
  const misfits = args.schema['type'] === 'object' ? [] : [argumentsNotObject(name, pointer)];
  return {
    value: { name, permitted: true, description, call: call.value, arguments: args },
    problems: [...named, ...inDocument(document, misfits)],
  };
}

function argumentsNotObject(name: string, pointer: string): Complaint {
  return {
    code: 'ARGUMENTS_NOT_OBJECT',
    message: `The arguments schema of ${name} does not say "type": "object"; arguments are always an object.`,
    pointer: `${pointer}/arguments_schema_ref`,
    repair: 'Write "type": "object" at the root of the schema.',
  };
}

/** An author may mean it, where several profiles share a workflow; more often a name is misspelt. */
function notAllowed(name: string, { allow }: CompiledPolicy, pointer: string): Complaint {
  const nearest = nearestName(name, [...allow]);
  return {
    code: 'TOOL_NOT_ALLOWED',
    message: `The tool policy does not allow ${name}, so no model is offered it.`,
    pointer: `${pointer}/name`,
    repair:
      nearest === undefined
        ? `Add ${JSON.stringify(name)} to "allow" of the policy, or leave it so.`
        : `The policy allows ${nearest}: did you mean that?`,
    severity: 'note',
  };
}

function contract(parts: CompileParts, name: 'tool_loop_output' | 'world_patch'): SchemaProgram {
  const schema = parts.contracts[name];
  const compiled = parts.compileSchema(`contract:${name}`, schema);
  if (!compiled.ok) throw new Error(`the shipped ${name} schema does not compile`);
  return { hash: `contract:${name}`, schema, validate: compiled.value };
}

function notWorldPatch(pointer: string): Complaint {
  return {
    code: 'FINAL_SCHEMA_NOT_WORLD_PATCH',
    message: 'The final schema is not the WorldPatch schema, nor structurally equivalent to it.',
    pointer,
    repair: 'Write {"path": "chukwa:world-patch.schema.json"}.',
  };
}

function notYet(member: string, value: string): Complaint {
  return {
    code: 'NOT_SUPPORTED_YET',
    message: `This version cannot honour this "${member}", and never chooses another by itself.`,
    pointer: `/interface/${member}`,
    repair: `Write ${JSON.stringify(value)}.`,
  };
}

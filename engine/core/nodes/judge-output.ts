import type { Json, JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import type { ToolLoopOutput } from '../../generated/tool-loop-output.js';
import { canonicalText } from '../content/canonical.js';
import { isList, isObject } from '../content/json-pointer.js';
import { traceArguments, type TracedRequest } from '../policy/provenance.js';
import type { Message } from '../prompt/message.js';
import { quoteText } from '../prompt/quote.js';
import { judgeRequest } from '../protocol/judge-request.js';
import type { PermittedTool, SchemaProgram, ToolProgram } from '../protocol/program.js';
import { ruleOn } from '../protocol/ruling.js';
import { findBlankTexts } from '../world/blank-text.js';
import { findPatchComplaints } from '../world/judge-patch.js';
import { EFFECT_OPERATIONS, type PatchReach } from '../world/patch-operations.js';
import { type Projection, project } from '../world/projection.js';
import type { WorldPatch } from '../world/world-patch.js';
import type { Complaint } from './complaint.js';
import type { NodeScope } from './node-type.js';

/** How many of a validator's complaints one message to a model holds. */
const COMPLAINTS_MAX = 10;

/** The parsed meaning of a model's JSON. */
export type JudgedOutput =
  | {
      readonly kind: 'tool_call';
      readonly tool: PermittedTool;
      readonly arguments: JsonObject;
      readonly provenance: TracedRequest;
    }
  | { readonly kind: 'final_patch'; readonly patch: WorldPatch }
  | { readonly kind: 'unusable'; readonly complaint: Complaint };

interface JudgingNode {
  readonly envelope: SchemaProgram;
  readonly patch: SchemaProgram;
  readonly tools: readonly ToolProgram[];
  readonly projection: Projection;
  readonly may: PatchReach;
}

/**
 * Judges a tool loop's output in the settled order: the envelope; then the tool's name, policy and arguments, or the
 * patch's shape and operations; then what only the live world knows.
 * @param messages what the model was shown
 */
export function judgeOutput(
  node: JudgingNode,
  scope: NodeScope,
  messages: readonly Message[],
  value: Json,
): JudgedOutput {
  const problems = node.envelope.validate(value);
  if (problems.length > 0)
    return unusable('schema_invalid', `It is not a tool call or a final patch: ${listProblems(problems)}`);
  const output = value as unknown as ToolLoopOutput;
  return output.kind === 'tool_call'
    ? judgeToolCall(node, scope, messages, output.tool_call)
    : judgePatch(node, scope, output.patch);
}

/** What in an output does not fit the schemas of a tool loop, whatever the world is. */
export function findMisfits(node: Pick<JudgingNode, 'envelope' | 'patch' | 'tools'>, value: Json): readonly Problem[] {
  const problems = node.envelope.validate(value);
  if (problems.length > 0) return problems;
  const output = value as unknown as ToolLoopOutput;
  if (output.kind === 'final_patch') return within('/patch', node.patch.validate(output.patch));
  const tool = node.tools.find(({ name }) => name === output.tool_call.name);
  const unfit = tool?.permitted === true ? judgeRequest(tool.call, output.tool_call.arguments) : [];
  return within('/tool_call/arguments', unfit);
}

function within(place: string, problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, pointer: `${place}${problem.pointer ?? ''}` }));
}

function judgeToolCall(
  node: JudgingNode,
  scope: NodeScope,
  messages: readonly Message[],
  { name, arguments: args }: Extract<ToolLoopOutput, { kind: 'tool_call' }>['tool_call'],
): JudgedOutput {
  const tool = node.tools.find((candidate) => candidate.name === name);
  const permitted = node.tools.filter((candidate) => candidate.permitted).map((candidate) => candidate.name);
  const roster = permitted.length === 0 ? 'There are no tools.' : `The tools are: ${permitted.join(', ')}.`;
  if (tool === undefined) return unusable('unknown_tool', `There is no tool ${JSON.stringify(name)}. ${roster}`);
  if (!tool.permitted)
    return unusable('policy_denied', `The tool ${JSON.stringify(name)} may not be called here. ${roster}`);
  const { max_request_bytes } = tool.call.limits;
  const bytes = new TextEncoder().encode(canonicalText(args)).byteLength;
  if (bytes > max_request_bytes)
    return unusable(
      'bad_arguments',
      `The arguments of ${name} have ${bytes} bytes, and ${max_request_bytes} are allowed.`,
    );
  const problems = judgeRequest(tool.call, args);
  if (problems.length > 0)
    return unusable('bad_arguments', `The arguments of ${name} do not fit: ${listProblems(problems)}`);
  const { subject_id } = scope;
  const { entities } = project(scope.frozen.world, liveSubject(scope), node.projection);
  const shown = { messages, schema: tool.arguments.schema, roster: new Set(entities.map(({ id }) => id)) };
  const provenance = traceArguments(args, shown);
  const ruling = ruleOn({ call: tool.call, subject_id, request: args, provenance });
  if (ruling?.decision === 'deny')
    return unusable('policy_denied', `The tool ${JSON.stringify(name)} may not be called so: ${ruling.because}.`);
  return { kind: 'tool_call', tool, arguments: args, provenance };
}

function judgePatch(node: JudgingNode, scope: NodeScope, patch: JsonObject): JudgedOutput {
  const disallowed = listDisallowed(patch);
  const shape = node.patch.validate(disallowed.length === 0 ? patch : withoutEffects(patch, disallowed));
  if (shape.length > 0) return unusable('invalid_patch', `The patch does not fit: ${listProblems(shape)}`);
  if (disallowed.length > 0) {
    const names = disallowed.map(({ index, op }) => `effects[${index}].op ${JSON.stringify(op)}`).join(', ');
    return unusable(
      'disallowed_effect',
      `These effects are not allowed: ${names}. Allowed are ${EFFECT_OPERATIONS.join(', ')}.`,
    );
  }
  const typed = patch as unknown as WorldPatch;
  const blank = findBlankTexts(typed);
  if (blank.length > 0)
    return unusable('invalid_patch', `The patch does not fit: ${listPlaces(blank)}: must say something, and is blank.`);
  const subject = liveSubject(scope);
  const projected = project(scope.frozen.world, subject, node.projection);
  const complaints = findPatchComplaints(scope.frozen.world, { subject, projected, may: node.may }, typed);
  const [first] = complaints;
  if (first === undefined) return { kind: 'final_patch', patch: typed };
  return unusable(first.detail, complaints.map((complaint) => complaint.message).join('\n\n'));
}

function liveSubject(scope: NodeScope) {
  const subject = scope.frozen.world.entities.get(scope.subject_id);
  if (subject === undefined) throw new Error(`the subject ${scope.subject_id} left the world`);
  return subject;
}

interface Disallowed {
  readonly index: number;
  readonly op: string;
}

function listDisallowed(patch: JsonObject): readonly Disallowed[] {
  const effects = patch['effects'];
  if (effects === undefined || !isList(effects)) return [];
  return effects.flatMap((effect, index) => {
    const op = isObject(effect) ? effect['op'] : undefined;
    return typeof op === 'string' && !EFFECT_OPERATIONS.some((allowed) => allowed === op) ? [{ index, op }] : [];
  });
}

function withoutEffects(patch: JsonObject, left: readonly Disallowed[]): JsonObject {
  const effects = patch['effects'];
  if (effects === undefined || !isList(effects)) return patch;
  return { ...patch, effects: effects.filter((_, index) => left.every((disallowed) => disallowed.index !== index)) };
}

function listPlaces(pointers: readonly string[]): string {
  const more = pointers.length - COMPLAINTS_MAX;
  const others = more > 0 ? ` and ${more} more ${more === 1 ? 'place' : 'places'}` : '';
  return `at ${pointers.slice(0, COMPLAINTS_MAX).join(', ')}${others}`;
}

/** Why an answer does not fit the schema that its author declared, if so. */
export function findMisfit(schema: SchemaProgram, value: Json): Complaint | undefined {
  const problems = schema.validate(value);
  if (problems.length === 0) return undefined;
  return { detail: 'schema_invalid', message: `It does not fit the schema: ${listProblems(problems)}` };
}

/** Validator complaints as one sentence for a model. The names of members in it are the model's own: they are quoted. */
function listProblems(problems: readonly Problem[]): string {
  const shown = problems
    .slice(0, COMPLAINTS_MAX)
    .map(({ pointer, message }) => quoteText(`${pointer ? `at ${pointer}: ` : ''}${message}`));
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function unusable(detail: Complaint['detail'], message: string): JudgedOutput {
  return { kind: 'unusable', complaint: { detail, message } };
}

import type { LlmJsonNode } from '../../generated/workflow.js';
import { compileReference } from '../binding/compile-call.js';
import { promptsOf } from '../binding/prompt-messages.js';
import { resultShape } from '../binding/typed-schemas.js';
import { traceAnswer } from '../policy/answer-origins.js';
import { originsSeen } from '../policy/provenance.js';
import type { OfferedSchema, SchemaProgram } from '../protocol/program.js';
import { smallestValue } from '../typing/smallest-value.js';
import { type Answer, acceptAnswer, readAnswer, rejectAnswer } from './answer.js';
import { describeGeneration, findUnaskedGeneration, parseGenerationSuffix } from './call-key.js';
import { compileGeneration } from './compile-generation.js';
import { offerAnswerSchema } from './compose-schema.js';
import { askGate, handleVerdict, type Judging, PASSES } from './gate.js';
import type { Complaint } from './complaint.js';
import { fallBack, type GenerationProgram, type Lane, openLane, waitFor } from './generation.js';
import { findMisfit } from './judge-output.js';
import type { NodeStep, NodeType } from './node-type.js';
import { listShownMemories } from './shown-memories.js';

export interface LlmJsonProgram extends GenerationProgram {
  readonly result: SchemaProgram;
  readonly offered: OfferedSchema;
}

/** It waits for a generation, or for the gate that judges its answer. */
export interface LlmJsonState {
  readonly lane: Lane;
  readonly judging?: Judging;
}

/** One structured answer of a declared schema; it is the node's output. */
export const llmJson: NodeType<LlmJsonNode, LlmJsonProgram, LlmJsonState> = {
  type: 'llm_json',
  ends_in_patch: false,

  prompts: promptsOf,
  requestTemplate: () => undefined,
  toolsOffered: () => [],
  outputShape: (parts, { result_schema_ref }) => resultShape(parts, { result_schema_ref, redaction: { allow: 'all' } }),
  check: () => [],

  compile(parts, setting, node, pointer) {
    const generation = compileGeneration(parts, setting, node, pointer);
    const place = `${pointer}/result_schema_ref`;
    const result = compileReference(parts, setting.document, node.result_schema_ref, place);
    const problems = [...generation.problems, ...result.problems];
    if (generation.value === undefined || result.value === undefined) return { problems };
    const offered = offerAnswerSchema(result.value.schema);
    return { value: { ...generation.value, result: result.value, offered }, problems };
  },

  narrow: (node) => node,

  start(node, scope) {
    return waitFor(openLane(node, scope, node.offered), (lane) => ({ lane }));
  },

  handle(node, state, event, scope) {
    const { lane, judging } = state;
    if (judging !== undefined)
      return handleVerdict(node, scope, { lane, judging, event, offered: node.offered }, (waits) => waits);
    if (event.kind !== 'call_answered')
      return fallBack(node, scope, { lane, event, offered: node.offered }, (next) => ({ lane: next }));
    const answer = readAnswer(node, scope, lane, event);
    if ('kind' in answer) return answer;
    const { read } = answer;
    if (!read.ok) return reject(answer, read.complaint);
    const misfit = findMisfit(node.result, read.value);
    if (misfit !== undefined) return reject(answer, misfit);
    const verdict = acceptAnswer(answer, 'json_answer', [{ kind: 'parsed_output', value: read.value }]);
    // What it chose within limits of the author tells nothing else of what a source said to it.
    const seen = originsSeen(answer.lane.messages);
    const [others, dropped] = [false, true].map((ofSources) =>
      seen.filter((one) => one.startsWith('source:') === ofSources),
    );
    const output = traceAnswer(read.value, node.result.schema, { others: others ?? [], dropped: dropped ?? [] });
    const answered_by = { call_key: answer.key, memories: listShownMemories(node, scope, answer.lane.messages) };
    return askGate(answer, { kind: 'done', output, answered_by, verdict }, (waits) => waits);
  },

  describeCall: describeGeneration,
  findUnasked: (node, place, rest) => findUnaskedGeneration(node, place, rest),
  skeletonOf: ({ result }, { rest }) => (isVerdict(rest) ? PASSES : smallestValue(result.schema)),

  findMisfits: ({ result, gate }, rest, answer) => (isVerdict(rest) ? gate?.verdict : result)?.validate(answer) ?? [],
};

function isVerdict(rest: string): boolean {
  return parseGenerationSuffix(rest)?.verdict_try !== undefined;
}

function reject(answer: Answer<LlmJsonProgram>, complaint: Complaint): NodeStep<LlmJsonState> {
  const { asked, verdict } = rejectAnswer(answer, complaint, answer.node.offered);
  return { ...waitFor(asked, (lane) => ({ lane })), verdict };
}

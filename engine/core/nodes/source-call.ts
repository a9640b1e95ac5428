import type { Json } from '../../contract/json.js';
import type { SourceCallNode } from '../../generated/workflow.js';
import { checkRedaction } from '../binding/check-redaction.js';
import { checkRequest } from '../binding/check-requests.js';
import { compileCall } from '../binding/compile-call.js';
import { resultShape } from '../binding/typed-schemas.js';
import { traceAnswer } from '../policy/answer-origins.js';
import { originsOfRequest, traceTemplate } from '../policy/provenance.js';
import { type Origins, ofSource } from '../prompt/origins.js';
import { toInvoke } from '../protocol/command.js';
import type { CallProgram, NodeProgram } from '../protocol/program.js';
import { resolveTemplate } from '../protocol/request-template.js';
import { toTemplateContext, traceScope } from '../protocol/scope.js';
import { unveil } from '../typing/shape.js';
import { smallestAnswer } from '../typing/smallest-value.js';
import { nodeKey } from './call-key.js';
import { callFailed, templateUnresolved } from './node-failure.js';
import type { NodeType } from './node-type.js';

export interface SourceCallProgram extends NodeProgram {
  readonly call: CallProgram;
  readonly request_template: Json;
}

export interface SourceCallState {
  /** Of the request. */
  readonly origins: Origins;
}

/** The part after `<subject>/<node>/` in the key of its call. */
const KEY_SUFFIX = 'call';

/** One unconditional source call; its answer is the node's output. */
export const sourceCall: NodeType<SourceCallNode, SourceCallProgram, SourceCallState> = {
  type: 'source_call',
  ends_in_patch: false,

  prompts: () => [],
  requestTemplate: (node) => node.request_template,
  toolsOffered: () => [],
  outputShape: (parts, node) => resultShape(parts, node),

  check(parts, node, pointer, readers) {
    return [
      ...checkRequest(parts, node, pointer, readers),
      ...checkRedaction(node.redaction.allow, unveil(resultShape(parts, node)), pointer),
    ];
  },

  compile(parts, setting, node, pointer) {
    const { value, problems } = compileCall(parts, setting, node, { pointer, policy_id: node.id, speaks: 'json' });
    return value === undefined
      ? { problems }
      : { value: { call: value, request_template: node.request_template }, problems };
  },

  narrow: (node) => node,

  start({ id, call, request_template }, scope) {
    const context = toTemplateContext(scope.frozen, scope.nodes);
    const resolved = resolveTemplate(request_template, context);
    if (!resolved.ok)
      return { kind: 'failed', failure: templateUnresolved(`node ${id}`, resolved.missing.from, context) };
    const key = nodeKey({ subject: scope.subject_id, node: id }, KEY_SUFFIX);
    const { workflow_hash, subject_id } = scope;
    const originsAt = traceScope(scope.frozen, scope.outputs);
    const provenance = traceTemplate(request_template, resolved.request, originsAt);
    const place = { key, invocation_kind: 'node_call', workflow_hash, subject_id, node_id: id } as const;
    return {
      kind: 'waits',
      state: { origins: originsOfRequest(provenance) },
      commands: [{ ...toInvoke(call, resolved.request), ...place, provenance }],
    };
  },

  handle({ call }, { origins: others }, event) {
    if (event.kind !== 'call_answered') return { kind: 'failed', failure: callFailed(event) };
    const dropped = ofSource(call.source.label);
    const output = traceAnswer(event.value, call.output?.schema, { others, dropped });
    return { kind: 'done', output, answered_by: { call_key: event.key, memories: [] } };
  },

  describeCall: ({ subject, node }, rest) =>
    rest === KEY_SUFFIX ? `the call of node ${node} of ${subject}` : undefined,
  findUnasked(_program, place, rest) {
    if (rest === KEY_SUFFIX) return undefined;
    return { kind: 'call', node: place.node, rest, write: nodeKey(place, KEY_SUFFIX) };
  },
  skeletonOf: ({ call }) => smallestAnswer(call),

  findMisfits: ({ call }, _, answer) => call.output?.validate(answer) ?? [],
};

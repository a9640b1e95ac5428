import { contentHash } from '../content/canonical.js';
import { toTemplateContext } from '../protocol/scope.js';
import { resolveTemplate } from '../protocol/request-template.js';
import type { SourceCallProgram } from '../protocol/program.js';
import { callFailed, templateUnresolved } from './node-failure.js';
import type { NodeType } from './node-type.js';

/** Waits for its one call. */
export type SourceCallState = { readonly type: 'source_call' };

/** One unconditional source call; its answer is the node's output. */
export const sourceCall: NodeType<SourceCallProgram, SourceCallState> = {
  start(node, scope) {
    const context = toTemplateContext(scope.frozen, scope.nodes);
    const resolved = resolveTemplate(node.request_template, context);
    if (!resolved.ok)
      return { kind: 'failed', failure: templateUnresolved(`node ${node.id}`, resolved.missing.from, context) };
    const key = `${scope.subject_id}/${node.id}/call`;
    const { call } = node;
    const request_hash = contentHash({ source: call.source.hash, request: resolved.request });
    return {
      kind: 'waits',
      state: { type: 'source_call' },
      commands: [
        {
          kind: 'invoke',
          key,
          invocation_kind: 'node_call',
          call,
          request: resolved.request,
          request_hash,
          workflow_hash: scope.workflow_hash,
          subject_id: scope.subject_id,
          node_id: node.id,
          deadline_ms: call.limits.max_runtime_ms,
        },
      ],
    };
  },

  hear(_node, _state, event) {
    if (event.kind !== 'call_answered') return { kind: 'failed', failure: callFailed(event) };
    return { kind: 'done', output: event.value };
  },
};

import { contentHash } from '../content/canonical.js';
import { contentOf } from '../prompt/message.js';
import { renderPrompt } from '../prompt/render.js';
import type { Invoke } from '../protocol/command.js';
import type { CallProgram, NodeProgram } from '../protocol/program.js';
import type { MemoryQuery } from '../world/retrieval.js';
import { nodeKey } from './call-key.js';
import { toPromptScope } from './generation.js';
import { placeholderUnresolved } from './node-failure.js';
import type { NodeFailure, NodeScope } from './node-type.js';

/** The part after `<subject>/<node>/` in the key of a retrieval. */
const KEY_SUFFIX = 'memories';

/** Stands where a command names its call: a retrieval asks the store. */
const NO_CALL: CallProgram = {
  source: { hash: '', label: 'memory', plugin: '', interface: {} },
  effect: 'read_only',
  repeatable: true,
  redaction: 'all',
  limits: { max_runtime_ms: 0, max_request_bytes: 0, max_result_bytes: 0 },
};

/**
 * Asks for the memories of its subject that a node is shown, before it starts.
 * @returns undefined where it asks for none
 */
export function askMemories(node: NodeProgram, scope: NodeScope): Invoke | NodeFailure | undefined {
  const { query, projection } = node;
  const { frozen, subject_id, workflow_hash, nodes } = scope;
  const { subject, world } = frozen;
  if (query === undefined || subject === undefined || projection?.memory.retrieve === undefined) return undefined;
  const { retrieve, recent, pinned = false } = projection.memory;
  const rendered = renderPrompt(query, toPromptScope(projection, scope, subject));
  if (!rendered.ok)
    return placeholderUnresolved(`the query of node ${node.id}`, rendered.placeholder, {
      ambient: frozen.ambient,
      nodes,
    });
  // Those of this turn are not committed yet: nobody searches them.
  const uncommitted = subject.memory.filter(({ turn }) => turn > world.turn).length;
  const retrieval: MemoryQuery = {
    entity_id: subject_id,
    turn: world.turn,
    text: rendered.messages.map(contentOf).join('\n'),
    language: retrieve.language ?? 'simple',
    top: retrieve.top,
    neighbours: retrieve.neighbours ?? 0,
    skip_latest: Math.max(0, recent - uncommitted),
    skip_pinned: pinned,
  };
  return {
    kind: 'invoke',
    key: nodeKey({ subject: subject_id, node: node.id }, KEY_SUFFIX),
    invocation_kind: 'node_call',
    call: NO_CALL,
    request: { ...retrieval },
    request_hash: contentHash({ ...retrieval }),
    workflow_hash,
    subject_id,
    node_id: node.id,
    deadline_ms: 0,
    retrieval,
  };
}

import type { Json, JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { readOutputLimit } from '../../core/binding/source-settings.js';
import { contentHash } from '../../core/content/canonical.js';
import type { Generation, Invoke } from '../../core/protocol/command.js';
import type { CallRecorder } from '../../ports/sources.js';

/** A call outside a turn, which is not recorded. */
interface UnrecordedCall {
  readonly key: string;
  readonly label: string;
  readonly interface: JsonObject & { readonly name: string };
  readonly request: Json;
  /** The id of the operator's connection that it gets. */
  readonly connection?: string | undefined;
  /** For a source of the protocol `chat`. */
  readonly generation?: Generation;
  readonly max_runtime_ms: number;
  readonly max_request_bytes: number;
  readonly max_result_bytes: number;
  /** Set where the call may become pending. */
  readonly pending_deadline_ms?: number;
}

/** The command of such a call. It is repeatable, and its answer is not redacted. */
export function toInvoke({ key, label, request, generation, connection, ...call }: UnrecordedCall): Invoke {
  const { interface: definition, pending_deadline_ms, ...limits } = call;
  return {
    kind: 'invoke',
    key,
    invocation_kind: generation === undefined ? 'model_elected_tool' : 'llm_generation',
    request,
    request_hash: 'none',
    workflow_hash: 'none',
    deadline_ms: limits.max_runtime_ms,
    ...present({ generation }),
    call: {
      source: {
        hash: contentHash(definition),
        label,
        plugin: definition.name,
        interface: definition,
        ...present({ output_limit: readOutputLimit(definition), connection }),
      },
      effect: 'read_only',
      repeatable: false,
      redaction: 'all',
      limits,
      ...present({ pending_deadline_ms }),
    },
  };
}

/** Records nothing. */
export const FORGETFUL: CallRecorder = { started: async () => {}, flushed: async () => {} };

import { present } from '../contract/present.js';
import type { Identity } from '../contract/source.js';
import type { Asked } from './passage.js';

/** For whom a call is made, by what the engine itself says of it. */
export function identityOf({ command, surroundings }: Pick<Asked, 'command' | 'surroundings'>): Identity {
  const [world = ''] = surroundings.client_request_id.split(/[~/]/);
  const { subject_id, workflow_hash } = command;
  return present({
    actor_id: subject_id === undefined ? 'service:chukwa' : `agent:${subject_id}`,
    tenant_id: `world:${world}`,
    graph_id: workflow_hash === '' ? undefined : workflow_hash,
  });
}

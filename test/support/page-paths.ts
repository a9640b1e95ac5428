import { sessionIdOf } from '../../engine/core/orders/fold-orders.js';
import { COMPONENT_KINDS } from '../../engine/core/protocol/component.js';
import { listComponents } from '../../engine/operations/authoring/components.js';
import { PAGES } from '../../engine/surfaces/browser/page.js';
import { pathOfList } from '../../engine/catalogue/places.js';
import { must } from './park-stage.js';
import type { ServedPark } from './served-park.js';

/** A page's URL as the catalogue has it, and a path of it with keys of what was played. */
export interface PagePath {
  readonly url: string;
  readonly path: string;
}

/** A path of each page of the catalogue. A call must have waited for a person. */
export async function pathsOfPages({ play, stage }: ServedPark): Promise<readonly PagePath[]> {
  const [attempt] = play.attempts;
  const [agentTurn] = attempt?.agent_turns ?? [];
  const [approval] = await stage.engine.store.approvals.list({ limit: 1 });
  const { world_slug } = play;
  const grant_id = stage.engine.runtime.clock.uuid();
  const granted = { grant_id, world_slug, tool_name: 'buy_candy', subject_id: null, arguments: {}, uses: 1 } as const;
  await stage.engine.store.grants.add({ ...granted, granted_by: 'ann', deadline_ms: 1, reason: null });
  const study_label = 'reading';
  const document = { label: study_label, question: 'Does Bob read?', seeds: [1], measures: [] };
  const hash = '0'.repeat(64);
  const sealed = { study_label, study_hash: hash, document, probes: {}, answered_by: 'workers' };
  await stage.engine.store.studies.seal({ ...sealed, worlds: [], limits: {}, sealed_at: 0 });
  const call = attempt?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
  const keys: Readonly<Record<string, string>> = {
    ':world_slug': world_slug,
    ':study_label': study_label,
    ':turn': '1',
    ':entity_id': 'bob',
    ':tool': 'buy_candy',
    ':text': 'hungry',
    ':attempt_id': attempt?.attempt_id ?? '',
    ':event_id': `${attempt?.attempt_id}.2`,
    ':agent_turn_id': agentTurn?.agent_turn_id ?? '',
    ':source_invocation_id': call?.source_invocation_id ?? '',
    ':wo_id': `WO-${sessionIdOf(attempt?.attempt_id ?? '')}-001`,
    ':approval_id': approval?.approval_id ?? '',
    ':grant_id': grant_id,
    ':llm_call_id': call?.llm_call_id ?? '',
  };
  const hashes = new Map<string, string>();
  for (const kind of COMPONENT_KINDS)
    hashes.set(pathOfList(kind), must(await listComponents(stage.engine, kind))[0]?.hash ?? '');
  return PAGES.map(({ path: url }) => {
    const hash = hashes.get(url.replace(/\/hash\/.*$/, '')) ?? '';
    return { url, path: url.replace(/:\w+/g, (name) => (name === ':hash' ? hash : (keys[name] ?? name))) };
  });
}

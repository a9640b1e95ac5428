export type InboxMessageType = 'turn' | 'tool_result' | 'timeout' | 'stop' | 'ui_action';

export type InboxStatus = 'queued' | 'pending' | 'deferred' | 'consumed';

export type InboxStep = 'promote' | 'defer' | 'recall' | 'take_back' | 'consume';

/**
 * The next state for each step, by the state of a message. `queued` waits behind another turn of its world; `pending` is to be
 * taken up, or is being done; `deferred` could not be done and is due again later; `consumed` is over.
 */
export const INBOX_STEPS: Readonly<Record<InboxStatus, Readonly<Partial<Record<InboxStep, InboxStatus>>>>> = {
  queued: { promote: 'pending', take_back: 'consumed' },
  pending: { defer: 'deferred', take_back: 'consumed', consume: 'consumed' },
  deferred: { defer: 'deferred', recall: 'pending', take_back: 'consumed', consume: 'consumed' },
  consumed: {},
};

import { PATCH_OPERATIONS, WORLD_VALUES } from '../../../core/world/patch-operations.js';
import type { EffectOperation } from '../../../core/world/world-patch.js';
import type { PatchEffectRecord } from '../../../ports/records.js';
import { type Html, html } from '../html.js';
import { change } from './text.js';

/** Whether an operation adds to a value, as to a memory, and does not replace it. */
export function isAppended(op: EffectOperation): boolean {
  return WORLD_VALUES[PATCH_OPERATIONS[op].changes].is_appended;
}

/** What an effect changed. */
export function effectLine({ op, entity_id, environment_label, state_before, state_after }: PatchEffectRecord): Html {
  return html`<li class="effect"><span class="who">${entity_id ?? environment_label}</span> <span class="op">${isAppended(op) ? 'remembers' : 'is now'}</span> <span class="change">${change(state_before, state_after)}</span></li>`;
}

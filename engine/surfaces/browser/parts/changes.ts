import { PATCH_OPERATIONS, WORLD_VALUES } from '../../../core/world/patch-operations.js';
import type { EffectOperation } from '../../../core/world/world-patch.js';
import type { EffectOrigin } from '../../../ports/worlds.js';
import { type Html, html } from '../html.js';
import { pathOf, pathOfTurn } from '../places.js';
import { change, linkTo } from './text.js';

/** What stands between a value's place and what it has become: the one thing that is added to is memory. */
export function verbOf(op: string): string {
  const { changes } = PATCH_OPERATIONS[op as EffectOperation];
  return WORLD_VALUES[changes].is_appended ? 'remembers' : 'is now';
}

/** What an effect changed, and the links that lead from there to the patch, the call and the exact prompt. */
export function effectLine(effect: EffectOrigin): Html {
  const { op, entity_id, environment_label, state_before, state_after } = effect;
  return html`<li class="effect"><span class="who">${entity_id ?? environment_label}</span> <span class="op">${verbOf(op)}</span>
<span class="change">${change(state_before, state_after)}</span> ${blame(effect)}</li>`;
}

/** Why a value is as it is: the prompt first, then the call, the patch and the attempt. */
export function blame(effect: EffectOrigin): Html {
  const { world_slug, turn, patch_seq, llm_call_id, source_invocation_id, attempt_id } = effect;
  const subject = effect.entity_id ?? effect.environment_label;
  const why =
    llm_call_id === null
      ? undefined
      : html`<a class="why" href="${pathOf('llm_call', llm_call_id)}" aria-label="Why? The prompt that changed ${subject} in turn ${turn}">Why?</a>`;
  return html`<span class="blame">${why} <a href="${pathOfTurn(world_slug, turn)}#patch-${patch_seq}">turn ${turn}, patch ${patch_seq}</a> ${linkTo('source_invocation', source_invocation_id, 'call')} ${linkTo('attempt', attempt_id, 'attempt')}</span>`;
}

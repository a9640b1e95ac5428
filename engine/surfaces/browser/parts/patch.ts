import type { PatchEffectRecord, PatchRecord } from '../../../ports/records.js';
import { type Html, html, NOTHING } from '../html.js';
import { pathOf } from '../places.js';
import { effectLine } from './changes.js';
import { linkTo } from './text.js';

/** A patch as the pages of its turn and of its attempt show it. */
interface ShownPatch extends Pick<PatchRecord, 'patch_seq' | 'workflow_subject_entity_id' | 'narration'> {
  readonly effects: readonly PatchEffectRecord[];
  /** The call whose answer is the patch. */
  readonly llm_call_id: string | null;
  readonly source_invocation_id: string | undefined;
  /** Absent on the attempt's own page. */
  readonly attempt_id?: string;
}

/** A patch: its narration, its effects, and links to the call that it came from. */
export function drawPatch(patch: ShownPatch): Html {
  const { patch_seq, workflow_subject_entity_id: subject, narration, effects, attempt_id } = patch;
  return html`<section class="patch" id="patch-${patch_seq}" aria-label="Patch ${patch_seq}"><h3>${subject} <span class="dim">patch ${patch_seq}</span></h3><p class="narration">${narration}</p>
<p class="blame">${whyLink(patch, `Why? The prompt behind patch ${patch_seq}`)} ${linkTo('source_invocation', patch.source_invocation_id, 'the call')} ${linkTo('attempt', attempt_id, 'the attempt')}</p>
<ul class="effects">${effects.map(effectLine)}</ul></section>`;
}

/** The link to the prompt behind a patch; nothing where no model was asked. @param label says it to a screen reader */
export function whyLink({ llm_call_id }: Pick<ShownPatch, 'llm_call_id'>, label: string): Html {
  if (llm_call_id === null) return NOTHING;
  return html`<a class="why" href="${pathOf('llm_call', llm_call_id)}" aria-label="${label}">Why?</a>`;
}

/** What a patch changed, folded away behind how much that is. */
export function drawEffects({ effects }: Pick<ShownPatch, 'effects'>, who: Html = NOTHING): Html {
  const changed = `changed ${effects.length} ${effects.length === 1 ? 'value' : 'values'}`;
  return html`<details><summary>${who}${changed}</summary><ul class="effects">${effects.map(effectLine)}</ul></details>`;
}

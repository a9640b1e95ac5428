import type { PatchEffectRecord, PatchRecord } from '../../../ports/records.js';
import { type Html, html, NOTHING } from '../html.js';
import { pathOf, pathOfTurn } from '../../../catalogue/places.js';
import { change } from './change.js';
import { count, FOLDED_NARRATION_MIN, foldable, linkTo, worldTime } from './text.js';
import { PATCH_OPERATIONS, WORLD_VALUES } from '../../../core/world/patch-operations.js';
import type { EffectOperation } from '../../../core/world/world-patch.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import type { PatchStory, TurnStory } from '../../../operations/browse/worlds.js';

/** A patch as the pages of its turn and of its attempt show it. */
interface ShownPatch extends Pick<PatchRecord, 'patch_seq' | 'workflow_subject_entity_id' | 'narration'> {
  readonly effects: readonly PatchEffectRecord[];
  /** The call whose answer is the patch. */
  readonly llm_call_id: string | null;
  readonly source_invocation_id: string | undefined;
  /** Absent on the attempt's own page. */
  readonly attempt_id?: string;
}

/** The names of entities by id. */
export type Names = ReadonlyMap<string, string>;
const NO_NAMES: Names = new Map();

/** The names of a world's entities. */
export function namesIn({ entities }: Pick<WorldSnapshot, 'entities'>): Names {
  return new Map(entities.map(({ id, name }) => [id, name]));
}

function named(id: string, names: Names): Html {
  const name = names.get(id);
  return name === undefined || name === id ? html`${id}` : html`${name} <code class="dim">${id}</code>`;
}

/** A patch: its narration, its effects, and links to the call that it came from. */
export function drawPatch(patch: ShownPatch, names = NO_NAMES): Html {
  const { patch_seq, workflow_subject_entity_id: subject, narration, effects, attempt_id } = patch;
  return html`<section class="patch" id="patch-${patch_seq}" aria-label="Patch ${patch_seq}"><h3>${named(subject, names)} <span class="dim">patch ${patch_seq}</span></h3>${drawNarration(narration)}
<p class="blame">${whyLink(patch, `Why? The prompt behind patch ${patch_seq}`)} ${linkTo('source_invocation', patch.source_invocation_id, 'the call')} ${linkTo('attempt', attempt_id, 'the attempt')}</p>
<ul class="effects">${effects.map((effect) => effectLine(effect, names))}</ul></section>`;
}

/** The link to the prompt behind a patch; nothing without a model. @param label its text for a screen reader */
function whyLink({ llm_call_id }: Pick<ShownPatch, 'llm_call_id'>, label: string): Html {
  if (llm_call_id === null) return NOTHING;
  return html`<a class="why" href="${pathOf('llm_call', llm_call_id)}" aria-label="${label}">Why?</a>`;
}

/** The effects of a patch, folded away behind their number. */
function drawEffects({ effects }: Pick<ShownPatch, 'effects'>, who: Html = NOTHING, names = NO_NAMES): Html {
  const changed = `changed ${effects.length} ${effects.length === 1 ? 'value' : 'values'}`;
  return html`<details><summary>${who}${changed}</summary><ul class="effects">${effects.map((effect) => effectLine(effect, names))}</ul></details>`;
}

/** Whether an operation adds to a value, as to a memory, and does not replace it. */
export function isAppended(op: EffectOperation): boolean {
  return WORLD_VALUES[PATCH_OPERATIONS[op].changes].is_appended;
}

/** The change of one effect. */
export function effectLine(effect: PatchEffectRecord, names = NO_NAMES): Html {
  const { op, entity_id, environment_label, state_before, state_after } = effect;
  return html`<li class="effect"><span class="who">${entity_id === null ? environment_label : named(entity_id, names)}</span> <span class="op">${isAppended(op) ? 'remembers' : 'is now'}</span> <span class="change">${change(state_before, state_after)}</span></li>`;
}

/** A turn as prose: its first patches, each with its changes and reason. @param patches_max how many are shown */
export function drawTurn(world_slug: string, story: TurnStory, patches_max: number, names = NO_NAMES): Html {
  const { turn, simulation_time, attempt_id, patches } = story;
  const left_out = patches.length - patches_max;
  const rest =
    left_out > 0
      ? html`<p class="patch"><a href="${pathOfTurn(world_slug, turn)}/patches">What ${count(left_out)} more did in this turn</a></p>`
      : NOTHING;
  return html`<article class="turn" id="turn-${turn}"><header><h3><a href="${pathOfTurn(world_slug, turn)}">Turn ${turn}</a></h3>
<p class="dim">${worldTime(simulation_time)} <span class="steps">${linkTo('attempt', attempt_id, 'the attempt')} <a href="${pathOf('world', world_slug)}/diff?from=${turn - 1}&amp;to=${turn}">what changed</a></span></p></header>
${patches.slice(0, patches_max).map((patch) => drawDeed(patch, names))}${rest}</article>`;
}

/** What happened, as it was told. */
function drawNarration(narration: string): Html {
  return html`<div class="narration">${foldable(narration, undefined, FOLDED_NARRATION_MIN)}</div>`;
}

function drawDeed(patch: PatchStory, names: Names): Html {
  const { turn, workflow_subject_entity_id: subject, narration } = patch;
  const why = whyLink(patch, `Why did ${subject} do that in turn ${turn}?`);
  return html`<section class="patch" aria-label="What ${subject} did in turn ${turn}">${drawNarration(narration)}
<div class="effects-and-why">${why}${drawEffects(patch, html`<span class="who">${names.get(subject) ?? subject}</span> `, names)}</div></section>`;
}

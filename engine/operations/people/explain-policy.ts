import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
import type { CognitionProfile } from '../../generated/cognition-profile.js';
import type { Scenario } from '../../generated/scenario.js';
import type { ToolPolicy } from '../../generated/tool-policy.js';
import type { CognitionWorkflow, EffectClass } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../../core/binding/compile-parts.js';
import { promptsOf, textOf } from '../../core/binding/prompt-messages.js';
import { among } from '../../core/content/nearest-name.js';
import {
  compileRules,
  decide,
  type Decision,
  foresee,
  listMatching,
  type PolicedCall,
  type Ruling,
} from '../../core/policy/policy.js';
import { assumeOrigins, type SeenSources } from '../../core/policy/assumed-origins.js';
import { type Provenance, traceArguments, UNTRACED } from '../../core/policy/provenance.js';
import type { Segment } from '../../core/prompt/message.js';
import { parsePromptText } from '../../core/prompt/template.js';
import { type DataBinding, findSource, listDataBindings } from '../../core/workflow/policed-bindings.js';
import { listAmbientSources, listWorldSources } from '../../core/workflow/seen-sources.js';
import { withPrompts } from '../../core/workflow/prompt-files.js';
import { composeWorld } from '../../core/world/world.js';
import { project, type Projection } from '../../core/world/projection.js';
import type { WorldSnapshot } from '../../ports/worlds.js';
import type { Archive } from '../engine.js';
import { toEntityId } from '../worlds/entities.js';
import { parseJson } from '../../core/content/parse-json.js';
import { showWorld } from '../worlds/worlds.js';

/** One rule that is for a call. */
export interface ExplainedRule {
  /** The pointer of the rule in its policy. */
  readonly rule: string;
  readonly decide: Decision;
  readonly because: string;
  /** Null where it depends on arguments that nobody has given. */
  readonly matches: boolean | null;
}

/** What the tool policy decides about a call of one subject, and why. */
export interface PolicyExplanation extends Ruling {
  readonly world_slug: string;
  readonly subject_id: string;
  readonly tool: string;
  readonly effect: EffectClass;
  /** The label of its source. */
  readonly source: string;
  /** Null where the profile names no policy: then everything is denied. */
  readonly policy_hash: string | null;
  /** What else may be decided, depending on arguments; none where they are given. */
  readonly may_become: readonly Decision[];
  /** The rules that are for this call, the strongest decision first. */
  readonly rules: readonly ExplainedRule[];
  /** The pointers of the arguments that are known, as if the model had read its prompt alone; null without arguments. */
  readonly known_arguments: readonly string[] | null;
}

export interface PolicyQuestion {
  readonly world_slug: string;
  readonly entity_id: string;
  readonly tool: string;
  /** The arguments as JSON text. */
  readonly arguments?: string | undefined;
}

/** Says which rule decides about a call, and why. Nothing is called, and no plugin is needed. */
export async function explainPolicy(archive: Archive, asked: PolicyQuestion): Promise<Outcome<PolicyExplanation>> {
  const args = asked.arguments === undefined ? undefined : parseJson(asked.arguments);
  if (args?.ok === false) return refuse(problem('POLICY_ARGUMENTS_NO_JSON'));
  const meant = toEntityId(asked.entity_id);
  if (!meant.ok) return meant;
  const shown = await showWorld(archive, { world_slug: asked.world_slug });
  if (!shown.ok) return shown;
  const { scenario_hash, world_slug } = shown.value;
  const closure = await archive.store.components.closure('scenario', scenario_hash);
  const byName = new Map(closure.map(({ kind, hash, content }) => [`${kind} ${hash}`, content]));
  const find: CompileParts['find'] = (kind, hash) => byName.get(`${kind} ${hash}`);
  const scenario = find('scenario', scenario_hash) as unknown as Scenario;
  const cognition = scenario.cognition.find(({ subjects }) => subjects.includes(meant.value));
  const subjects = scenario.cognition.flatMap((one) => one.subjects);
  if (cognition === undefined)
    return refuse(problem('NO_SUBJECT', { world_slug, name: meant.value, ...among(meant.value, subjects) }));
  const profile = find('cognition_profile', hashOf(cognition.profile_ref)) as unknown as CognitionProfile;
  const hash = hashOf(profile.workflow_ref);
  const authored = find('cognition_workflow', hash) as unknown as CognitionWorkflow;
  const { workflow } = withPrompts({ find }, { kind: 'cognition_workflow', hash }, authored);
  const bindings = listDataBindings(workflow);
  const binding = bindings.find(({ id }) => id === asked.tool);
  if (binding === undefined) {
    const named = bindings.map(({ id }) => id);
    return refuse(problem('NO_SUCH_CALL', { subject: meant.value, name: asked.tool, ...among(asked.tool, named) }));
  }
  const { label = '' } = findSource({ find }, binding.source_ref) ?? {};
  const call: PolicedCall = { tool: asked.tool, effect: binding.effect, source: label, subject: meant.value };
  const place = { find, scenario, workflow, world: shown.value };
  const given = args && { arguments: args.value, provenance: trace(place, call, binding, args.value) };
  const policy_hash = profile.tool_policy_ref === undefined ? null : hashOf(profile.tool_policy_ref);
  const policy = policy_hash === null ? undefined : (find('tool_policy', policy_hash) as unknown as ToolPolicy);
  return succeed({
    world_slug,
    subject_id: meant.value,
    tool: asked.tool,
    effect: binding.effect,
    source: label,
    policy_hash,
    ...explain(policy, call, given),
    known_arguments: given === undefined ? null : [...given.provenance.known.keys()],
  });
}

type Given = { readonly arguments: Json; readonly provenance: Provenance };

function explain(
  policy: ToolPolicy | undefined,
  call: PolicedCall,
  given: Given | undefined,
): Ruling & Pick<PolicyExplanation, 'may_become' | 'rules'> {
  const rules = compileRules(policy ?? { allow: [], require_approval: [] });
  const matching = given && listMatching(rules, { ...call, ...given });
  const listed = rules.selecting(call).map((rule) => {
    const { pointer, decide: decision, because, is_conditional } = rule;
    const matches = matching === undefined ? (is_conditional ? null : true) : matching.includes(rule);
    return { rule: pointer, decide: decision, because, matches };
  });
  if (given !== undefined) return { ...decide(rules, { ...call, ...given }), may_become: [], rules: listed };
  const { ruling, decisions } = foresee(rules, call);
  return { ...ruling, may_become: [...decisions].filter((one) => one !== ruling.decision), rules: listed };
}

interface Place extends Pick<CompileParts, 'find'> {
  readonly scenario: Scenario;
  readonly workflow: CognitionWorkflow;
  readonly world: WorldSnapshot;
}

/** Where arguments would come from if a model had read the prompt of its node, and nothing else. */
function trace(place: Place, { subject, source }: PolicedCall, { offered }: DataBinding, args: Json): Provenance {
  if (offered === undefined || offered.node.type === 'source_call') return UNTRACED;
  const { find, scenario, workflow, world } = place;
  const schema = offered.tool.arguments_schema_ref && find('json_schema', hashOf(offered.tool.arguments_schema_ref));
  const sources = {
    read: listAmbientSources({ find }, workflow),
    tools: [source],
    world: listWorldSources({ find }, scenario),
  };
  const messages = promptsOf(offered.node).flatMap((prompt) =>
    prompt.messages.map((message) => ({ segments: toSegments(textOf(message), sources) })),
  );
  const roster = rosterOf(world, subject ?? '', offered.node.projection);
  return traceArguments(args, { messages, schema: schema ?? {}, roster });
}

/** The author's own words, and what each placeholder would bring in. */
function toSegments(text: string, sources: SeenSources): readonly Segment[] {
  return parsePromptText(text).parts.map((part) => {
    if (part.kind === 'text') return { origin: 'author', text: part.text };
    const { reads: origin } = part.placeholder;
    return { origin, text: '', origins: assumeOrigins(origin, sources) };
  });
}

function rosterOf({ world_slug, turn, entities }: WorldSnapshot, id: string, projection: Projection) {
  const world = composeWorld({ slug: world_slug, turn, environments: [], entities, events: [] });
  const subject = world.entities.get(id);
  return new Set(subject === undefined ? [] : project(world, subject, projection).entities.map((entity) => entity.id));
}

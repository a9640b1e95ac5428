import { problem, type Problem } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { CognitionProfile } from '../../generated/cognition-profile.js';
import type { Scenario } from '../../generated/scenario.js';
import type { ToolPolicy } from '../../generated/tool-policy.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { checkScenario } from './check-scenario.js';
import { type CompiledPolicy, type CompileParts, hashOf, missing } from '../binding/compile-parts.js';
import { compileWorkflow } from './compile-workflow.js';
import { planOrders } from './plan-orders.js';
import { changeWorkflow } from './narrow-tools.js';
import { noteIdleRules, noteLeaks } from './check-policy.js';
import { listPoliced } from './policed-bindings.js';
import { compileRules, isEffectClass, type PolicedCall } from '../policy/policy.js';
import { foreseeCall } from '../protocol/ruling.js';
import { isDenied } from '../binding/foresee-binding.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { ComponentReference } from '../protocol/component.js';
import { complainIf, type DocumentProblem, inDocument, isError } from '../protocol/document-problem.js';
import { noteLargeNodes, toLimits, toSession } from './session-budgets.js';
import type {
  CallProgram,
  Program,
  SessionProgram,
  SubjectProgram,
  TurnAmbientProgram,
  WorkflowProgram,
} from '../protocol/program.js';
import type { Projection } from '../world/projection.js';

/** A program, or everything that keeps the scenario from running: then one that must not run, where each of its calls is known. */
export type Compiled =
  | { readonly ok: true; readonly program: Program; readonly notes: readonly DocumentProblem[] }
  | { readonly ok: false; readonly program?: Program | undefined; readonly problems: readonly DocumentProblem[] };

/**
 * Links and compiles a scenario: every rule of assembly is checked, and no source is called.
 * @param scenarioHash 64 hex digits
 */
export function compileProgram(parts: CompileParts, scenarioHash: string): Compiled {
  const document: ComponentReference = { kind: 'scenario', hash: scenarioHash };
  const scenario = parts.find('scenario', scenarioHash) as unknown as Scenario | undefined;
  if (scenario === undefined) return { ok: false, problems: [missing(document, '', 'scenario', scenarioHash)] };
  const checked = inDocument(document, checkScenario(scenario));
  const cognitions = scenario.cognition.map((cognition, index) =>
    compileCognition(parts, scenario, document, { cognition, pointer: `/cognition/${index}` }),
  );
  const problems = withoutRepeats([...checked, ...cognitions.flatMap((compiled) => compiled.problems)]);
  const isKnown = cognitions.every((cognition) => cognition.subjects !== undefined);
  if (!isKnown) return { ok: false, problems };
  const subjects = cognitions.flatMap((cognition) => cognition.subjects ?? []);
  const program = {
    scenario_hash: scenarioHash,
    label: scenario.label,
    turn_ambients: distinctAmbients(subjects),
    subjects,
    orders: planOrders(parts, scenarioHash),
    event_turns: mostOf(subjects, ({ events, own_turns = 0 }) => Math.max(events?.turns ?? 0, own_turns)),
    memories: mostOf(subjects, ({ memory }) => Math.max(memory.recent, memory.pinned === true ? 1 : 0)),
    ...toSessions(cognitions),
    ...present({ world_budget: toLimits(scenario.budgets?.world) }),
  };
  if (problems.some(isError)) return { ok: false, program, problems };
  return { ok: true, program, notes: [...problems, ...notePolicies(cognitions)] };
}

interface CompiledCognition {
  /** Undefined where a document is missing that says what is called. */
  readonly subjects?: readonly SubjectProgram[] | undefined;
  readonly problems: readonly DocumentProblem[];
  readonly policy?: CompiledPolicy;
  /** Its calls that need leave. */
  readonly policed?: readonly PolicedCall[];
  readonly session?: SessionProgram;
}

/**
 * The workflow for one subject: without the tools that are denied it, whatever their arguments are, and not to others. One
 * that is denied to all is in it only where the policy misspells its name, which is an error of its own.
 */
function offerTo(subject_id: string, subjects: readonly string[], workflow: WorkflowProgram): WorkflowProgram {
  return changeWorkflow(workflow, (node) => {
    const permitted = node.tools?.flatMap((tool) => (tool.permitted ? [tool] : [])) ?? [];
    const isDeniedTo = (call: CallProgram, subject: string): boolean => {
      const foreseen = foreseeCall(call, subject);
      return foreseen !== undefined && isDenied(foreseen);
    };
    const offered = permitted.filter(
      ({ call }) => !isDeniedTo(call, subject_id) || subjects.every((subject) => isDeniedTo(call, subject)),
    );
    if (offered.length === permitted.length) return node;
    return nodeTypeOf(node).narrow(node, new Set(offered.map(({ name }) => name)));
  });
}

/** Two profiles may share a policy: what it allows is of use where the workflow of one of them has a call of that name. */
function notePolicies(cognitions: readonly CompiledCognition[]): readonly DocumentProblem[] {
  const policies = new Map(cognitions.flatMap(({ policy }) => (policy === undefined ? [] : [[policy.hash, policy]])));
  return [...policies.values()].flatMap(({ hash, allow, rules }) => {
    const shared = cognitions.filter(({ policy }) => policy?.hash === hash);
    const isUseless = (name: string) => shared.every(({ policy }) => policy?.names_nothing.includes(name));
    const notes = allow.flatMap((name, index) =>
      complainIf(isUseless(name), problem('ALLOWED_NAMES_NOTHING', { name }, { pointer: `/allow/${index}` })),
    );
    const calls = shared.flatMap(({ policed = [] }) => policed);
    return [...inDocument({ kind: 'tool_policy', hash }, notes), ...noteIdleRules(hash, rules, calls)];
  });
}

function compileCognition(
  parts: CompileParts,
  scenario: Scenario,
  scenarioDocument: ComponentReference,
  place: {
    readonly cognition: Scenario['cognition'][number];
    readonly pointer: string;
  },
): CompiledCognition {
  const profileHash = hashOf(place.cognition.profile_ref);
  const profile = parts.find('cognition_profile', profileHash) as unknown as CognitionProfile | undefined;
  if (profile === undefined)
    return {
      problems: [missing(scenarioDocument, `${place.pointer}/profile_ref`, 'cognition_profile', profileHash)],
    };
  const document: ComponentReference = { kind: 'cognition_profile', hash: profileHash };
  const workflowHash = hashOf(profile.workflow_ref);
  const workflow = parts.find('cognition_workflow', workflowHash) as unknown as CognitionWorkflow | undefined;
  const policy = findPolicy(parts, document, profile, workflow);
  const unmet = [...policy.problems, ...inDocument(document, noteLargeNodes(profile, workflow))];
  if (workflow === undefined)
    return {
      problems: [...unmet, missing(document, '/workflow_ref', 'cognition_workflow', workflowHash)],
    };
  const compiled = compileWorkflow(parts, scenario, workflow, {
    document: { kind: 'cognition_workflow', hash: workflowHash },
    subjects: place.cognition.subjects,
    ...present({ policy: policy.policy, connections: profile.connections }),
    policy_missing: policy.policy === undefined && profile.tool_policy_ref !== undefined,
  });
  const { value } = policy.problems.some(isError) && policy.policy === undefined ? {} : compiled;
  const { rules } = policy.policy ?? {};
  const leaks = rules
    ? noteLeaks(parts, { kind: 'cognition_workflow', hash: workflowHash }, workflow, { ...place.cognition, rules })
    : [];
  const subjects =
    value &&
    place.cognition.subjects.map((subject_id) => ({
      subject_id,
      workflow: offerTo(subject_id, place.cognition.subjects, value),
    }));
  return {
    subjects,
    problems: [...unmet, ...compiled.problems, ...leaks],
    policed: listPoliced(parts, workflow, place.cognition.subjects),
    ...present({ policy: policy.policy, session: toSession(profile, place.cognition.subjects) }),
  };
}

function findPolicy(
  parts: CompileParts,
  document: ComponentReference,
  profile: CognitionProfile,
  workflow: CognitionWorkflow | undefined,
): { readonly policy?: CompiledPolicy; readonly problems: readonly DocumentProblem[] } {
  if (profile.tool_policy_ref === undefined) {
    const offers = workflow?.nodes.some((node) => nodeTypeOf(node).toolsOffered(node).length > 0) ?? false;
    return { problems: offers ? inDocument(document, [problem('TOOL_POLICY_MISSING')]) : [] };
  }
  const hash = hashOf(profile.tool_policy_ref);
  const policy = parts.find('tool_policy', hash) as unknown as ToolPolicy | undefined;
  if (policy === undefined) return { problems: [missing(document, '/tool_policy_ref', 'tool_policy', hash)] };
  const notes = workflow === undefined ? [] : checkApprovals(policy, policedNames(workflow));
  return { policy: toPolicy(hash, policy, workflow), problems: inDocument({ kind: 'tool_policy', hash }, notes) };
}

function toPolicy(hash: string, document: ToolPolicy, workflow: CognitionWorkflow | undefined): CompiledPolicy {
  const { allow, budgets, approval_deadline_ms = APPROVAL_DEADLINE_MS } = document;
  const named = new Set(workflow === undefined ? [] : policedNames(workflow));
  const names_nothing = allow.filter((name) => !named.has(name));
  return { hash, rules: compileRules(document), approval_deadline_ms, allow, names_nothing, ...budgets };
}

const APPROVAL_DEADLINE_MS = 7 * 24 * 60 * 60 * 1_000;

/** An approval that is asked for nothing in the workflow: its author believes that a call waits for a person. */
function checkApprovals({ require_approval }: ToolPolicy, named: readonly string[]): readonly Problem[] {
  return require_approval.flatMap((name, index) =>
    complainIf(
      !named.includes(name) && !isEffectClass(name),
      problem('APPROVAL_NAMES_NOTHING', { name }, { pointer: `/require_approval/${index}` }),
    ),
  );
}

/** The names of a workflow that a policy can allow. */
function policedNames({ ambient_sources, nodes }: CognitionWorkflow): readonly string[] {
  const tools = nodes.flatMap((node) => nodeTypeOf(node).toolsOffered(node));
  return [...[...ambient_sources, ...nodes].map(({ id }) => id), ...tools.map(({ name }) => name)];
}

function toSessions(cognitions: readonly CompiledCognition[]): Pick<Program, 'sessions'> {
  const sessions = cognitions.flatMap(({ session }) => session ?? []);
  return sessions.length === 0 ? {} : { sessions };
}

/** The most that any projection asks for. */
function mostOf(subjects: readonly SubjectProgram[], countOf: (projection: Projection) => number): number {
  const nodes = subjects.flatMap(({ workflow }) => workflow.nodes);
  return Math.max(0, ...nodes.map(({ projection }) => (projection === undefined ? 0 : countOf(projection))));
}

/** Bindings of equal hash make one call, recorded under the first declaring workflow. */
function distinctAmbients(subjects: readonly SubjectProgram[]): readonly TurnAmbientProgram[] {
  const byKey = new Map<string, TurnAmbientProgram>();
  for (const binding of subjects.flatMap((subject) => subject.workflow.turn_ambients)) {
    if (!byKey.has(binding.key)) byKey.set(binding.key, binding);
  }
  return [...byKey.values()];
}

function withoutRepeats(problems: readonly DocumentProblem[]): readonly DocumentProblem[] {
  const keyed = problems.map((problem): [string, DocumentProblem] => [
    `${problem.document.hash}${problem.pointer}\n${problem.code}\n${problem.message}`,
    problem,
  ]);
  return [...new Map(keyed).values()];
}

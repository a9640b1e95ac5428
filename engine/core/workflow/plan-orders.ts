import type { JsonObject } from '../../contract/json.js';
import type { CognitionProfile } from '../../generated/cognition-profile.js';
import type { Scenario } from '../../generated/scenario.js';
import type { CognitionWorkflow, Gate } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { contentHash } from '../content/canonical.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { AuthoredNode } from '../nodes/node-type.js';
import { edgesOf } from '../nodes/references.js';
import type { OrderPlan, OrderType, PlannedNode, PlannedSubject, PromptContract } from '../protocol/order-plan.js';
import { withPrompts } from './prompt-files.js';

/**
 * Plans the orders of a scenario from its documents, so that a driver and a reader of its record plan the same.
 * @param find finds its linked documents
 */
export function planOrders({ find }: Pick<CompileParts, 'find'>, scenario_hash: string): OrderPlan {
  const scenario = find('scenario', scenario_hash) as Pick<Scenario, 'cognition'> | undefined;
  const subjects: PlannedSubject[] = [];
  let slot = 1;
  for (const { profile_ref, subjects: names } of scenario?.cognition ?? []) {
    const profile = find('cognition_profile', hashOf(profile_ref)) as
      | Pick<CognitionProfile, 'workflow_ref'>
      | undefined;
    if (profile === undefined) continue;
    const workflow_hash = hashOf(profile.workflow_ref);
    const authored = find('cognition_workflow', workflow_hash) as unknown as CognitionWorkflow | undefined;
    if (authored === undefined) continue;
    const { workflow } = withPrompts({ find }, { kind: 'cognition_workflow', hash: workflow_hash }, authored);
    const nodes = workflow.nodes.map(planNode);
    for (const subject_id of names) {
      const numbered: PlannedNode[] = [];
      for (const node of nodes) {
        numbered.push({ ...node, first_slot: slot });
        slot += node.slots;
      }
      subjects.push({ subject_id, workflow_hash, nodes: numbered });
    }
  }
  return { subjects };
}

function planNode(node: AuthoredNode): Omit<PlannedNode, 'first_slot'> {
  const type = nodeTypeOf(node);
  const contract = node.type === 'source_call' ? null : toContract(node);
  return {
    node_id: node.id,
    order_type: orderTypeOf(node),
    after: [...new Set(edgesOf(type, node))],
    constraints: {
      prompt_contract_id: contract?.contract_id ?? null,
      token_budget: node.type === 'source_call' ? null : node.constraints.token_budget,
      turn_limit: node.type === 'source_call' ? null : (node.constraints.turn_limit ?? null),
      timeout_seconds: node.type === 'source_call' ? null : node.constraints.timeout_seconds,
      tools_allowed: node.type === 'source_call' ? [node.id] : type.toolsOffered(node).map(({ name }) => name),
    },
    contract,
    gate: node.type === 'source_call' || node.gate === undefined ? null : toGateContract(node, node.gate),
    slots: slotsOf(node),
  };
}

function orderTypeOf(node: AuthoredNode): OrderType {
  if (node.type === 'source_call') return 'tool_call';
  return node.order_type ?? 'execute';
}

/** A gate may send back every answer of a round but the last that the round may have. */
function slotsOf(node: AuthoredNode): number {
  if (node.type === 'source_call' || node.gate === undefined) return 1;
  const rounds = node.type === 'llm_json' ? 1 : node.max_tool_calls + 1;
  return 1 + rounds * (node.max_generation_attempts - 1);
}

type ModelNode = Exclude<AuthoredNode, { readonly type: 'source_call' }>;

/** The prompt, the schemas and the limits of a node that asks a model. */
function toContract(node: ModelNode): PromptContract {
  const { prompt_template, projection, constraints, max_generation_attempts } = node;
  const schema = node.type === 'llm_json' ? node.result_schema_ref : node.final_schema_ref;
  const tools = nodeTypeOf(node)
    .toolsOffered(node)
    .map(({ name, arguments_schema_ref }) => ({ name, arguments_schema: hashOf(arguments_schema_ref) }));
  const prompt = { prompt_template, projection };
  const limits = { ...constraints, max_generation_attempts };
  return nameContract(prompt, { output_schema: hashOf(schema), tools, constraints: limits });
}

/** What a gate is asked by: its limits are those of its node. */
function toGateContract({ projection, constraints, max_generation_attempts }: ModelNode, gate: Gate): PromptContract {
  const limits = { ...constraints, max_generation_attempts };
  const asked = { output_schema: 'chukwa:gate-verdict.schema.json', tools: [], constraints: limits };
  return nameContract({ prompt_template: gate.prompt_template, projection }, asked);
}

function nameContract(prompt: object, asked: object): PromptContract {
  const content = { ...prompt, ...asked } as unknown as JsonObject;
  return {
    contract_id: `PC-${contentHash(content).slice(0, 16)}`,
    prompt_pack_id: `PRM-${contentHash(prompt as JsonObject).slice(0, 16)}`,
    content,
  };
}

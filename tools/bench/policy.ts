import type { JsonObject } from '../../engine/contract/json.js';
import { compileRules } from '../../engine/core/policy/policy.js';
import { traceArguments } from '../../engine/core/policy/provenance.js';
import { toMessage } from '../../engine/core/prompt/message.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { PolicyProgram, SchemaProgram } from '../../engine/core/protocol/program.js';
import { ruleOn } from '../../engine/core/protocol/ruling.js';
import type { ToolPolicy } from '../../engine/generated/tool-policy.js';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';
import { jsonCall, openTestSources, writePlugin } from '../../test/sources/harness.js';
import { must } from '../must.js';
import { type Row, toRow } from './figures.js';
import { spendOften } from './measures.js';
import { makeFolder, type Stage } from './stage.js';

const RULES = 1_000;
const TIMES = 5_000;
const REQUEST = { to: 'acme', amount: 12, note: 'for paper' };

/** What the tool policy and the stages of a call cost, without a call's own work. */
export async function measurePolicy(stage: Stage): Promise<readonly Row[]> {
  const policies = {
    named: toPolicy((index) => ({ tools: [`tool_${Math.floor(index / 10)}`] })),
    general: toPolicy(() => OF_ALL),
    origins: toPolicy(() => OF_ALL, OF_ORIGINS),
  } as const;
  const rows: Row[] = [];
  for (const [name, policy] of Object.entries(policies)) {
    const { call } = toCall(policy);
    const { ms } = await spendOften(TIMES, () => {
      const ruling = ruleOn({ call, subject_id: 'clerk', request: REQUEST, provenance: PROVENANCE });
      if (ruling?.decision !== 'allow') throw new Error(`the policy says ${ruling?.decision}`);
    });
    const note = `the median of ${TIMES}; the last rule allows it`;
    rows.push(toRow(`policy_${name as keyof typeof policies}`, ms * 1_000, note));
  }
  return [...rows, await measureCalls(stage, policies.named)];
}

const OF_ALL = { effects: ['external_side_effect'] };

/** What a call does not meet of a policy, rule by rule, and what it does. */
interface Conditions {
  readonly unmet: (index: number) => JsonObject;
  readonly met: JsonObject;
}

const OF_ARGUMENTS: Conditions = {
  unmet: (index) => ({ arguments: { '/amount': { below: -index } } }),
  met: { arguments: { '/to': { one_of: ['acme'] } } },
};
const OF_ORIGINS: Conditions = {
  unmet: (index) => ({ origins: [`source:elsewhere_${index}`] }),
  met: { origins: ['author', 'model', 'scenario'] },
};

/** A policy of so many rules, all of them with conditions that this call does not meet, but the last. */
function toPolicy(select: (index: number) => JsonObject, { unmet, met } = OF_ARGUMENTS): PolicyProgram {
  const rules = Array.from({ length: RULES }, (_none, index) => ({
    ...select(index),
    ...(index === RULES - 1 ? met : unmet(index)),
    decide: index === RULES - 1 ? 'allow' : 'deny',
  })) as unknown as NonNullable<ToolPolicy['rules']>;
  const compiled = compileRules({ allow: [], require_approval: [], rules });
  return { hash: 'policy', approval_deadline_ms: 1_000, rules: compiled };
}

const PROVENANCE = traceArguments(REQUEST, {
  messages: [toMessage('user', [{ origin: 'author', text: 'Pay acme for paper.' }])],
  schema: { type: 'object' },
  roster: new Set(['acme']),
});

const compileSchema = createCompileSchema();

function compile(schema: JsonObject): SchemaProgram {
  return { hash: JSON.stringify(schema), schema, validate: must(compileSchema(JSON.stringify(schema), schema)) };
}

const INPUT = compile({ type: 'object', required: ['to', 'amount'], properties: { amount: { type: 'number' } } });
const OUTPUT = compile({ type: 'object', required: ['receipt'], properties: { receipt: { type: 'string' } } });

function toCall(policy: PolicyProgram): Invoke {
  const judged = { effect: 'external_side_effect', repeatable: true, policy_id: 'tool_99', policy } as const;
  const call = { ...judged, redaction: ['/receipt'], input: INPUT, output: OUTPUT };
  const asked = { subject_id: 'clerk', tool_name: 'tool_99', request: REQUEST, provenance: PROVENANCE };
  return jsonCall({ ...asked, call }, { name: 'instant' });
}

const INSTANT = `export default { open: () => ({
  names_its_calls: true, invoke: async () => ({ value: { receipt: 'r-1' } }) }) };`;

/** A call through all stages, of a plugin that answers at once, with a record that is written at once. */
async function measureCalls(stage: Stage, policy: PolicyProgram): Promise<Row> {
  const folder = await makeFolder(stage);
  await writePlugin(folder, 'instant', INSTANT);
  const sources = await openTestSources(stage, { folders: [folder], validateManifest: () => [] });
  const command = toCall(policy);
  const { signal } = new AbortController();
  const recorder = { started: async () => {}, flushed: async () => {} };
  const about = { client_request_id: 'office/turn-1/tool', correlation_id: 'call', signal };
  const { ms } = await spendOften(TIMES, async () => {
    const ended = await sources.callSource(command, about, recorder);
    if (ended.status !== 'succeeded') throw new Error(JSON.stringify(ended));
  });
  const parts = `20 µs for the decision by ${RULES} rules, and 50 µs for the rest`;
  return toRow('pipeline', ms * 1_000, `the median of ${TIMES}, one at a time: ${parts}`);
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../engine/contract/json.js';
import { compileRules } from '../../engine/core/policy/policy.js';
import { traceArguments } from '../../engine/core/policy/provenance.js';
import { toMessage } from '../../engine/core/prompt/message.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { PolicyProgram, SchemaProgram } from '../../engine/core/protocol/program.js';
import { ruleOn } from '../../engine/core/protocol/ruling.js';
import type { ToolPolicy } from '../../engine/generated/tool-policy.js';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';
import { openSources, type Sources } from '../../engine/sources/index.js';
import { must } from '../must.js';
import { inFolder } from './documents.js';
import { median, say } from './measures.js';
import { renderNumber, type Row, toRow } from './row.js';

const RULES = 1_000;
const TIMES = 5_000;
const REQUEST = { to: 'acme', amount: 12, note: 'for paper' };

/** What the tool policy and the stages of a call cost, without a call's own work. */
export async function measurePolicy(): Promise<readonly Row[]> {
  say('deciding about calls');
  const named = toPolicy((index) => ({ tools: [`tool_${Math.floor(index / 10)}`] }));
  const general = toPolicy(() => ({ effects: ['external_side_effect'] }));
  const ofOrigins = toPolicy(() => ({ effects: ['external_side_effect'] }), OF_ORIGINS);
  const bare = await inFolder((folder) => measureCalls(folder, named));
  return [
    toDecisionRow('named', 'rules of a hundred tools', named),
    toDecisionRow('general', 'rules that each select every call', general),
    toDecisionRow('origins', 'rules on origins that each select every call', ofOrigins),
    bare,
  ];
}

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
  })) as unknown as ToolPolicy['rules'];
  return {
    hash: 'policy',
    approval_deadline_ms: 1_000,
    rules: compileRules({ allow: [], require_approval: [], ...(rules && { rules }) }),
  };
}

const PROVENANCE = traceArguments(REQUEST, {
  messages: [toMessage('user', [{ origin: 'author', text: 'Pay acme for paper.' }])],
  schema: { type: 'object' },
  roster: new Set(['acme']),
});

function toCall(policy: PolicyProgram): Invoke['call'] {
  return {
    source: { hash: 'source', label: 'bank', plugin: 'instant', interface: { name: 'instant' } },
    effect: 'external_side_effect',
    repeatable: true,
    redaction: ['/receipt'],
    limits: { max_runtime_ms: 20_000, max_request_bytes: 8_192, max_result_bytes: 32_768 },
    policy_id: 'tool_99',
    policy,
    input: compile({ type: 'object', required: ['to', 'amount'], properties: { amount: { type: 'number' } } }),
    output: compile({ type: 'object', required: ['receipt'], properties: { receipt: { type: 'string' } } }),
  };
}

const compileSchema = createCompileSchema();

function compile(schema: JsonObject): SchemaProgram {
  return { hash: JSON.stringify(schema), schema, validate: must(compileSchema(JSON.stringify(schema), schema)) };
}

function toDecisionRow(id: string, of: string, policy: PolicyProgram): Row {
  const call = toCall(policy);
  const times = Array.from({ length: TIMES }, () => {
    const begun = performance.now();
    const ruling = ruleOn({ call, subject_id: 'clerk', request: REQUEST, provenance: PROVENANCE });
    const spent = performance.now() - begun;
    if (ruling?.decision !== 'allow') throw new Error(`the policy says ${ruling?.decision}`);
    return spent;
  });
  return toRow({
    id: `policy, ${id}`,
    what: `decision about one call by a policy of ${RULES} ${of}`,
    value: median(times) * 1_000,
    unit: 'µs',
    goal: { kind: 'at_most', value: 20 },
    note: `the median of ${TIMES}; the last rule allows it`,
  });
}

/** A call through all stages, of a plugin that answers at once, with a record that is written at once. */
async function measureCalls(folder: string, policy: PolicyProgram): Promise<Row> {
  say('calling a source that answers at once');
  const sources = await openInstant(folder);
  const { signal } = new AbortController();
  const command: Invoke = {
    kind: 'invoke',
    key: 'clerk/act/round-1/try-1/tool',
    invocation_kind: 'model_elected_tool',
    call: toCall(policy),
    request: REQUEST,
    request_hash: 'request',
    provenance: PROVENANCE,
    workflow_hash: 'workflow',
    subject_id: 'clerk',
    tool_name: 'tool_99',
    deadline_ms: 20_000,
  };
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let time = 0; time < TIMES; time += 1) {
    const surroundings = { client_request_id: 'office/turn-1/tool', correlation_id: `call-${time}`, signal };
    const begun = performance.now();
    const ended = await sources.callSource(command, surroundings, RECORDER);
    times.push(performance.now() - begun);
    if (ended.status !== 'succeeded') throw new Error(JSON.stringify(ended));
  }
  const { user, system } = process.cpuUsage(cpu);
  await sources.close();
  return toRow({
    id: 'pipeline',
    what: 'one call through all stages, without what is outside',
    value: median(times) * 1_000,
    unit: 'µs',
    goal: { kind: 'at_most', value: 70 },
    note: `the median of ${TIMES}, one at a time: 20 µs for the decision by ${RULES} rules, and 50 µs for the rest; ${renderNumber((user + system) / TIMES)} µs of CPU each`,
  });
}

const RECORDER = { started: async () => {}, flushed: async () => {} };

/** Sources of one plugin, which answers without doing anything. */
async function openInstant(folder: string): Promise<Sources> {
  const home = join(folder, 'instant');
  const entry =
    "export default { open: () => ({ names_its_calls: true, invoke: async () => ({ value: { receipt: 'r-1' } }) }) };";
  const manifest = {
    version: 1,
    name: 'instant',
    description: 'Answers at once.',
    contract_version: 1,
    speaks: 'json',
    interface_schema: './interface.schema.json',
    entry: './index.js',
  };
  await mkdir(home);
  await writeFile(join(home, 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(home, 'interface.schema.json'), JSON.stringify({ type: 'object' }));
  await writeFile(join(home, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(home, 'index.js'), entry);
  return openSources({
    folders: [folder],
    lookUp: () => undefined,
    compileSchema,
    validateManifest: () => [],
    clock: { now: () => Date.now() },
    log: () => {},
  });
}

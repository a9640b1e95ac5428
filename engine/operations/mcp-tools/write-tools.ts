import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { type Done, refuse } from '../engine.js';
import type { ServerTools } from './list-tools.js';
import type { ServerTool, UsableTool } from './server-tool.js';

/** What was written, and what could not be. */
export interface WrittenTools {
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
  readonly left_out: readonly ServerTool[];
}

/**
 * Writes documents for tools of a server: a source and schemas for each, a workflow with their bindings, the tool policy,
 * a profile and a small scenario. Nothing is written over, and nothing is written where a tool that was chosen cannot be.
 * @param chosen names of tools; all that can be written where there are none
 * @param folder absolute
 */
export async function writeTools(
  listed: ServerTools,
  chosen: readonly string[],
  folder: string,
): Promise<Done<WrittenTools>> {
  const { tools } = listed;
  const wanted = tools.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  const left_out = wanted.filter((tool) => !isUsable(tool));
  const usable = wanted.filter(isUsable);
  const problems = [
    ...chosen.flatMap((name) => findMissing(tools, name)),
    ...(chosen.length === 0 ? [] : left_out.map(toProblem)),
  ];
  if (problems.length > 0) return refuse(...problems);
  if (usable.length === 0)
    return refuse({
      code: 'MCP_TOOL_UNKNOWN',
      message: 'The server lists no tool that can be written as documents.',
      repair: 'Run the command without --write: it says why of each.',
    });
  const allowed = usable.filter(({ name, effect }) => chosen.includes(name) || effect === 'read_only');
  const files = toFiles(listed, usable, allowed);
  try {
    // A folder of its own: nothing that stands there is written over, and no link in it leads elsewhere.
    await mkdir(folder);
    for (const path of new Set(files.map(([path]) => dirname(path)))) if (path !== '.') await mkdir(join(folder, path));
    for (const [path, document] of files) {
      await writeFile(join(folder, path), `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx' });
    }
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    return refuse({
      code: isThere ? 'FILE_EXISTS' : 'FILE_UNWRITABLE',
      message: `${folder} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}. Nothing was written over.`,
      repair: 'Name a folder that is not there yet, in one that is.',
    });
  }
  return { ok: true, value: { folder, files: files.map(([path]) => path), left_out } };
}

function isUsable(tool: ServerTool): tool is UsableTool {
  return tool.unusable === undefined;
}

function findMissing(tools: readonly ServerTool[], name: string): readonly Problem[] {
  if (tools.some((tool) => tool.name === name)) return [];
  return [
    {
      code: 'MCP_TOOL_UNKNOWN',
      message: `The server lists no tool ${JSON.stringify(name)}.`,
      repair: 'Run the command without --write: it lists those that there are.',
    },
  ];
}

function toProblem({ name, unusable }: ServerTool): Problem {
  return {
    code: 'MCP_TOOL_UNUSABLE',
    message: `The tool ${JSON.stringify(name)} cannot be written as documents: ${unusable}.`,
    repair: 'Choose others, or write its schema and source by hand.',
  };
}

type File = readonly [path: string, document: JsonObject];

function toFiles(listed: ServerTools, tools: readonly UsableTool[], allowed: readonly UsableTool[]): readonly File[] {
  const stems = nameFiles(listed.server, tools);
  const label = kebab(listed.server);
  const named = tools.map((tool) => ({ tool, stem: stems.get(tool) ?? label }));
  return [
    ...named.flatMap(({ tool, stem }): readonly File[] => [
      [`sources/${stem}.json`, toSource(listed, stem, tool)],
      [`schemas/${stem}-arguments.json`, tool.arguments_schema],
      ...(tool.result_schema === undefined ? [] : [[`schemas/${stem}-result.json`, tool.result_schema] as const]),
    ]),
    ['sources/chat.json', { version: 1, label: 'chat', interface: MODEL }],
    [
      'workflow.json',
      toWorkflow(
        label,
        named.map(({ tool, stem }) => toBinding(tool, stem)),
      ),
    ],
    ['policy.json', { version: 1, label, allow: allowed.map(({ id }) => id), require_approval: [], budgets: BUDGETS }],
    [
      'profile.json',
      { version: 1, label, workflow_ref: { path: './workflow.json' }, tool_policy_ref: { path: './policy.json' } },
    ],
    ['scenario.json', toScenario(label)],
  ];
}

/** Somebody who has the tools, so that all that was written is checked, and can be run. */
function toScenario(label: string): JsonObject {
  return {
    version: 1,
    label,
    start_time: '2026-01-01T09:00:00Z',
    chronon_seconds: 600,
    environments: [{ label: 'room', content: 'A quiet room.' }],
    entities: [{ id: 'ada', name: 'Ada', kind: 'agent', environment: 'room', state: 'at the desk' }],
    cognition: [{ profile_ref: { path: './profile.json' }, subjects: ['ada'] }],
  };
}

const LABEL_LENGTH_MAX = 64;
const BUDGETS = { max_runtime_ms: 30_000, max_result_bytes: 65_536 };
const MODEL = {
  name: 'llm_chat',
  model: 'gpt-4.1-mini',
  model_env: 'CHUKWA_LLM_MODEL',
  schema_delivery: 'response_format',
  tool_calling: 'json_control',
};

/** Names that only differ in what files cannot show are numbered. */
function nameFiles(server: string, tools: readonly UsableTool[]): ReadonlyMap<UsableTool, string> {
  const taken = new Set<string>(['chat']);
  return new Map(
    tools.map((tool) => {
      const stem = kebab(`${server} ${tool.name}`)
        .slice(0, LABEL_LENGTH_MAX - 4)
        .replace(/-+$/, '');
      let name = stem;
      for (let number = 2; taken.has(name); number += 1) name = `${stem}-${number}`;
      taken.add(name);
      return [tool, name] as const;
    }),
  );
}

/** `memory search_nodes` as `memory-search-nodes` */
function kebab(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function toSource({ plugin, server_env }: ServerTools, label: string, { name, description }: UsableTool): JsonObject {
  return {
    version: 1,
    label,
    ...(description === '' ? {} : { description }),
    interface: { name: plugin.name, [plugin.origin_field]: server_env, [plugin.tool_list.tool_field]: name },
  };
}

function toBinding({ id, description, name, effect, result_schema }: UsableTool, stem: string): JsonObject {
  return {
    name: id,
    description: description.trim() === '' ? name : description,
    source_ref: { path: `./sources/${stem}.json` },
    effect,
    redaction: { allow: 'all' },
    arguments_schema_ref: { path: `./schemas/${stem}-arguments.json` },
    ...(result_schema === undefined ? {} : { result_schema_ref: { path: `./schemas/${stem}-result.json` } }),
  };
}

const PROMPT =
  'It is turn {{world.attempted_turn}}.\n\nWorld:\n{{world.projection}}\n\nActing subject:\n{{subject.rendered}}\n\nAvailable tools:\n{{tools.available}}\n\nAnswer with one JSON object: { "kind": "tool_call", "tool_call": { "name": "...", "arguments": { ... } } }, or the final patch { "kind": "final_patch", "patch": { "narration": "...", "effects": [ ... ] } }. What does {{subject.name}} do?';

function toWorkflow(label: string, bindings: readonly JsonObject[]): JsonObject {
  return {
    version: 1,
    label,
    execution: 'per_subject_ordered',
    ambient_sources: [],
    nodes: [
      {
        id: 'act',
        type: 'llm_tool_loop',
        llm_source_ref: { path: './sources/chat.json' },
        prompt_template: { messages: [{ role: 'user', content: PROMPT }] },
        projection: { scope: 'world', memory: { recent: 10 } },
        available_tools: bindings,
        max_tool_calls: 4,
        max_generation_attempts: 3,
        final_schema_ref: { path: 'chukwa:world-patch.schema.json' },
        constraints: { token_budget: 60_000, timeout_seconds: 120 },
      },
    ],
    apply: { from: 'act.final' },
  };
}

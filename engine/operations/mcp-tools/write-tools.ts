import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../contract/json.js';
import { type TextFile, writeNewFolder } from '../write-files.js';
import type { ServerTools } from './list-tools.js';
import { type ServerTool, toPin, type UsableTool } from './server-tool.js';

export interface WrittenTools {
  readonly folder: string;
  readonly files: readonly string[];
  readonly left_out: readonly ServerTool[];
  /** Tools that were written, and that the policy does not let a model call: the server does not say that they only read. */
  readonly not_allowed: readonly string[];
}

/**
 * Writes documents for tools of a server: a source and schemas for each, a workflow with their bindings, the tool
 * policy, a profile and a small scenario. Nothing is overwritten, and nothing is written where a chosen tool cannot be.
 * @param chosen names of tools; all usable ones where there are none
 * @param folders absolute: the one to make, and the one of the shipped files
 */
export async function writeTools(
  listed: ServerTools,
  chosen: readonly string[],
  { folder, package_root }: { readonly folder: string; readonly package_root: string },
): Promise<Outcome<WrittenTools>> {
  const { tools } = listed;
  const wanted = tools.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  const left_out = wanted.filter((tool) => !isUsable(tool));
  const usable = wanted.filter(isUsable);
  const problems = [
    ...chosen.flatMap((name) => findMissing(tools, name)),
    ...(chosen.length === 0 ? [] : left_out.map(toProblem)),
  ];
  if (problems.length > 0) return refuse(...problems);
  if (usable.length === 0) return refuse(problem('MCP_TOOL_UNKNOWN', { name: undefined }));
  const allowed = usable.filter(({ name, effect }) => chosen.includes(name) || effect === 'read_only');
  const template = join(package_root, 'fixtures', 'templates', 'tools');
  const files = await toFiles(listed, usable, allowed, template);
  const written = await writeNewFolder(folder, files, problem('FILE_EXISTS', { path: folder }));
  if (!written.ok) return written;
  const not_allowed = usable.filter((tool) => !allowed.includes(tool)).map(({ id }) => id);
  return succeed({ folder, files: files.map(({ path }) => path), left_out, not_allowed });
}

/** Documents of the template that do not depend on the server. */
const COPIED = ['scenario.json', 'profile.json', 'sources/chat.json'];

function isUsable(tool: ServerTool): tool is UsableTool {
  return tool.unusable === undefined;
}

function findMissing(tools: readonly ServerTool[], name: string): readonly Problem[] {
  return tools.some((tool) => tool.name === name) ? [] : [problem('MCP_TOOL_UNKNOWN', { name })];
}

function toProblem({ name, unusable: reason }: ServerTool): Problem {
  return problem('MCP_TOOL_UNUSABLE', { name, reason });
}

async function toFiles(
  listed: ServerTools,
  usable: readonly UsableTool[],
  allowed: readonly UsableTool[],
  template: string,
): Promise<readonly TextFile[]> {
  const readText = (file: string) => readFile(join(template, file), 'utf8');
  const read = async (file: string) => JSON.parse(await readText(file)) as JsonObject;
  const { nodes, ...workflow } = (await read('workflow.json')) as JsonObject & {
    readonly nodes: readonly JsonObject[];
  };
  const stems = nameFiles(listed.server, usable);
  const named = usable.map((tool) => ({ tool, stem: stems.get(tool) ?? tool.id }));
  const available_tools = named.map(({ tool, stem }) => toBinding(tool, stem));
  return [
    ...named.flatMap(({ tool, stem }) => [
      toFile(`sources/${stem}.json`, toSource(listed, stem, tool)),
      toFile(`schemas/${stem}-arguments.json`, tool.arguments_schema),
      ...(tool.result_schema === undefined ? [] : [toFile(`schemas/${stem}-result.json`, tool.result_schema)]),
    ]),
    toFile('workflow.json', { ...workflow, nodes: nodes.map((node) => ({ ...node, available_tools })) }),
    toFile('policy.json', { ...(await read('policy.json')), allow: allowed.map(({ id }) => id) }),
    ...(await Promise.all(COPIED.map(async (path) => ({ path, text: await readText(path) })))),
  ];
}

function toFile(path: string, document: JsonObject): TextFile {
  return { path, text: `${JSON.stringify(document, null, 2)}\n` };
}

const LABEL_LENGTH_MAX = 64;

/** Names that file systems cannot distinguish are numbered. */
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

function toSource({ plugin, server_env }: ServerTools, label: string, tool: UsableTool): JsonObject {
  const { name, description, definition } = tool;
  const server = { name: plugin.name, [plugin.origin_field]: server_env };
  return {
    version: 1,
    label,
    ...present({ description: description || undefined }),
    interface: { ...server, [plugin.tool_list.tool_field]: name, ...toPin(definition) },
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
    ...present({ result_schema_ref: result_schema && { path: `./schemas/${stem}-result.json` } }),
  };
}

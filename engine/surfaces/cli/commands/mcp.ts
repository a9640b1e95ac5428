import type { Outcome } from '../../../contract/problem.js';
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import {
  findServer,
  listServerTools,
  type ServerTools,
  writeTools,
  type WrittenTools,
} from '../../../operations/mcp-tools/index.js';
import { pathOption, ROOT, type RootOptions, toPlace } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { serverToolLines, writtenToolLines } from '../render/mcp-tools.js';
import { answer, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

interface ToolsOptions extends RootOptions {
  readonly write?: string;
  readonly tool: readonly string[];
  readonly as: string;
}

export const mcp: readonly CommandEntry[] = [
  { name: 'mcp', says: 'MCP servers: list their tools.' },
  {
    name: 'mcp tools',
    says: "List an MCP server's tools, and write documents for them. Starts or asks the server.",
    takes: [
      new Argument('<server>', 'a variable CHUKWA_MCP_..., the file of a source, a URL, or a command in quotes'),
      pathOption('--write <dir>', 'write sources, schemas, and a small scenario with all tools into this folder'),
      new Option('--tool <name>', 'only this tool; may be repeated')
        .argParser((name: string, before: readonly string[]) => [...before, name])
        .default([], 'all'),
      new Option('--as <name>', 'the name of a server given by URL or command').default('server'),
      ROOT,
    ],
    run: show,
  },
];

async function show(session: Session, said: string, options: ToolsOptions): Promise<ExitCode> {
  const listed = await list(session, said, options);
  const folder = options.write;
  if (folder === undefined || !listed.ok)
    return answer(session, listed, { lines: (found) => serverToolLines(found, options.tool) });
  const written: Outcome<WrittenTools> = await writeTools(listed.value, options.tool, {
    folder: resolve(session.terminal.working_folder, folder),
    package_root: session.composition.package_root,
  });
  return answer(session, written, {
    lines: (value) => writtenToolLines(value, listed.value, session.terminal.working_folder),
  });
}

async function list(session: Session, said: string, options: ToolsOptions): Promise<Outcome<ServerTools>> {
  const { composition } = session;
  const wanted = await findServer(composition, said, { name: options.as, place: toPlace(session, options) });
  if (!wanted.ok) return wanted;
  return composition.withSources((sources) => listServerTools(sources, wanted.value), wanted.value.variables);
}

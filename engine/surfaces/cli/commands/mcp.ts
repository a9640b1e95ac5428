import type { Outcome } from '../../../contract/problem.js';
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import {
  diffPin,
  findServer,
  listServerTools,
  type ServerTools,
  writeTools,
  type WrittenTools,
} from '../../../operations/mcp-tools/index.js';
import { CONNECTION, pathOption, ROOT, type RootOptions, toPath, toPlace } from '../arguments.js';
import { serveParent } from '../../../operations/serving/serve.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { driftLines, serverToolLines, writtenToolLines } from '../render/mcp-tools.js';
import { toSentence } from '../render/worker.js';
import { answer, printRefused, refuseUsage, type Session } from '../session.js';
import { LEASE_MS, WORKER_DEFAULTS } from '../worker-task.js';
import type { CommandEntry } from './entry.js';

interface ToolsOptions extends RootOptions {
  readonly write?: string;
  readonly tool: readonly string[];
  readonly as: string;
  readonly connection?: string;
}

export const mcp: readonly CommandEntry[] = [
  {
    name: 'mcp',
    lives_long: true,
    says: 'Offer the records and the actions on them as MCP tools to the program that starts this; it runs the turns that are queued so.',
    takes: [
      new Option('--stdio', 'over standard input and output'),
      new Option('--operator', 'offer what is for operators as well'),
    ],
    run: serveAssistant,
  },
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
      CONNECTION,
      ROOT,
    ],
    run: show,
  },
  {
    name: 'mcp diff',
    says: "Show how a server's definition of a tool differs from the one that a source pins. Starts or asks the server.",
    takes: [
      new Argument('<source>', 'the file of a source of an MCP tool, or the hash of a stored one').argParser(toPath),
      new Option('--write', 'pin what the server serves, in that file'),
      CONNECTION,
      ROOT,
    ],
    run: showDrift,
  },
];

/** Standard output is the protocol's: events of the worker go to the log alone. */
async function serveAssistant(
  session: Session,
  { stdio, operator }: { readonly stdio?: true; readonly operator?: true },
): Promise<ExitCode> {
  const { composition, terminal } = session;
  if (stdio !== true) return refuseUsage(session, 'This serves standard input and output only.', 'Write --stdio.');
  const { concurrency, grace, maxRetries } = WORKER_DEFAULTS;
  const served = await untilStopped(terminal, (signal) =>
    serveParent(composition, {
      reader: operator === true ? 'operator' : 'consumer',
      concurrency,
      grace_ms: grace * 1000,
      turn_retries: maxRetries,
      lease_ms: LEASE_MS,
      signal,
      onEvent: (event) => composition.log?.('info', toSentence(event), event),
    }),
  );
  return served.ok ? EXIT.done : printRefused({ ...session, as_json: false }, served);
}

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

async function showDrift(
  session: Session,
  source: string,
  options: RootOptions & { readonly write?: true; readonly connection?: string },
): Promise<ExitCode> {
  const { connection, write = false } = options;
  const asked = { place: toPlace(session, options), connection, write };
  return answer(session, await diffPin(session.composition, source, asked), {
    lines: (drift) => driftLines(drift, source),
  });
}

async function list(session: Session, said: string, options: ToolsOptions): Promise<Outcome<ServerTools>> {
  const { composition } = session;
  const wanted = await findServer(composition, said, { name: options.as, place: toPlace(session, options) });
  if (!wanted.ok) return wanted;
  return composition.withSources((sources) => listServerTools(sources, wanted.value, options.connection), wanted.value);
}

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import type { Output, Terminal } from '../../engine/surfaces/cli/terminal.js';
import { composeHere } from '../acceptance/command.js';

/** The words that a reader of a page has typed. */
interface Typed {
  readonly words: readonly string[];
  readonly working_folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Something that a command printed, or the code with which it ended. */
type Printed = { readonly out: string } | { readonly error: string } | { readonly code: number };

/** An `npx` whose `chukwa` runs within this process. */
export interface NpxHere {
  /** The folder to put first in the search path. */
  readonly bin: string;
  close(): void;
}

/**
 * Makes an `npx` for a shell that follows a page. Plugins' code is loaded once in a process: pages that edit it need
 * processes of their own.
 * @param folder its place, with the socket that it calls
 */
export async function openNpxHere(folder: string): Promise<NpxHere> {
  const [bin, socket] = [join(folder, 'bin'), join(folder, 'npx.socket')];
  const client = fileURLToPath(new URL('npx-here.mjs', import.meta.url));
  await mkdir(bin);
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nexec "${process.execPath}" "${client}" "${socket}" "$@"\n`);
  await chmod(join(bin, 'npx'), 0o755);
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return { bin, close: () => void server.close() };
}

/** Performs the command that the first line names, and interrupts it at each further line. */
function answer(connection: Socket): void {
  const print = (printed: Printed): void => void connection.write(`${JSON.stringify(printed)}\n`);
  const listeners = new Set<() => void>();
  createInterface({ input: connection }).once('line', (first) => {
    const typed = JSON.parse(first) as Typed;
    void perform(typed, toTerminal(typed, print, listeners)).then((code) => print({ code }));
    connection.on('data', () => listeners.forEach((listener) => listener()));
  });
}

async function perform({ words, variables }: Typed, terminal: Terminal): Promise<number> {
  return runCommandLine(await composeHere(variables), words, terminal);
}

/** A pipe that is 400 columns wide. */
function toTerminal(
  { working_folder }: Typed,
  print: (printed: Printed) => void,
  listeners: Set<() => void>,
): Terminal {
  const toOutput = (write: Output['write']): Output => ({
    write,
    is_terminal: false,
    is_live: false,
    columns: 400,
    program: 'npx chukwa',
  });
  return {
    out: toOutput((out) => print({ out })),
    error: toOutput((error) => print({ error })),
    working_folder,
    process: { hostname: 'here', pid: 1 },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leave: (code) => print({ code }),
  };
}

import type { Outcome } from '../../../contract/problem.js';
import { present } from '../../../contract/present.js';
import { once } from 'node:events';
import { findScript, startStage } from '../../../operations/running/stage.js';
import type { Stage } from '../../../operations/composition.js';
import { wholeOption } from '../arguments.js';
import { EXIT } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { scriptOption } from '../model-choice.js';
import { line, type Lines, verbatim } from '../render/line.js';
import { answer, printLines, type Session } from '../session.js';
import { toShell } from '../shell.js';
import type { CommandEntry } from './entry.js';

interface ToysOptions {
  readonly script?: string;
  readonly portBase?: number;
}

const PORT_BASE_MAX = 65_500;

export const toys: CommandEntry = {
  name: 'toys',
  says: 'Run the toy services, and the scripted model, by themselves until Ctrl-C.',
  takes: [
    scriptOption('start the scripted model too, with these answers'),
    wholeOption('--port-base <n>', 'listen on this port and those after it, so that the variables stay valid', [
      1,
      PORT_BASE_MAX,
    ]),
  ],
  run(session, options: ToysOptions) {
    return untilStopped(session.terminal, async (signal) => {
      const stage = await start(session, options);
      const code = answer(session, stage, { json: ({ variables }) => ({ variables }), lines: exportLines });
      if (!stage.ok) return code;
      const running = 'Running until Ctrl-C. Paste the lines above into the shell that runs worlds.';
      printLines(session.terminal.error, line(running));
      if (!signal.aborted) await once(signal, 'abort');
      await stage.value.close();
      // Ctrl-C is the expected end.
      return EXIT.done;
    });
  },
};

async function start({ composition, terminal }: Session, { script, portBase }: ToysOptions): Promise<Outcome<Stage>> {
  const wanted = present({ with_toys: true, port_base: portBase });
  if (script === undefined) return startStage(composition, wanted);
  const file = await findScript(composition, terminal.working_folder, script);
  return file.ok ? startStage(composition, { ...wanted, answers_file: file.value }) : file;
}

function exportLines({ variables }: Stage): Lines {
  return Object.entries(variables).map(([name, value]) => verbatim(`export ${name}=${toShell([value])}`));
}

import { Argument, Option } from 'commander';
import { probeWorld, type ProbeReport } from '../../../operations/worlds/probe-world.js';
import { listOption, pathOption, ROOT, type RootOptions, toPlace, toWorldPlace } from '../arguments.js';
import { EXIT } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { chooseModel, MODEL, type ModelOptions, scriptOption, TOYS } from '../model-choice.js';
import { command, hanging, line, type Lines } from '../render/line.js';
import { tableLines } from '../render/table.js';
import { answer, printRefused } from '../session.js';
import type { CommandEntry } from './entry.js';

interface ProbeOptions extends ModelOptions, RootOptions {
  readonly ask: string;
  readonly subject?: readonly string[];
  readonly toys?: boolean;
}

export const probe: CommandEntry = {
  name: 'probe',
  lives_long: true,
  says: 'Ask agents questions as they are at a turn of a world, which does not change.',
  takes: [
    new Argument('<slug@n>', 'SLUG@N, a world and one of its turns; SLUG, as it is now'),
    pathOption('--ask <file>', 'the probe: its questions, and the agents that are asked').makeOptionMandatory(),
    listOption('--subject', 'ask these agents only; ids between commas'),
    new Option('--llm <which>', 'the model: scripted, or that of the sources by the environment').choices([
      'scripted',
      'env',
    ]),
    MODEL,
    scriptOption(),
    TOYS,
    ROOT,
  ],
  async run(session, named: string, options: ProbeOptions) {
    const { subject: subjects, toys, ask: file } = options;
    const choice = await chooseModel(session, options);
    if (!choice.ok) return printRefused(session, choice);
    const probed = await untilStopped(session.terminal, (signal) =>
      probeWorld(session.composition, {
        ...toWorldPlace(named),
        ...choice.value.asked,
        ask: file,
        place: toPlace(session, options),
        subjects,
        with_toys: toys === true,
        signal,
        onProgress: () => undefined,
      }),
    );
    const code = answer(session, probed, { lines: probeLines });
    return probed.ok && probed.value.status !== 'committed' ? EXIT.attempt_failed : code;
  },
};

function probeLines({ answers, failure_class, failure_message, ...probed }: ProbeReport): Lines {
  const { probe: label, world_slug, turn, fork_slug, attempt_id } = probed;
  return [
    line(`${label}, asked of ${world_slug} at turn ${turn}:`),
    tableLines(answers, {
      subject: ({ subject_id }) => subject_id,
      question: ({ question_id }) => question_id,
      answer: ({ answer: given, llm_call_id }) =>
        given === null && llm_call_id === null ? '' : typeof given === 'string' ? given : JSON.stringify(given),
      tries: ({ tries }) => tries,
      'tokens in': ({ input_tokens }) => input_tokens,
      'tokens out': ({ output_tokens }) => output_tokens,
    }),
    failure_class !== null && hanging(2, `It failed as ${failure_class}: ${failure_message}`),
    hanging(2, `The record is in the fork ${fork_slug}: `, command('attempt', attempt_id)),
  ];
}

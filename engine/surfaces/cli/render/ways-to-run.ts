import { command, type Command, commandLines, type Lines } from './line.js';

/**
 * The commands that run a world, one for each that may answer. The record keeps no options of a run, so a person who
 * goes on with it chooses the one of before.
 */
export function waysToRun(world_slug: string): Lines {
  const run = ['run', world_slug];
  return commandLines('  ', [[command(...run), 'asks the models of its sources'], ...toStandIns(run)]);
}

/** The ways to run a world without a model. @param run the words of the command */
export function toStandIns(run: readonly string[]): readonly Command[] {
  return [
    [command(...run, '--llm', 'scripted', '--script', 'FILE'), 'answers from a script'],
    [command(...run, '--llm', 'ask'), 'asks you, at this terminal'],
  ];
}

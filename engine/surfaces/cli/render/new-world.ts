import type { NewWorld } from '../../../operations/authoring/new-world.js';
import { place } from './plugins.js';
import { command, EMPTY, line, type Lines, type Span, strong, verbatim } from './line.js';

/** The files that were written, and the next commands: first without a model, then with one. */
export function newWorldLines({ name, shape, folder, files }: NewWorld, workingFolder: string): Lines {
  const where = place(workingFolder, folder);
  const services = [`  export CHUKWA_HARBOUR_URL=http://127.0.0.1:4870`, `  node ${where}/services.mjs &`];
  return [
    line('Wrote the world ', strong(name), ` in ${where}:`),
    files.map((file) => verbatim(`  ${where}/${file}`)),
    EMPTY,
    line('It runs as it is, with a model that answers from a script:'),
    verbatim('  ', command('validate', where)),
    verbatim('  ', command('test', where)),
    (shape === 'place' ? services : []).map((text) => verbatim(text)),
    verbatim('  ', command('world', 'create', name, '--scenario', `${where}/scenario.json`)),
    verbatim('  ', command('run', name, '--turns', '3', '--llm', 'scripted', '--script', `${where}/answers.json`)),
    verbatim('  ', record(name, where, 'played.test.json')),
    line('The last command makes a test of the played turns, with a model or without.'),
    EMPTY,
    line('With a model of your own, such as one that Ollama serves:'),
    verbatim('  export CHUKWA_LLM_BASE_URL=http://127.0.0.1:11434/v1'),
    verbatim('  export CHUKWA_LLM_MODEL=qwen3:8b'),
    verbatim('  ', command('model', 'try', `${where}/model.json`)),
    verbatim('  ', command('world', 'create', `${name}-2`, '--scenario', `${where}/scenario.json`)),
    verbatim('  ', command('run', `${name}-2`, '--turns', '3')),
    EMPTY,
    line(
      `${where}/scenario.json holds the cast, and the .md files hold the prompts. Answers and test name ` +
        'the cast by id. With a cast of your own, remove both, and record a test of your own turns:',
    ),
    verbatim(`  rm ${where}/answers.json ${where}/world.test.json`),
    verbatim('  ', command('world', 'create', `${name}-3`, '--scenario', `${where}/scenario.json`)),
    verbatim('  ', command('run', `${name}-3`, '--turns', '3')),
    verbatim('  ', record(`${name}-3`, where, 'world.test.json')),
  ];
}

function record(world: string, where: string, file: string): Span {
  const written = ['--scenario', `${where}/scenario.json`, '--out', `${where}/${file}`];
  return command('record', `${world}@1`, '--turns', '3', ...written);
}

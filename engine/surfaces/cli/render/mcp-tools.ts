import { relative } from 'node:path';
import type { ServerTool, ServerTools, WrittenTools } from '../../../operations/mcp-tools/index.js';
import { bad, EMPTY, faint, hanging, type Line, line, strong, verbatim } from './line.js';
import { neutralise } from './neutralise.js';
import { count } from './words.js';

const DESCRIPTION_LENGTH_MAX = 300;

/** The tools of a server, each with what the server says of it; all of them where none are chosen. */
export function serverToolLines({ server_env, tools }: ServerTools, chosen: readonly string[]): readonly Line[] {
  const shown = tools.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  return [
    line(strong(count(shown.length, 'tool')), ` of the server that ${server_env} names, in its own words:`),
    ...shown.flatMap(toolLines),
  ];
}

function toolLines({
  name,
  description,
  is_read_only,
  is_destructive,
  required,
  unusable,
}: ServerTool): readonly Line[] {
  const hints = [
    ...(is_read_only === null ? [] : [is_read_only ? 'reads only' : 'changes something']),
    ...(is_destructive === null || is_read_only === true ? [] : [is_destructive ? 'destructive' : 'not destructive']),
  ];
  const needs = required.length === 0 ? 'needs no arguments' : `needs ${required.map(neutralise).join(', ')}`;
  const text = neutralise(description);
  const cut = text.length > DESCRIPTION_LENGTH_MAX ? `${text.slice(0, DESCRIPTION_LENGTH_MAX)}…` : text;
  return [
    EMPTY,
    line(strong(neutralise(name)), faint(`  ${[...hints, needs].join('; ')}`)),
    ...(cut === '' ? [] : [hanging(2, `  ${cut}`)]),
    ...(unusable === undefined ? [] : [hanging(2, '  ', bad('cannot be written'), `: ${neutralise(unusable)}`)]),
  ];
}

/** What was written, and what to do next. */
export function writtenToolLines(
  { folder, files, left_out }: WrittenTools,
  server_env: string,
  workingFolder: string,
): readonly Line[] {
  const where = relative(workingFolder, folder) || '.';
  return [
    line(`Wrote ${count(files.length, 'file')} into ${where}:`),
    ...files.map((file) => verbatim(`  ${file}`)),
    ...left_out.map(({ name, unusable }) => hanging(2, `Left out ${neutralise(name)}: ${neutralise(unusable ?? '')}`)),
    EMPTY,
    line('Descriptions and effects are what the server says of itself: read each of them, and mend what is not so.'),
    line(`Set ${server_env} where the program runs. Then:`),
    verbatim(`  npx chukwa validate ${where}`),
  ];
}

import { relative } from 'node:path';
import type { Json } from '../../../contract/json.js';
import type {
  PinDrift,
  ServerTool,
  ServerTools,
  UsableTool,
  WrittenTools,
} from '../../../operations/mcp-tools/index.js';
import { bad, command, EMPTY, faint, hanging, line, type Lines, strong, verbatim } from './line.js';
import { neutralise } from './neutralise.js';
import { count } from '../../../catalogue/words.js';

const DESCRIPTION_LENGTH_MAX = 300;

/** The tools of a server, each with what the server says of it; all of them where none are chosen. */
export function serverToolLines(listed: ServerTools, chosen: readonly string[]): Lines {
  const { server_env, tools, is_cut, is_given } = listed;
  const shown = tools.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  return [
    line(
      strong(count(shown.length, 'tool')),
      ` of the server${is_given ? '' : ` that ${server_env} names`}, in its own words:`,
    ),
    shown.flatMap(toolLines),
    cutLines(is_cut),
  ];
}

function cutLines(is_cut: boolean): Lines {
  return is_cut ? [EMPTY, line('The server lists more tools, on more pages than are read.')] : [];
}

function toolLines(tool: ServerTool | UsableTool): Lines {
  const { name, description, is_read_only, is_destructive, required, unusable } = tool;
  const { unchecked, dropped = [] } = tool as Partial<UsableTool>;
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
    cut !== '' && hanging(2, `  ${cut}`),
    unusable !== undefined && hanging(2, '  ', bad('cannot be written'), `: ${neutralise(unusable)}`),
    dropped.length > 0 && hanging(2, `  The server alone checks ${neutralise(dropped.join(', '))}.`),
    unchecked !== undefined &&
      hanging(2, '  ', bad('its results are not checked'), `: their schema cannot be used: ${neutralise(unchecked)}`),
  ];
}

export function writtenToolLines(
  { folder, files, left_out, not_allowed }: WrittenTools,
  { server_env, server, is_cut, is_given }: ServerTools,
  workingFolder: string,
): Lines {
  const where = relative(workingFolder, folder) || '.';
  const slug = server.replaceAll('_', '-').replace(/^-+|-+$/g, '') || 'tools';
  return [
    line(`Wrote ${count(files.length, 'file')} into ${where}:`),
    files.map((file) => verbatim(`  ${file}`)),
    left_out.map(({ name, unusable }) => hanging(2, `Left out ${neutralise(name)}: ${neutralise(unusable ?? '')}`)),
    EMPTY,
    line('Descriptions and effects are claims of the server: read each of them, and correct what is wrong.'),
    not_allowed.length > 0 &&
      line(
        `No model is offered ${not_allowed.map(neutralise).join(', ')}, which may change something: to allow a tool, add it to "allow" of ${where}/policy.json, or name it by --tool.`,
      ),
    cutLines(is_cut),
    line(
      `Set ${server_env} ${is_given ? 'to the URL or command that you gave here, ' : ''}where the program runs, and what the model of ${where}/sources/chat.json needs. Then:`,
    ),
    verbatim('  ', command('validate', where)),
    verbatim('  ', command('world', 'create', slug, '--scenario', `${where}/scenario.json`)),
    verbatim('  ', command('run', slug)),
  ];
}

/** What a server has changed in the definition of a tool, place by place. */
export function driftLines(
  { server_env, tool_name, pin, served, differences, is_written }: PinDrift,
  source: string,
): Lines {
  const tool = [strong(tool_name), ` of the server that ${server_env} names`];
  if (served === null) return [line(...tool, ' is not there: the server lists no such tool.')];
  if (pin === served) return [line(...tool, ' is defined as it is pinned.')];
  if (is_written) return [line(...tool, ` is now pinned as the server defines it, in ${source}.`)];
  const repair = line(
    'Read it, correct the workflow that binds it, and pin it: ',
    command('mcp', 'diff', source, '--write'),
  );
  if (pin === null) return [line(...tool, ' is not pinned.'), repair];
  const show = (value: Json | undefined) => (value === undefined ? 'nothing' : neutralise(JSON.stringify(value)));
  return [
    line(...tool, ' is defined otherwise than it is pinned:'),
    differences.map(({ pointer, pinned, served: now }) => [
      EMPTY,
      line(strong(neutralise(pointer))),
      hanging(2, `  pinned: ${show(pinned)}`),
      hanging(2, `  served: ${show(now)}`),
    ]),
    EMPTY,
    repair,
  ];
}

import { dirname, relative } from 'node:path';
import { unreachable } from '../../../contract/unreachable.js';
import type {
  Check,
  ConformanceReport,
  CreatedPlugin,
  PluginList,
  TrustedPlugin,
} from '../../../operations/plugins/index.js';
import {
  bad,
  command,
  EMPTY,
  faint,
  good,
  hanging,
  type Line,
  line,
  type Lines,
  type Span,
  strong,
  verbatim,
} from './line.js';
import { tableLines } from './table.js';
import { count } from '../../../catalogue/words.js';

export function pluginLines(plugins: PluginList['plugins'], workingFolder: string): Lines {
  return tableLines(plugins, {
    plugin: ({ name }) => name,
    speaks: ({ speaks }) => speaks,
    version: ({ version }) => version,
    folder: ({ folder }) => place(workingFolder, folder),
  });
}

export function createdLines({ name, folder, files }: CreatedPlugin, workingFolder: string): Lines {
  const where = place(workingFolder, folder);
  return [
    line('Made the plugin ', strong(name), ` in ${where}:`),
    files.map((file) => verbatim(`  ${where}/${file}`)),
    EMPTY,
    line('It works as it is. Next:'),
    verbatim('  ', command('plugin', 'test', where)),
    verbatim(`  (cd ${where} && node --test)`),
    line(`Its code runs in no turn yet. While you write it: export CHUKWA_PLUGIN_PATH=${dirname(folder)}`),
    line(`Then change request.js and answer.js to speak to your service; ${where}/README.md says what each file is.`),
  ];
}

export function trustedLines({ name, folder, digest }: TrustedPlugin): Lines {
  return [
    line('The plugin ', strong(name), ` in ${folder} may run as it is now (sha256 ${digest}).`),
    line('When a file of it changes, it has to be trusted again.'),
  ];
}

const WIDTH = 7;

/** Each rule in a line; beneath those that failed, the fault and the repair. */
export function conformanceLines(report: ConformanceReport, workingFolder: string): Lines {
  const { plugin, folder, checks } = report;
  return [
    line('plugin ', strong(plugin ?? 'without a name'), `  ${place(workingFolder, folder)}`),
    checks.flatMap(checkLines),
    EMPTY,
    line(report.ok ? good(summarise(checks)) : bad(summarise(checks))),
  ];
}

function checkLines(check: Check): Lines {
  const status = check.status === 'skipped' && !check.applies ? faint('-'.padEnd(WIDTH)) : toSpan(check.status);
  const first = hanging(WIDTH + 2, status, `  ${check.sentence}`, faint(`  (${check.rule})`));
  const more = (text: string): Line => hanging(WIDTH + 4, faint(`${' '.repeat(WIDTH + 2)}${text}`));
  switch (check.status) {
    case 'passed':
      return [first];
    case 'skipped':
      return [first, more(`${check.applies ? 'not looked at' : 'does not apply'}: ${check.reason}`)];
    case 'failed':
      return [first, check.complaints.map(more), more(`what to do: ${check.repair}`)];
    default:
      return unreachable(check);
  }
}

function toSpan(status: Check['status']): Span {
  const text = status.padEnd(WIDTH);
  if (status === 'passed') return good(text);
  return status === 'failed' ? bad(text) : faint(text);
}

function summarise(checks: readonly Check[]): string {
  const having = (isMeant: (check: Check) => boolean): number => checks.filter(isMeant).length;
  const others = [
    [having((check) => check.status === 'skipped' && !check.applies), 'without a use here'],
    [having((check) => check.status === 'skipped' && check.applies), 'not looked at'],
  ] as const;
  const rest = others.flatMap(([number, what]) => (number === 0 ? [] : [`, ${number} ${what}`]));
  const kept = having(({ status }) => status === 'passed');
  return `${count(kept, 'rule')} kept, ${having(({ status }) => status === 'failed')} broken${rest.join('')}`;
}

/** A folder as people are shown it: relative where it is below the working folder. */
export function place(workingFolder: string, folder: string): string {
  const path = relative(workingFolder, folder);
  return path === '' ? '.' : path.startsWith('..') ? folder : path;
}

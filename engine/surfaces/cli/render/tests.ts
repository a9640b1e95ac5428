import type { Json } from '../../../contract/json.js';
import { unreachable } from '../../../contract/unreachable.js';
import type { TestChange, TestComplaint, TestReport, TestResult } from '../../../operations/workflow-tests/index.js';
import { advice, bad, command, EMPTY, faint, good, hanging, line, type Lines, verbatim } from './line.js';
import { findingLines, sayPlace } from './problems.js';
import { count } from '../../../catalogue/words.js';

const MARKS = { passed: good('passed'), failed: bad('failed'), broken: bad('broken') } as const;

/** One test in a line; beneath it what differs, with both sides. */
export function testLines(result: TestResult): Lines {
  const { file, label, status, turns, calls, rejected_answers, rejections, complaints, findings, unused_answers } =
    result;
  const { changes = [], kept_answers = [] } = result;
  const lacking = result.changes === undefined ? complaints.filter(({ code }) => code === 'ANSWER_MISSING') : [];
  const rejected = rejected_answers === 0 ? '' : `, ${count(rejected_answers, 'rejected answer')}`;
  const size = status === 'broken' ? '' : `  ${count(turns, 'turn')}, ${count(calls, 'call')}${rejected}`;
  return [
    verbatim(MARKS[status], `  ${file}${label === '' ? '' : `  ${label}`}`, faint(size)),
    changes.flatMap(changeLines),
    kept_answers.map(({ turn, key }) =>
      hanging(8, `      kept      the answer of turn ${turn}, ${key}: no call can ask for it (--drop removes it)`),
    ),
    complaints.flatMap(complaintLines),
    lacking.length > 1 &&
      verbatim(faint(`    or have all ${lacking.length} made up: `), command('test', file, '--update')),
    (status === 'failed' && complaints.every(({ code }) => code !== 'ANSWER_MISFIT') ? rejections : []).map(
      ({ turn, key, detail, message }) =>
        verbatim(faint(`        turn ${turn}, ${key} was rejected (${detail}): ${message}`)),
    ),
    findingLines(findings),
    (status === 'passed' ? unused_answers : []).map(({ turn, key }) =>
      verbatim(faint(`        no call used the answer of turn ${turn}, ${key}`)),
    ),
  ];
}

function changeLines(change: TestChange): Lines {
  switch (change.kind) {
    case 'added':
      return hanging(8, `      added     an answer of turn ${change.turn}, ${change.key}, made up: write a better one`);
    case 'moved':
      return hanging(8, `      moved     the answer of turn ${change.turn}, ${change.key}, to ${change.to}`);
    case 'dropped':
      return hanging(8, `      dropped   the answer of turn ${change.turn}, ${change.key}`);
    case 'expected':
      return [
        hanging(8, `      expected  another value now${sayPlace(change.pointer)}`),
        sideLines('- before  ', change.before),
        sideLines('+ now     ', change.after),
      ];
    default:
      return unreachable(change);
  }
}

export function summaryLines({ ok, passed, failed, broken }: TestReport): Lines {
  const others = [...(failed === 0 ? [] : [`${failed} failed`]), ...(broken === 0 ? [] : [`${broken} broken`])];
  const text = [`${count(passed, 'test')} passed`, ...others].join(', ');
  return [EMPTY, line(ok ? good(text) : bad(text))];
}

function complaintLines(complaint: TestComplaint): Lines {
  const { file, line: row, column, pointer, message, repair, expected, actual } = complaint;
  return [
    verbatim(`  ${file}:${row}:${column}  `, bad(message), faint(sayPlace(pointer))),
    expected !== undefined && sideLines('- expected  ', expected),
    actual !== undefined && sideLines('+ actual    ', shorten(actual, expected)),
    repair !== undefined && hanging(6, ...advice(faint(`    what to do: ${repair}`))),
  ];
}

const INDENT = 4;
const LINES_MAX = 40;
const TEXT_LENGTH_MAX = 400;

/** Shortens a long text, such as a prompt, to its end or to the part around a quote; `--json` has all of it. */
function shorten(value: Json, sought: Json | undefined): Json {
  if (typeof value !== 'string' || value.length <= TEXT_LENGTH_MAX) return value;
  const found = typeof sought === 'string' ? value.indexOf(sought) : -1;
  const from = found < 0 ? value.length - TEXT_LENGTH_MAX : Math.max(0, found - TEXT_LENGTH_MAX / 2);
  const part = value.slice(from, from + TEXT_LENGTH_MAX);
  return `${from === 0 ? '' : '... '}${part}${from + part.length < value.length ? ' ...' : ''}`;
}

function sideLines(sign: string, value: Json): Lines {
  const short = JSON.stringify(value);
  const text = short.length > 90 && typeof value === 'object' ? JSON.stringify(value, null, 2) : short;
  const rows = text.split('\n');
  const shown = rows.slice(0, LINES_MAX).map((row, index) => {
    const head = index === 0 ? sign : ' '.repeat(sign.length);
    return hanging(INDENT + sign.length + 2, `${' '.repeat(INDENT)}${head}${row}`);
  });
  const left = rows.length - shown.length;
  return left === 0
    ? shown
    : [...shown, line(faint(`${' '.repeat(INDENT + sign.length)}... ${count(left, 'line')} more`))];
}

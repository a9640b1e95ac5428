import type { DryRunSummary, InvocationReport, RunReport, TurnReport } from '../../../operations/running/run-turns.js';
import type { EditedScenario } from '../../../operations/authoring/edited-files.js';
import type { ScenarioNews } from '../../../operations/running/run-world.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import { awaitedLines } from './open-call.js';
import {
  command,
  type Command,
  commandLines,
  EMPTY,
  faint,
  hanging,
  line,
  type Lines,
  strong,
  verbatim,
} from './line.js';
import type { Rerun, Story } from './story.js';
import { adoptedLine } from './queue.js';
import { tableLines } from './table.js';
import { toStandIns } from './ways-to-run.js';
import { count } from '../../../catalogue/words.js';

/** The head of a run: world, model, turns. */
export interface RunTitle {
  readonly world: Pick<WorldSnapshot, 'world_slug' | 'scenario_label'>;
  /** Such as `scripted (park)`. */
  readonly model: string;
  /** A script, a person or written answers answer in place of a model. */
  readonly has_stand_in: boolean;
  readonly turns: number;
  readonly database: { readonly description: string; readonly is_kept: boolean };
  /** With paths as a person would write them. */
  readonly news?: ScenarioNews;
  readonly rerun: Rerun;
}

export function titleLines({ world, model, turns, database, news = {}, rerun }: RunTitle): Lines {
  return [
    line(
      strong(`world ${world.world_slug}`),
      `  scenario ${world.scenario_label} · model ${model} · ${count(turns, 'turn')}`,
    ),
    line(faint(`database: ${database.description}`)),
    news.adopted_from_turn !== undefined && [EMPTY, adoptedLine(news.adopted_from_turn)],
    news.edited !== undefined && [EMPTY, editedLines(rerun, news.edited)],
  ];
}

function editedLines({ run }: Rerun, { files, scenario, root }: EditedScenario): Lines {
  const isOne = files.length === 1;
  const has = isOne ? 'This file has' : 'These files have';
  const within = root === undefined ? [] : ['--root', root];
  return [
    line(`${has} changed since, and the world keeps its own copy:`),
    files.map((file) => verbatim('  ', file)),
    verbatim(`To adopt what ${isOne ? 'it says' : 'they say'}: `, command(...run, '--scenario', scenario, ...within)),
  ];
}

/** The foot of a run: a line a turn, and where to look further. */
export function endingLines(report: RunReport, story: Story): Lines {
  const last = report.turns.at(-1);
  if (last === undefined) return [EMPTY, line(`No turn of ${report.world} was tried.`)];
  const { awaited = [], unapproved = [], dry_run } = report;
  const { rerun } = story;
  return [
    EMPTY,
    tallyLines(report.turns, story.turns),
    EMPTY,
    awaited.length + unapproved.length > 0 && [
      awaitedLines(last.attempt_id, { awaited, unapproved }),
      hanging(2, 'Then ', command(...rerun.run), ' resumes it, and so does a running worker or serve.'),
      EMPTY,
    ],
    dry_run !== undefined
      ? dryLines(report, dry_run, rerun)
      : story.is_kept
        ? furtherLines(report, story)
        : [line('The database was in memory: the records of this run are lost.')],
  ];
}

/** A turn that was suspended throughout has a report, but no tally. */
function tallyLines(turns: readonly TurnReport[], narrated: Story['turns']): Lines {
  return tableLines(turns, {
    turn: ({ attempted_turn }) => attempted_turn,
    status: ({ status }) => status,
    patches: ({ patches }) => patches.length,
    calls: ({ invocations }) => invocations.filter(({ adopted_from }) => adopted_from === null).length,
    tokens: ({ attempt_id }) => narrated.find((tally) => tally.attempt_id === attempt_id)?.tokens ?? null,
    attempt: ({ attempt_id }) => attempt_id,
  });
}

function dryLines(
  { world, turns }: RunReport,
  { from_turn, unused_answers, missing_answers, written_answers }: DryRunSummary,
  rerun: Rerun,
): Lines {
  // A turn that failed asked for nothing after its end.
  const needless = turns.at(-1)?.status === 'committed' ? unused_answers : [];
  const unused = needless.map(({ turn, key }) => verbatim('  ', `turn ${turn}  ${key}`));
  return [
    unused.length > 0 && [line(`${count(unused.length, 'answer')} that nothing asked for:`), unused, EMPTY],
    written_answers !== undefined && [
      line(`${count(written_answers, 'answer')} made up and written. Replace them by better ones, and try them:`),
      verbatim('  ', command(...rerun.run)),
    ],
    missing_answers.length > 0 && [
      line(`${count(missing_answers.length, 'answer')} missing, named below. To write a file with made-up ones:`),
      verbatim('  ', command(...rerun.run, '--write-missing', 'FILE')),
    ],
    line(`This was a dry run: it made no call, and the world ${world} stays at turn ${from_turn}.`),
  ];
}

function furtherLines(report: RunReport, story: Story): Lines {
  const turn = report.turns.at(-1);
  return [
    turn?.failure_class === 'budget_exhausted'
      ? [budgetLines(report, story), EMPTY]
      : turn?.is_transient === true && [retryLines(report, turn, story), EMPTY],
    turn?.failure_class === 'generation_attempts_exhausted' && [
      hanging(
        2,
        'The model gave no usable answer in the tries that max_generation_attempts allows; --retries is for failures in transport alone. The next run tries the turn again, and repeats no side effect:',
      ),
      verbatim('  ', command(...story.rerun.run)),
      EMPTY,
    ],
    turn?.failure_class === 'escalated' && [
      hanging(
        2,
        'A gate leaves the answer to a person, who may edit the scenario. The next run asks the models again:',
      ),
      verbatim('  ', command(...story.rerun.run)),
      EMPTY,
    ],
    turn !== undefined &&
      isModelMissing(turn) && [
        line('Without that model:'),
        commandLines('  ', toStandIns(story.rerun.without_model)),
        EMPTY,
      ],
    line('Look further:'),
    commandLines('  ', [
      ...(turn === undefined ? [] : toCommands(turn)),
      [command('world', 'show', report.world), 'the world as it is now'],
      ...(report.turns.some(({ attempted_turn, status }) => attempted_turn > 1 || status === 'committed')
        ? [[command('world', 'story', report.world), 'its turns as prose'] as const]
        : []),
    ]),
  ];
}

function retryLines(
  { turns }: RunReport,
  { attempted_turn, failed_source_invocation_id }: TurnReport,
  story: Story,
): Lines {
  const { rerun, failed_calls } = story;
  const retries = turns.filter((turn) => turn.attempted_turn === attempted_turn).length - 1;
  const times = retries === 0 ? 5 : retries;
  const tries: Command = [
    command(...rerun.run, '--retries', String(times)),
    `tries the turn again, ${count(times, 'time')} at most`,
  ];
  const commands = commandLines('  ', [tries]);
  if (retries > 0)
    return [
      line(`This failure outlasted ${count(retries, 'retry', 'retries')}. When the service answers again, continue:`),
      commands,
    ];
  if (failed_calls.get(failed_source_invocation_id ?? '')?.has_retry === true)
    return [line('This failure is transient. A run can retry the turn:'), commands];
  return [
    line('This failure is transient. A run can retry its turn, and a source its call:'),
    commands,
    verbatim(
      '  "retry": {"max": 3, "on": ["timeout", "transport", "http_429", "http_5xx"]}',
      '  in the file of a source retries its calls',
    ),
  ];
}

function budgetLines({ world }: RunReport, { rerun }: Story): Lines {
  return [
    line('What the turn has used stays on record. Once its budget has more left, continue:'),
    commandLines('  ', [
      [command(...rerun.run), 'tries the turn again'],
      [command('cost', world), 'what the world has used'],
    ]),
  ];
}

/** The endpoint lacks the model of a call, or the call as it is set up does not reach it. */
function isModelMissing(turn: TurnReport): boolean {
  const { llm_call_id = null, failure_class } = findFatal(turn) ?? {};
  return llm_call_id !== null && (failure_class === 'unavailable' || failure_class === 'call_rejected');
}

function findFatal({ invocations, failed_source_invocation_id }: TurnReport): InvocationReport | undefined {
  return invocations.find(({ source_invocation_id }) => source_invocation_id === failed_source_invocation_id);
}

function toCommands(turn: TurnReport): readonly Command[] {
  const { attempt_id, attempted_turn, invocations } = turn;
  const fatal = findFatal(turn);
  return [
    [command('attempt', attempt_id), `all of turn ${attempted_turn}`],
    ...(fatal === undefined
      ? [...toGeneration(invocations.findLast(isEndedGeneration)), ...toCall(findNotable(invocations), 'the call of')]
      : [...toCall(fatal, 'the call that ended it:'), ...toGeneration(fatal)]),
  ];
}

function isEndedGeneration({ invocation_kind, status }: InvocationReport): boolean {
  return invocation_kind === 'llm_generation' && (status === 'failed' || status === 'succeeded');
}

/** The most telling call: a failed one, else one that a model elected, else an ambient one. */
function findNotable(invocations: readonly InvocationReport[]): InvocationReport | undefined {
  return (
    invocations.find(({ status, llm_call_id }) => status === 'failed' && llm_call_id === null) ??
    invocations.findLast(({ invocation_kind }) => invocation_kind === 'model_elected_tool') ??
    invocations.findLast(({ invocation_kind }) => invocation_kind === 'ambient_context')
  );
}

function toCall(call: InvocationReport | undefined, title: string): readonly Command[] {
  if (call === undefined) return [];
  const { workflow_subject_entity_id: subject, workflow_node_id: node } = call;
  const place = [subject, node].filter((name) => name !== null).join(', ');
  const asked = call.tool_name ?? call.ambient_source_id ?? place;
  return [[command('invocation', call.source_invocation_id), `${title} ${asked}`]];
}

function toGeneration(call: InvocationReport | undefined): readonly Command[] {
  if (call === undefined || call.llm_call_id === null) return [];
  const who = call.invocation_kind === 'quality_gate' ? 'gate' : 'model';
  const why = `the prompt and the answer of the ${who} of ${call.workflow_subject_entity_id}`;
  return [[command('llm-call', call.llm_call_id), why]];
}

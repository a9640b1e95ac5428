import { Argument, Option } from 'commander';
import { search as declaredSearch } from '../../../catalogue/resources/search.js';
import { invocation as declared } from '../../../catalogue/resources/invocation.js';
import { showUnredacted } from '../../../operations/people/audit.js';
import { personHere } from '../../../operations/people/person-here.js';
import { listAgents } from '../../../operations/browse/agents.js';
import type { Archive } from '../../../operations/engine.js';
import { LIMIT, LIMIT_MAX } from '../../../operations/browse/list-part.js';
import {
  type AttemptFilter,
  listAttempts,
  showAttempt,
  showCommitted,
  showInvocation,
} from '../../../operations/browse/records.js';
import { catchUpWhole, search as find, type WantedSearch } from '../../../operations/browse/search.js';
import type { AttemptStatus, InvocationRecord } from '../../../ports/records.js';
import { SEARCH_KINDS } from '../../../ports/search.js';
import { SLUG, toWorldPlace, wholeOption } from '../arguments.js';
import { agentColumns } from '../../../catalogue/tables.js';
import { table } from '../../../catalogue/view.js';
import { attemptLines, attemptListLines } from '../render/attempt.js';
import { faint, line } from '../render/line.js';
import { blockLines, viewLines } from '../render/view.js';
import { asOperator } from '../resource-command.js';
import { answer, show, withEngine } from '../session.js';
import type { CommandEntry } from './entry.js';

const STATUSES: readonly AttemptStatus[] = ['running', 'suspended', 'committed', 'failed', 'interrupted'];

export const attempts: CommandEntry = {
  name: 'attempts',
  says: 'List all attempts at turns of a world, the latest first.',
  takes: [
    SLUG,
    new Option('--status <status>', 'only those of this status').choices(STATUSES),
    wholeOption('--turn <n>', 'only those at this turn', [1]),
    new Option('--failure <class>', 'only those that failed with this class'),
  ],
  run: (session, slug: string, filter: AttemptFilter) =>
    show(session, (archive) => listAttempts(archive, slug, filter), { lines: attemptListLines }),
};

export const attempt: CommandEntry = {
  name: 'attempt',
  says: 'Show one attempt: its calls, its patches, and how it ended.',
  takes: [
    new Argument('<id>', 'the id of the attempt; or SLUG@N, the one that committed turn N of a world'),
    new Option('--events', 'print its events, too'),
    new Option('--audit', 'print its audit, too'),
  ],
  run(session, named: string, wanted: Readonly<Partial<Record<'events' | 'audit', true>>>) {
    const { world_slug, turn } = toWorldPlace(named);
    const look = (archive: Archive) =>
      turn === undefined ? showAttempt(archive, named) : showCommitted(archive, { world_slug, turn });
    return show(session, look, { lines: (found) => attemptLines(found, ...Object.keys(wanted)) });
  },
};

export const agents: CommandEntry = {
  name: 'agents',
  says: 'List the agents of a world: what each does now, and how its latest turn ended.',
  takes: [SLUG],
  run: (session, slug: string) =>
    show(session, (archive) => listAgents(archive, slug), {
      json: (all) => ({ agents: all }),
      lines: (all) => blockLines(table(all, agentColumns(slug), 'This world has no agents.')),
    }),
};

export const invocation: CommandEntry = {
  name: 'invocation',
  says: declared.says,
  takes: [
    new Argument('<id>', 'the id of the source invocation'),
    new Option('--unredacted', 'show the whole stored answer, including what redaction hides; secrets stay replaced'),
    new Option('--reason <text>', 'with --unredacted: why; the record keeps it'),
  ],
  run: async (
    session,
    id: string,
    { unredacted, reason }: { readonly unredacted?: true; readonly reason?: string },
  ) => {
    const forms = { lines: (call: InvocationRecord) => viewLines(declared.view(call, asOperator())) };
    if (unredacted === undefined) return show(session, (archive) => showInvocation(archive, id), forms);
    const person = personHere(reason);
    return answer(session, await withEngine(session, (engine) => showUnredacted(engine, id, person)), forms);
  },
};

export const search: CommandEntry = {
  name: 'search',
  says: 'Find narrations, states, prompts, answers and results by their words: the latest attempt first, its best match first, prompts last.',
  takes: [
    new Argument('<words...>', '"quoted words" must be adjacent, `or` means either, -word excludes'),
    new Option('--kind <kind>', 'only texts of this kind').choices(SEARCH_KINDS),
    new Option('--world <slug>', 'only those of this world'),
    new Option('--turn <n>', 'only those at this turn'),
    new Option('--subject <id>', 'only those of this subject'),
    new Option('--source <label>', 'only calls of this source'),
    new Option('--failure <class>', 'only calls that failed with this class'),
    new Option('--limit <n>', `how many, ${LIMIT_MAX} at most; ${LIMIT} where it is left out`),
  ],
  run: (session, words: readonly string[], filter: WantedSearch) =>
    show(
      session,
      async (archive) => {
        await catchUpWhole(archive);
        return find(archive, { ...filter, q: words.join(' ') });
      },
      {
        lines: ({ next, ...found }) => [
          declaredSearch
            .view({ ...found, next: null }, asOperator({}, { q: words.join(' ') }))
            .sections.flatMap(({ blocks }) => blocks.map((block) => blockLines(block))),
          next !== null && line(faint('There are more: raise --limit, or use other words.')),
        ],
      },
    ),
};

import { type Command, Option } from 'commander';
import { LIMIT, LIMIT_MAX } from '../../../operations/browse/list-part.js';
import { catchUpWhole, search, type WantedSearch } from '../../../operations/search.js';
import { SEARCH_KINDS } from '../../../ports/search.js';
import { subjectOption } from '../arguments.js';
import { foundLines } from '../render/search.js';
import { type Perform, show } from '../session.js';

/** `chukwa search` */
export function addSearch(program: Command, perform: Perform): void {
  program
    .command('search')
    .argument('<words...>', '"quoted ones" stand side by side, `or` means either, -word excludes')
    .description('Find narrations, states, prompts, answers and results by their words, the latest first.')
    .addOption(new Option('--kind <kind>', 'only texts of this kind').choices(SEARCH_KINDS))
    .option('--world <slug>', 'only those of this world')
    .option('--turn <n>', 'only those at this turn')
    .addOption(subjectOption('only those of this subject'))
    .option('--source <label>', 'only what was asked of this source')
    .option('--failure <class>', 'only what failed with this class')
    .option('--limit <n>', `how many, ${LIMIT_MAX} at most; ${LIMIT} where it is left out`)
    .action((words: readonly string[], filter: WantedSearch) =>
      perform((session) =>
        show(
          session,
          async (archive) => {
            await catchUpWhole(archive);
            return search(archive, { ...filter, q: words.join(' ') });
          },
          { lines: foundLines },
        ),
      ),
    );
}

import type { Command } from 'commander';
import { line } from '../render/line.js';
import { answer, type Perform, withArchive } from '../session.js';

export function addMigrate(program: Command, perform: Perform): void {
  program
    .command('migrate')
    .description('Bring the database up to date; every other command does so as well.')
    .action(() =>
      perform(async (session) => {
        const migrated = await withArchive(session, async ({ store: { database } }) => ({
          ok: true,
          value: { database: database.description, applied: await database.migrate() },
        }));
        return answer(session, migrated, {
          lines: ({ database, applied }) => [
            line(`database: ${database}`),
            ...(applied.length === 0 ? [line('up to date')] : applied.map((name) => line(`applied ${name}`))),
          ],
        });
      }),
    );
}

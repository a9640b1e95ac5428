import { Argument, Option } from 'commander';
import { present } from '../../../contract/present.js';
import { succeed } from '../../../contract/problem.js';
import {
  addConnection,
  type ConnectionTest,
  type ListedConnection,
  listConnections,
  type RemovedConnection,
  removeConnection,
  tryConnection,
} from '../../../operations/connections/index.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { hanging, line, type Lines, strong } from '../render/line.js';
import { problemLines } from '../render/problems.js';
import { tableLines } from '../render/table.js';
import { answer, printLines, refuseUsage, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

const ID = new Argument('<id>', 'the id by which bindings and profiles name it, such as post_office');

interface AddOptions {
  readonly kind: string;
  readonly origin: string;
  readonly name?: string;
  readonly user?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly scope?: string;
  readonly audience?: string;
  readonly secretIn?: string;
  readonly from?: string;
  readonly replace?: boolean;
}

export const connections: readonly CommandEntry[] = [
  { name: 'connections', says: 'The secrets that requests to services get: list, add, remove, test.' },
  {
    name: 'connections list',
    says: 'List the connections of the environment and of your sealed file, without their secrets.',
    async run(session: Session) {
      const listed = await listConnections(await session.composition.openConnections());
      if (!session.as_json) printLines(session.terminal.error, problemLines(listed.problems));
      return answer(session, succeed(listed), { lines: ({ connections }) => connectionLines(connections) });
    },
  },
  {
    name: 'connections add',
    says: 'Add a connection to your sealed file, with the secret from standard input, or from a variable.',
    takes: [
      ID,
      new Option('--kind <kind>', 'how requests get the secret')
        .choices(['header', 'bearer', 'basic', 'query', 'client_credentials'])
        .makeOptionMandatory(),
      new Option('--origin <url>', 'scheme, host and port of the service, which alone gets it').makeOptionMandatory(),
      new Option('--name <name>', 'of the header, or of the member of the query'),
      new Option('--user <name>', 'of the kind basic'),
      new Option('--token-url <url>', 'where tokens are issued: this and the next ones are of client_credentials'),
      new Option('--client-id <id>', 'the name of the client'),
      new Option('--scope <scope>', 'what the token is for'),
      new Option('--audience <audience>', 'whom the token is for'),
      new Option('--secret-in <place>', 'where the token endpoint takes the secret').choices(['header', 'body']),
      new Option('--from <variable>', 'the variable that holds the secret, in place of standard input'),
      new Option('--replace', 'put it in the place of the one of this id, whose secret is lost'),
    ],
    run: add,
  },
  {
    name: 'connections remove',
    says: 'Take a connection out of your sealed file: calls that name it are refused from then on.',
    takes: [ID],
    async run(session: Session, id: string) {
      const removed = await removeConnection(await session.composition.openConnections(), id);
      return answer(session, removed, { lines: removedLines });
    },
  },
  {
    name: 'connections test',
    says: 'Make one GET request with a connection, and say whether its service takes it.',
    takes: [ID, new Option('--path <path>', 'the path of the request').default('/')],
    async run(session: Session, id: string, { path }: { readonly path: string }) {
      const { composition } = session;
      if (!path.startsWith('/')) return refuseUsage(session, 'A path begins with a slash.', `Write --path /${path}.`);
      const store = await composition.openConnections();
      const tested = await composition.withSources(({ testConnection }) =>
        tryConnection(store, testConnection, { id, path }),
      );
      const code = answer(session, tested, { lines: testLines });
      return tested.ok ? EXITS[tested.value.outcome] : code;
    },
  },
];

const EXITS = {
  works: EXIT.done,
  refused: EXIT.refused,
  out_of_reach: EXIT.environment,
} as const satisfies Readonly<Record<ConnectionTest['outcome'], ExitCode>>;

async function add(
  session: Session,
  id: string,
  { from, tokenUrl: token_url, clientId: client_id, secretIn: secret_in, replace = false, ...said }: AddOptions,
): Promise<ExitCode> {
  const store = await session.composition.openConnections();
  const given = from === undefined ? await session.terminal.readInput?.() : store.lookUp(from);
  if (given === undefined)
    return from === undefined
      ? refuseUsage(
          session,
          'A terminal would show the secret.',
          'Pipe it into the command, or name a variable by --from.',
        )
      : refuseUsage(session, `${from} is not set.`, 'Set it to the secret, or leave --from out.');
  const members = { ...said, ...present({ token_url, client_id, secret_in }) };
  const secret = given.trim();
  const added = await addConnection(store, { id, members: { ...members }, secret, replaces: replace });
  return answer(session, added, {
    lines: ({ is_replaced, id: named, origin }) => [
      line(`${is_replaced ? 'Replaced' : 'Added'} the connection `, strong(named), ` for ${origin}.`),
    ],
  });
}

function removedLines({ id, still_set_by }: RemovedConnection): Lines {
  const set = still_set_by === undefined ? '' : ` ${still_set_by} still sets one.`;
  return [line('Removed the connection ', strong(id), `.${set}`)];
}

function connectionLines(listed: readonly ListedConnection[]): Lines {
  if (listed.length === 0) return [line('There are no connections.')];
  return tableLines(listed, {
    connection: ({ id }) => id,
    kind: ({ kind }) => kind ?? '-',
    origin: ({ origin }) => origin ?? '-',
    store: ({ store }) => store,
    problem: ({ problem }) => problem ?? '',
  });
}

function testLines({ id, outcome, said }: ConnectionTest): Lines {
  const words = { works: 'works', refused: 'is refused', out_of_reach: 'cannot be asked now' }[outcome];
  return [hanging(2, 'The connection ', strong(id), ` ${words}: ${said.replace(/[^.?!]$/, '$&.')}`)];
}

import { startPostgres } from './postgres-server.js';

// Starts the PostgreSQL of the tests, for trying a fleet on one machine: prints its URL, and removes it with all its
// data on a request to stop.
const server = await startPostgres({ is_durable: true });
process.stdout.write(`export CHUKWA_DATABASE_URL='${server.url('postgres')}'\n`);
process.stderr.write('It runs until Ctrl-C, and what it holds goes with it.\n');
const staying = setInterval(() => {}, 60_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    clearInterval(staying);
    void server.stop();
  });

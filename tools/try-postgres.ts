import { startPostgres } from './postgres-server.js';

// Starts the PostgreSQL that the tests use, for trying a fleet on one machine: says where it is, and takes it and all
// that it holds away when it is told to stop.
const server = await startPostgres({ is_durable: true });
process.stdout.write(`export CHUKWA_DATABASE_URL='${server.url('postgres')}'\n`);
process.stderr.write('It runs until Ctrl-C, and what it holds goes with it.\n');
const staying = setInterval(() => {}, 60_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    clearInterval(staying);
    void server.stop();
  });

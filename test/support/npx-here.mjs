/**
 * What `npx` starts where a page is followed: hands the words to the process of the test, which listens at the socket that
 * is named first, and prints what comes back. A program of its own for each command costs many times the CPU.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [socket = '', program, ...words] = process.argv.slice(2);
if (program !== 'chukwa') process.exit(97);
const connection = connect(socket);
connection.write(`${JSON.stringify({ words, working_folder: process.cwd(), variables: process.env })}\n`);
process.on('SIGTERM', () => connection.write('interrupt\n'));
// A reader that goes away, such as `head`, is no fault.
process.stdout.on('error', () => {});
createInterface({ input: connection }).on('line', (line) => {
  const { out = '', error = '', code } = JSON.parse(line);
  process.stdout.write(out);
  process.stderr.write(error);
  if (code === undefined) return;
  process.exitCode = code;
  connection.end();
});

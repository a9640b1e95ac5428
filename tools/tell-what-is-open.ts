/**
 * Loaded before a test file: prints the open handles of a file that is about to be ended by the time limit. A file that
 * prints nothing has its thread blocked, or never loaded this.
 */
const TELL_MS = 540_000;

setTimeout(() => {
  const minutes = TELL_MS / 60_000;
  const open = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`${process.argv[1]} has run for ${minutes} minutes, and this is open: ${open}\n`);
}, TELL_MS).unref();

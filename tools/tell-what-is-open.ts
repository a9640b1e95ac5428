/**
 * Loaded before a test file: tells on standard error what a file waits for that is about to be ended for taking too
 * long. One that says nothing has its thread blocked, or was never loaded.
 */
const TELL_MS = 540_000;

setTimeout(() => {
  const minutes = TELL_MS / 60_000;
  const open = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`${process.argv[1]} has run for ${minutes} minutes, and this is open: ${open}\n`);
}, TELL_MS).unref();

import { openSync } from 'node:fs';
import { lockFolder } from '../../engine/store/folder-lock.js';

// A process of its own that takes the lock of a folder, uses up its file descriptors, and prints what it sees of its lock.
const lock = await lockFolder(process.argv[2] ?? '');
if (!lock.ok) throw new Error('the folder is locked');
const { isHeld } = lock.value;
const look = (): unknown => {
  try {
    return isHeld();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};
const before = look();
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // No descriptor is left.
}
process.send?.([before, look()]);
process.exit();

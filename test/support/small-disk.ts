import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, rmdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A disk that soon is full. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves 4 MiB. @returns a function that makes room again */
  fill(): Promise<() => Promise<void>>;
}

/** Mounts a disk of 150 MB until the end of a test. @returns undefined where this user may mount none */
export async function mountSmallDisk(t: TestContext): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=150m', 'tmpfs', folder]).status === 0;
  t.after(async () => {
    if (mounted) execFileSync('umount', ['--lazy', folder]);
    await rmdir(folder);
  });
  const fill = async () => {
    const { bavail, bsize } = await statfs(folder);
    const filler = join(folder, 'filler');
    await writeFile(filler, Buffer.alloc(bavail * bsize - 4_194_304));
    return () => rm(filler);
  };
  return mounted ? { folder, fill } : undefined;
}

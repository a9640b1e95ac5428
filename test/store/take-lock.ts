import { lockFolder } from '../../engine/store/folder-lock.js';

// A process of its own that tries for the lock of a folder at each order, all at the same instant as others, and
// releases it at another.
interface Order {
  readonly folder: string;
  /** When to try, in milliseconds since 1970; left out to let go. */
  readonly at?: number;
}

let release: (() => Promise<void>) | undefined;

process.on('message', (order: Order) => {
  void obey(order).then((answer) => process.send?.(answer));
});

async function obey({ folder, at }: Order): Promise<string> {
  if (at === undefined) {
    await release?.();
    release = undefined;
    return 'released';
  }
  while (Date.now() < at);
  const outcome = await lockFolder(folder);
  if (outcome.ok) release = outcome.value.release;
  if (outcome.ok) return 'holds';
  const [problem] = outcome.problems;
  return `${problem?.code} by ${JSON.stringify(problem?.details?.['pid'])}`;
}

process.send?.('ready');

import { createRequire } from 'node:module';
import type asyncHooks from 'node:async_hooks';

/**
 * Loaded before a test file, and before `node:test`: keeps Node's test runner from following every promise. It does so by an
 * async hook that registers each one's destruction, to find the test that a stray error or a hook belongs to. An `await` then
 * costs over twenty times as much. Only tests and suites themselves are noted here, which is what nesting needs. All else
 * belongs to the suite that was entered last: that of the file, which a stray error fails.
 */
const hooks = createRequire(import.meta.url)('node:async_hooks') as typeof asyncHooks;
const { AsyncResource, createHook, executionAsyncId } = hooks;
const noted = new Set<number>();
let note: asyncHooks.HookCallbacks['init'];
let entered: number | undefined;

class NotedResource extends AsyncResource {
  constructor(type: string, options?: asyncHooks.AsyncResourceOptions) {
    super(type, options);
    noted.add(this.asyncId());
    note?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }
}

/** The runner's hook: never enabled in Node, since the resources that it asks for note themselves. */
function noteTests({ init }: asyncHooks.HookCallbacks): asyncHooks.AsyncHook {
  note = init;
  const hook = { enable: () => hook, disable: () => hook };
  return hook;
}

/** What the runner takes for the test or suite that runs. */
function notedAsyncId(): number {
  const id = executionAsyncId();
  return noted.has(id) ? id : (entered ?? id);
}

/** Called first in the body of a suite: what is defined after an `await` of the body belongs to the suite as well. */
export function enterSuite(): void {
  entered = executionAsyncId();
}

/** Called when the entered suite has ended. */
export function leaveSuite(): void {
  entered = undefined;
}

Object.assign(hooks, { AsyncResource: NotedResource, createHook: noteTests, executionAsyncId: notedAsyncId });
// The runner takes them when it is loaded, and others get what Node gives.
await import('node:test');
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });

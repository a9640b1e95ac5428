import { createRequire } from 'node:module';
import type asyncHooks from 'node:async_hooks';

/**
 * Loaded before a test file, and before `node:test`: keeps Node's test runner from following every promise. It does so by an
 * async hook that registers each one's destruction, to find the test that a stray error came from. An `await` then costs
 * over twenty times as much. Only tests and suites themselves are noted here, which is what nesting needs. A stray error
 * still fails its file, and is printed at the file's end.
 */
const hooks = createRequire(import.meta.url)('node:async_hooks') as typeof asyncHooks;
const { AsyncResource, createHook } = hooks;
let note: asyncHooks.HookCallbacks['init'];

class NotedResource extends AsyncResource {
  constructor(type: string, options?: asyncHooks.AsyncResourceOptions) {
    super(type, options);
    note?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }
}

/** The runner's hook: never enabled in Node, since the resources that it asks for note themselves. */
function noteTests({ init }: asyncHooks.HookCallbacks): asyncHooks.AsyncHook {
  note = init;
  const hook = { enable: () => hook, disable: () => hook };
  return hook;
}

Object.assign(hooks, { AsyncResource: NotedResource, createHook: noteTests });
// The runner takes both when it is loaded, and others get what Node gives.
await import('node:test');
Object.assign(hooks, { AsyncResource, createHook });

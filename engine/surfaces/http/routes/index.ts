import { callback } from './callback.js';
import { health, readiness } from './health.js';
import type { Route } from './route.js';
import { stop } from './stop.js';

/** Every route of the server. */
export const ROUTES: readonly Route[] = [health, readiness, callback, stop];

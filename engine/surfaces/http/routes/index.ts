import { matchPath } from '../../../catalogue/resource.js';
import { ACTION_ROUTES } from './actions.js';
import { callback } from './callback.js';
import { EVENT_ROUTES } from './events.js';
import { EVIDENCE_ROUTES } from './evidence.js';
import { FILE_ROUTES } from './files.js';
import { PAGE_ROUTES } from './pages.js';
import { ASSISTANT_ROUTES } from './assistants.js';
import { health, readiness } from './health.js';
import { openApi } from './openapi.js';
import type { Route } from './route.js';
import { signIn, signInPage, signOut } from './sign-in.js';

/** Every route of the server. */
export const ROUTES: readonly Route[] = [
  health,
  readiness,
  callback,
  signInPage,
  signIn,
  signOut,
  ...FILE_ROUTES,
  ...EVENT_ROUTES,
  ...ACTION_ROUTES,
  ...EVIDENCE_ROUTES,
  ...ASSISTANT_ROUTES,
  ...PAGE_ROUTES,
  openApi(() => ROUTES),
];

/** The methods by which a path is served; none where nothing is. */
export function methodsOf(path: string): readonly string[] {
  const served = ROUTES.filter(({ url }) => matchPath(url, path) !== undefined);
  return served.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [String(method)]));
}

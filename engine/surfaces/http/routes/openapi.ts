import { toOpenApi } from '../openapi.js';
import { sendJson } from '../viewer.js';
import type { Route } from './route.js';

/** The OpenAPI document for programs: made from the routes themselves. */
export function openApi(listRoutes: () => readonly Route[]): Route {
  return {
    method: 'GET',
    url: '/openapi.json',
    access: 'viewer',
    summary: 'This document.',
    answers: { 200: { 'application/json': { type: 'object' } } },
    answer: async ({ reply }) => sendJson(reply, toOpenApi(listRoutes())),
  };
}

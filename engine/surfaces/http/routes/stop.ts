import { ACKNOWLEDGEMENT, acknowledge, parameters, type Route } from './route.js';

/** Stops an attempt. */
export const stop: Route = {
  method: 'POST',
  url: '/attempts/:attempt_id/stop',
  access: 'operator',
  schema: { params: parameters('attempt_id'), response: { 200: ACKNOWLEDGEMENT, 202: ACKNOWLEDGEMENT } },
  async answer(desk, request, reply) {
    const { attempt_id } = request.params as { readonly attempt_id: string };
    return acknowledge(reply, await desk.stop(attempt_id));
  },
};

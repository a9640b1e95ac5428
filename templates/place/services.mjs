// The services of this place: a tide gauge and a bell, on the address that CHUKWA_HARBOUR_URL names. Yours is whatever
// speaks JSON over HTTP.
import { createServer } from 'node:http';

const ANSWERS = {
  '/tide': ({ turn }) => ({ centimetres: 140 + 40 * turn, rising: true, gauge: 'G-7' }),
  '/bell': ({ strokes }) => ({ heard_by: 2 * strokes }),
};

const { hostname, port } = new URL(process.env.CHUKWA_HARBOUR_URL ?? 'http://127.0.0.1:4870');

createServer(async (request, response) => {
  let text = '';
  for await (const piece of request) text += piece;
  const answer = ANSWERS[request.url]?.(JSON.parse(text));
  response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer ?? {}));
}).listen(port, hostname, () => console.log(`The harbour listens on http://${hostname}:${port}. Ctrl-C ends it.`));

// Loaded before the program by `--import`: whoever imports one of these packages ends the program with an error.
import { register } from 'node:module';

const hooks = `
  const refused = ${process.env['REFUSED_PACKAGES'] === 'kysely' ? '/^kysely$/' : '/^(@opentelemetry\\/|pino$)/'};
  export async function resolve(specifier, context, next) {
    // fastify has a logger of its own kind, which is never opened.
    const isOurs = !(context.parentURL ?? '').includes('/node_modules/');
    if (isOurs && refused.test(specifier)) throw new Error('imported ' + specifier);
    return next(specifier, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

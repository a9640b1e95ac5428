import type { JsonObject } from '../../../contract/json.js';
import type { Names } from './names.js';

/** `plugin.json` */
export function manifest({ name }: Names): JsonObject {
  return {
    $schema: 'https://chukwa.dev/schemas/plugin-manifest.schema.json',
    version: 1,
    name,
    description: 'Asks a service by GET, with the members of the request as its query, and takes JSON back.',
    contract_version: 1,
    speaks: 'json',
    interface_schema: './interface.schema.json',
    entry: './index.js',
    origin: { interface_field: 'url_env' },
  };
}

/** `interface.schema.json` */
export function interfaceSchema({ name, title, variable }: Names): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description: 'What a source says of itself under "interface".',
    type: 'object',
    additionalProperties: false,
    required: ['name', 'url_env', 'path'],
    properties: {
      name: { const: name },
      url_env: {
        type: 'string',
        pattern: '^[A-Z][A-Z0-9_]{0,127}$',
        description: `The environment variable in which the operator says where the service is, such as ${variable}.`,
      },
      path: {
        type: 'string',
        pattern: '^(/[A-Za-z0-9_-]+)+$',
        description: 'Below that URL.',
      },
    },
  };
}

/** `conformance.json` */
export function conformance({ name, variable }: Names): JsonObject {
  const told = { name, url_env: variable, path: '/answers' };
  return {
    $schema: 'https://chukwa.dev/schemas/plugin-conformance.schema.json',
    version: 1,
    examples: [
      {
        name: 'a question that is answered',
        interface: told,
        request: { question: '{{call}}' },
        server: [
          {
            when: { method: 'GET', path: '/answers' },
            body: { question: { $from: '/query/question' }, answer: 'yes' },
          },
        ],
        expect: { value: { question: '{{call}}', answer: 'yes' } },
      },
      {
        name: 'a question that the service does not know',
        interface: told,
        request: { question: '{{call}}' },
        server: [{ status: 404, body: { error: 'unknown' } }],
        expect: { failure_class: 'http_status' },
      },
    ],
  };
}

/** `package.json` */
export function packageManifest({ package_name, name }: Names): JsonObject {
  return {
    name: package_name,
    version: '0.1.0',
    description: `The plugin ${name} for chukwa.`,
    private: true,
    type: 'module',
    scripts: { test: 'node --test' },
  };
}

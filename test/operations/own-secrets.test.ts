import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listOwnSecrets } from '../../engine/configuration.js';

const valuesOf = (variables: Parameters<typeof listOwnSecrets>[0]): readonly string[] => [
  ...new Set(listOwnSecrets(variables).flatMap(({ value }) => (value === '' ? [] : [value]))),
];

for (const [what, variables, secrets] of [
  [
    'the password before the host',
    { CHUKWA_DATABASE_URL: 'postgres://app:p%40ssw0rd9@db/x' },
    ['p%40ssw0rd9', 'p@ssw0rd9'],
  ],
  [
    'a password in the query',
    { CHUKWA_DATABASE_URL: 'postgres://db/x?user=app&password=SuperSecret' },
    ['SuperSecret'],
  ],
  ['a token in place of a user', { CHUKWA_NATS_URL: 'nats://NatsToken123456@host:4222' }, ['NatsToken123456']],
  ['a key in the path', { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel/in/KeyAbc123Def456' }, ['KeyAbc123Def456']],
  ['no name of a user or database', { CHUKWA_DATABASE_URL: 'postgres://chukwa@localhost/chukwa' }, []],
] as const)
  test(`of the URLs that the program reads for itself, records hide ${what}`, () => {
    assert.deepEqual(valuesOf(variables), secrets);
  });

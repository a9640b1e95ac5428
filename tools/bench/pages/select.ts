import pg from 'pg';

/** Asks a database by a connection of its own. */
export async function select<Found extends object>(
  url: string,
  text: string,
  values: readonly unknown[],
): Promise<Found[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Found>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

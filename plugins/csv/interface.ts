// Made by tools/generate-types.ts from plugins/csv/interface.schema.json: do not edit, run `npm run generate`.
/** A table in a folder that the operator names: a row is found by its value in one column. The file is read again for each call. */
export interface CsvInterface {
  readonly name: 'csv';
  /** The environment variable that holds the folder's path. Its name begins with CHUKWA_. */
  readonly folder_env: string;
  /** The path of the file below the folder. It starts with a slash. {name} stands for a member of the request: a text, number or boolean within one segment. No segment begins with a dot. */
  readonly path: string;
  /** The column that a row is found by. The request has a member of this name. */
  readonly key: string;
}

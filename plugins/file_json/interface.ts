// Made by tools/generate-types.ts from plugins/file_json/interface.schema.json: do not edit, run `npm run generate`.
/** A JSON file in a folder that the operator names. It is read again for each call. */
export interface FileJsonInterface {
  readonly name: 'file_json';
  /** The environment variable that holds the folder's path. Its name begins with CHUKWA_. */
  readonly folder_env: string;
  /** The path of the file below the folder. It starts with a slash. {name} stands for a member of the request: a text, number or boolean within one segment. No segment begins with a dot. */
  readonly path: string;
}

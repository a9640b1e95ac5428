// Made by tools/generate-types.ts from plugins/file_json/interface.schema.json: do not edit, run `npm run generate`.
/** A JSON file in a folder that the operator names. It is read anew for each call. */
export interface FileJsonInterface {
  readonly name: 'file_json';
  /** The environment variable in which the operator says where the folder is; its name begins with CHUKWA_. */
  readonly folder_env: string;
  /** The file below the folder; starts with a slash. {name} stands for a member of the request: a text, number or boolean within one segment. No name begins with a dot. */
  readonly path: string;
}

import { content } from './entry.js';

/** Problems of plugins: they cannot be found, loaded or made. */
export const PLUGIN_PROBLEMS = {
  PLUGIN_FOLDER_UNREADABLE: content(
    'The folder of plugins, or of the plugin to be tested, cannot be read.',
    'Correct `CHUKWA_PLUGIN_PATH`, or the folder.',
  ),
  PLUGIN_MANIFEST_INVALID: content('A `plugin.json` is not a manifest.', 'The message says why.'),
  PLUGIN_INTERFACE_SCHEMA_INVALID: content("A plugin's interface schema cannot be used.", 'The message says why.'),
  PLUGIN_ENTRY_FAILED: content(
    "A plugin's entry is missing or cannot be imported: its modules throw, await for more than 10 seconds, or " +
      'export no plugin; or a module in its folder is not a regular file, or all of them exceed 64 MiB.',
    'The message says why. A module should have no side effect at import.',
  ),
  PLUGIN_UNCONFIRMED: content(
    'A plugin came with the working folder, and nobody has confirmed it as it is; or it was to be confirmed, and the ' +
      'decision has no place. Its code does not run.',
    'Read its code, then `chukwa plugin trust DIR`; or name its parent in `CHUKWA_PLUGIN_PATH`.',
  ),
  PLUGIN_NAME_TAKEN: content({
    meaning:
      'Several plugins have the same name, and none of them is used; or a new plugin would have an existing name.',
    message: ({ name, folders }: { readonly name: string; readonly folders?: readonly string[] }) =>
      folders === undefined
        ? `The plugin ${name} already exists.`
        : `several plugins are named ${name}: ${folders.join(', ')}; none of them is used`,
    repair: ({ folders }) =>
      folders === undefined
        ? 'Choose another name; chukwa plugin list shows the existing ones.'
        : 'Rename all but one in their plugin.json, or leave a folder out.',
    example: { name: 'weather', folders: ['plugins/weather', 'old/weather'] },
  }),
  PLUGIN_NAME_INVALID: content({
    meaning: 'The name of the new plugin is invalid.',
    message: ({ name }: { readonly name: string }) => `${JSON.stringify(name)} cannot be a plugin's name.`,
    repair: 'Use lower-case letters, digits and underscores, at most 64, with a letter first.',
    example: { name: 'My-Plugin' },
  }),
  PLUGIN_FOLDER_EXISTS: content({
    meaning: 'The folder of the new plugin already exists.',
    message: ({ folder }: { readonly folder: string }) => `${folder} already exists, and is not overwritten.`,
    repair: 'Choose another name, or another folder with --into.',
    example: { folder: 'plugins/weather' },
  }),
};

import { content } from './entry.js';

/** The folder of plugins cannot be read, or what was asked for is neither a folder nor a plugin. */
export type UnreadablePlugins = { readonly folder: string; readonly reason: string } | { readonly asked: string };

export interface BrokenManifest {
  readonly file: string;
  readonly kind: 'missing' | 'unreadable' | 'no_manifest';
  readonly reason: string;
}

export type BrokenInterface =
  | { readonly kind: 'outside'; readonly file: string; readonly folder: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly reason: string }
  | { readonly kind: 'no_schema'; readonly file: string }
  | { readonly kind: 'lacks'; readonly file: string; readonly property: string };

export type BrokenEntry =
  | { readonly kind: 'failed' | 'uncompiled'; readonly name: string; readonly reason: string }
  | { readonly kind: 'unparsable'; readonly name: string; readonly reason: string; readonly file: string }
  | { readonly kind: 'left_open'; readonly name: string; readonly left: readonly string[] };

export type UnconfirmedPlugin =
  | { readonly kind: 'new' | 'changed'; readonly name: string; readonly folder: string; readonly parent: string }
  | { readonly kind: 'no_place' };

const KEEP_OTHERS = 'Correct it, or remove the folder; the other plugins are there.';

/** Problems of plugins: they cannot be found, loaded or made. */
export const PLUGIN_PROBLEMS = {
  PLUGIN_FOLDER_UNREADABLE: content<UnreadablePlugins>({
    meaning: 'The folder of plugins, or of the plugin to be tested, cannot be read.',
    message: (found) =>
      'asked' in found
        ? `There is no folder ${found.asked}, and no plugin of that name is found.`
        : `${found.folder} cannot be read: ${found.reason}`,
    repair: (found) =>
      'asked' in found
        ? 'Name the folder that holds the plugin.json, or a plugin of chukwa plugin list.'
        : 'Name folders that hold plugin folders, or leave the folder out.',
    example: { asked: 'wether' },
  }),
  PLUGIN_MANIFEST_INVALID: content<BrokenManifest>({
    meaning: 'A `plugin.json` is not a manifest.',
    message: ({ file, kind, reason }) =>
      `${file}${kind === 'no_manifest' ? ' is not a plugin manifest' : ''}: ${reason}`,
    repair: ({ kind }) =>
      kind === 'missing'
        ? 'Name the folder of a plugin, which holds its plugin.json: chukwa plugin new NAME makes one.'
        : KEEP_OTHERS,
    example: { file: 'plugins/weather/plugin.json', kind: 'no_manifest', reason: 'name is missing (at the top)' },
  }),
  PLUGIN_INTERFACE_SCHEMA_INVALID: content<BrokenInterface>({
    meaning: "A plugin's interface schema cannot be used.",
    message: (found) => {
      switch (found.kind) {
        case 'outside':
          return `${found.file} lies outside ${found.folder}`;
        case 'unreadable':
          return `${found.file}: ${found.reason}`;
        case 'no_schema':
          return `${found.file} is not a JSON Schema object`;
        case 'lacks':
          return `${found.file} has no property ${found.property}, which the manifest says sources have`;
      }
    },
    repair: KEEP_OTHERS,
    example: { kind: 'lacks', file: 'plugins/weather/interface.schema.json', property: 'origin_env' },
  }),
  PLUGIN_ENTRY_FAILED: content<BrokenEntry>({
    meaning:
      "A plugin's entry is missing or cannot be imported: its modules throw, await for more than 10 seconds, or export no plugin; or a module in its folder is not a regular file, or all of them exceed 64 MiB.",
    message: (entry) =>
      entry.kind === 'left_open'
        ? `the import of the plugin ${entry.name} leaves something open, which keeps a process from ending: ${entry.left.join(', ')}`
        : `the plugin ${entry.name} cannot be loaded: ${entry.reason}`,
    repair: (entry) => {
      switch (entry.kind) {
        case 'failed':
          return 'Correct its modules, which should do nothing at import but import, or remove its folder.';
        case 'uncompiled':
          return 'Compile it, as npm run build does, and name the folder with what was compiled: a plugin that ships is dist/plugins/NAME.';
        case 'unparsable':
          return `This command shows the place: node --check ${entry.file}`;
        case 'left_open':
          return 'Begin timers, servers and connections in open or invoke, and end them in close.';
      }
    },
    example: { kind: 'failed', name: 'weather', reason: 'plugins/weather/index.js is not there' },
  }),
  PLUGIN_UNCONFIRMED: content<UnconfirmedPlugin>({
    meaning:
      'A plugin came with the working folder, and nobody has confirmed it as it is; or it was to be confirmed, and the decision has no place. Its code does not run.',
    message: (plugin) => {
      if (plugin.kind === 'no_place')
        return 'The decision has no place: neither XDG_CONFIG_HOME nor HOME names a folder.';
      return `the code of the plugin ${plugin.name} in ${plugin.folder} does not run: ${plugin.kind === 'new' ? 'it came with the working folder, and nobody has confirmed it' : 'it has changed since it was confirmed'}`;
    },
    repair: (plugin) =>
      plugin.kind === 'no_place'
        ? 'Set HOME, or name the parent of the plugin in CHUKWA_PLUGIN_PATH.'
        : `Read its code, then write: chukwa plugin trust ${plugin.folder}. While you write a plugin yourself, set CHUKWA_PLUGIN_PATH=${plugin.parent}.`,
    example: { kind: 'new', name: 'weather', folder: 'plugins/weather', parent: 'plugins' },
  }),
  PLUGIN_NAME_TAKEN: content<{ readonly name: string; readonly folders?: readonly string[] }>({
    meaning:
      'Several plugins have the same name, and none of them is used; or a new plugin would have an existing name.',
    message: ({ name, folders }) =>
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
    message: ({ name }) => `${JSON.stringify(name)} cannot be a plugin's name.`,
    repair: 'Use lower-case letters, digits and underscores, at most 64, with a letter first.',
    example: { name: 'My-Plugin' },
  }),
  PLUGIN_FOLDER_EXISTS: content({
    meaning: 'The folder of the new plugin already exists.',
    message: ({ folder }) => `${folder} already exists, and is not overwritten.`,
    repair: 'Choose another name, or another folder with --into.',
    example: { folder: 'plugins/weather' },
  }),
};

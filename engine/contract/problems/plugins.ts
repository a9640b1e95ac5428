import { byKind, content, type Texts } from './entry.js';

export interface BrokenManifest {
  readonly file: string;
  readonly kind: 'missing' | 'unreadable' | 'no_manifest';
  readonly reason: string;
}

function notLoaded({ name, reason }: Texts<'name' | 'reason'>): string {
  return `the plugin ${name} cannot be loaded: ${reason}`;
}

const KEEP_OTHERS = 'Correct it, or remove the folder; the other plugins are there.';

/** Problems of plugins: they cannot be found, loaded or made. */
export const PLUGIN_PROBLEMS = {
  PLUGIN_FOLDER_UNREADABLE: content<{ readonly folder: string; readonly reason: string } | { readonly asked: string }>({
    meaning: 'A folder of plugins cannot be read.',
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
  PLUGIN_INTERFACE_SCHEMA_INVALID: content({
    meaning: 'The interface schema cannot be used.',
    ...byKind(
      {
        outside: [({ file, folder }: Texts<'file' | 'folder'>) => `${file} lies outside ${folder}`, KEEP_OTHERS],
        unreadable: [({ file, reason }: Texts<'file' | 'reason'>) => `${file}: ${reason}`, KEEP_OTHERS],
        no_schema: [({ file }: Texts<'file'>) => `${file} is not a JSON Schema object`, KEEP_OTHERS],
        lacks: [
          ({ file, property }: Texts<'file' | 'property'>) =>
            `${file} has no property ${property}, which the manifest says sources have`,
          KEEP_OTHERS,
        ],
      },
      { kind: 'lacks', file: 'plugins/weather/interface.schema.json', property: 'origin_env' },
    ),
  }),
  PLUGIN_ENTRY_FAILED: content({
    meaning:
      'The entry is missing or no plugin; or its modules throw, take more than 10 seconds, are no regular files, or exceed 64 MiB.',
    ...byKind(
      {
        failed: [notLoaded, 'Correct its modules, which should do nothing at import but import, or remove its folder.'],
        uncompiled: [
          notLoaded,
          'Compile it, as npm run build does, and name the folder with what was compiled: a plugin that ships is dist/plugins/NAME.',
        ],
        unparsable: [notLoaded, ({ file }: Texts<'file'>) => `This command shows the place: node --check ${file}`],
        left_open: [
          ({ name, left }: Texts<'name'> & { readonly left: readonly string[] }) =>
            `the import of the plugin ${name} leaves something open, which keeps a process from ending: ${left.join(', ')}`,
          'Begin timers, servers and connections in open or invoke, and end them in close.',
        ],
      },
      { kind: 'failed', name: 'weather', reason: 'plugins/weather/index.js is not there' },
    ),
  }),
  PLUGIN_UNCONFIRMED: content<
    | { readonly kind: 'new' | 'changed'; readonly name: string; readonly folder: string; readonly parent: string }
    | { readonly kind: 'no_place' }
  >({
    meaning:
      "Nobody has confirmed the working folder's plugin as it is, or the decision has no place; its code does not run.",
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
    meaning: 'Several plugins have this name, and none is used.',
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
    message: ({ name }) => `${JSON.stringify(name)} cannot be a plugin's name.`,
    repair: 'Use lower-case letters, digits and underscores, at most 64, with a letter first.',
    example: { name: 'My-Plugin' },
  }),
  PLUGIN_FOLDER_EXISTS: content({
    message: ({ folder }) => `${folder} already exists, and is not overwritten.`,
    repair: 'Choose another name, or another folder with --into.',
    example: { folder: 'plugins/weather' },
  }),
};

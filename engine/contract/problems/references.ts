import { content } from './entry.js';

/** Problems of references between documents. */
export const REFERENCE_PROBLEMS = {
  PATH_MALFORMED: content('A path is no path with `/` between names.', 'Write one such as `./name.json`.'),
  PATH_NOT_RELATIVE: content('A path is not relative to its file.', 'Write one such as `./name.json`.'),
  PATH_LEAVES_ROOT: content(
    'A path leads out of the folder that may be read.',
    'Name a folder that holds both files: the finding says which, as `--root FOLDER`.',
  ),
  WRONG_KIND: content('A reference leads to a document of another kind.', 'Refer to one of the kind that it names.'),
  REFERENCE_CYCLE: content('References lead back to where they began.', 'Break the circle.'),
  REFERENCE_UNCHECKED: content(
    'A note: no file here has this hash, so what it means is checked when the document is put.',
    'None needed.',
  ),
  COMPONENT_MISSING: content('No document of this hash is stored.', 'Put it first, or name it by path.'),
};

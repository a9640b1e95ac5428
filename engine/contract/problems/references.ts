import { content } from './entry.js';

/** Problems of references between documents. */
export const REFERENCE_PROBLEMS = {
  PATH_MALFORMED: content(
    'A path does not have the form of names with `/` between them.',
    'Write one such as `./name.json`.',
  ),
  PATH_NOT_RELATIVE: content('A path is not relative to its file.', 'Write one such as `./name.json`.'),
  PATH_LEAVES_ROOT: content(
    'A path leads out of the root folder.',
    'Name a folder that holds both files: the finding says which, as `--root FOLDER`.',
  ),
  WRONG_KIND: content(
    'A reference leads to a document of another kind.',
    'Refer to a document of the kind that the finding names.',
  ),
  REFERENCE_CYCLE: content('References form a cycle.', 'Break the cycle.'),
  REFERENCE_UNCHECKED: content(
    'A note: no file here has this hash, so the reference is checked when the document is stored.',
    'None needed.',
  ),
  COMPONENT_MISSING: content(
    'No document of this hash is stored.',
    'Store it first (`chukwa put`), or refer to it by path.',
  ),
};

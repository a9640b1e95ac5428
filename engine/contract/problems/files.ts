import { content } from './entry.js';

/** Problems of files: a file cannot be read, or is not JSON. */
export const FILE_PROBLEMS = {
  INVALID_JSON: content('The text is not JSON.', 'Correct it where the finding points.'),
  NOT_UTF8: content('A byte is not UTF-8.', 'Save the file as UTF-8.'),
  TOO_DEEP: content('The value is nested deeper than 64 levels.', 'Flatten it.'),
  REPEATED_NAME: content('An object has the same name twice.', 'Keep one of the two.'),
  NUMBER_CHANGES: content(
    'A number cannot be kept as it is written.',
    'Write one that a double holds exactly, or a string.',
  ),
  TEXT_NOT_STORABLE: content('Text holds U+0000 or half a character.', 'Remove the character.'),
  FILE_MISSING: content('There is no such file.', 'Correct the path, or use the one that the finding names.'),
  NO_DOCUMENTS: content('The named folder holds no JSON file, so nothing was checked.', 'Name another folder.'),
  FILE_TOO_LARGE: content(
    'The file is larger than 16 MiB, or its document has more than a million values.',
    'Split it.',
  ),
  FILE_UNREADABLE: content(
    'A file or folder cannot be read: permission is missing, its name is not UTF-8, it is a broken link, or it was deleted meanwhile.',
    'Check its name and permissions, or remove it.',
  ),
  NOT_A_FILE: content('The path does not lead to a regular file.', 'Name a file.'),
  TOO_MANY_FILES: content('A folder holds more than 10000 JSON files.', 'Name a smaller folder.'),
  WORKFLOW_UNREAD: content(
    'A note: no scenario among the documents uses this workflow, so its paths and requests are not checked.',
    'Check it together with a scenario that uses it.',
  ),
  LINK_LOOP: content(
    'A link leads back to itself. It is only a note where the link leads to a folder around it: that is read once.',
    'Remove it.',
  ),
  LINK_LEAVES_ROOT: content(
    'A link leads out of the root folder.',
    'Copy the file, or name a folder that holds both with `--root`.',
  ),
  UNKNOWN_DOCUMENT: content('The kind of document in a file is unknown.', 'Add `"$schema"`.'),
  SCHEMA_OF_ANOTHER_KIND: content(
    'A document names the schema of one kind, but has the members of another.',
    'Name the schema of its own kind, or leave `"$schema"` out.',
  ),
};

import { content } from './entry.js';

/** Problems of files: a file cannot be read, or is not JSON. */
export const FILE_PROBLEMS = {
  INVALID_JSON: content('The text is not JSON.', 'Correct it where the finding points.'),
  BYTE_ORDER_MARK: content('The file begins with a byte-order mark.', 'Save it as UTF-8 without one.'),
  NOT_UTF8: content('A byte is not UTF-8.', 'Save the file as UTF-8.'),
  TOO_DEEP: content('The value is nested deeper than 64 levels.', 'Flatten it.'),
  REPEATED_NAME: content('An object has the same name twice.', 'Keep one of the two.'),
  NUMBER_CHANGES: content(
    'A number cannot be kept as it is written.',
    'Write one that a double holds exactly, or a string.',
  ),
  TEXT_NOT_STORABLE: content('Text holds U+0000 or half a character.', 'Take the character out.'),
  FILE_MISSING: content('There is no such file.', 'Correct the path, or take the one that the finding names.'),
  NO_DOCUMENTS: content('A folder that was named holds no JSON file, so nothing was checked.', 'Name another.'),
  FILE_TOO_LARGE: content(
    'The file has more than 16 mebibytes, or its document more than a million values.',
    'Split it.',
  ),
  FILE_UNREADABLE: content(
    'A file or folder may not be read, has a name that is not UTF-8, is a link to nothing, or went away meanwhile.',
    'Check its name and permissions, or take it out.',
  ),
  NOT_A_FILE: content('The path leads to something that is no regular file.', 'Name a file.'),
  TOO_MANY_FILES: content('There are more than 10000 JSON files below a folder.', 'Name a smaller folder.'),
  WORKFLOW_UNREAD: content(
    'A note: no scenario among the documents leads to this workflow, so that its paths and requests are not ' +
      'checked.',
    'Check it together with a scenario that uses it.',
  ),
  LINK_LOOP: content(
    'A link leads back to itself; a note where it leads to a folder that it is in, which is read once.',
    'Take it out.',
  ),
  LINK_LEAVES_ROOT: content(
    'A link leads out of the folder that may be read.',
    'Copy the file, or name a folder that holds both with `--root`.',
  ),
  UNKNOWN_DOCUMENT: content('Nothing says what kind of document a file is.', 'Add `"$schema"`.'),
  SCHEMA_OF_ANOTHER_KIND: content(
    'A document names the schema of one kind and has the members of another.',
    'Name the schema of its own kind, or leave `"$schema"` out.',
  ),
};

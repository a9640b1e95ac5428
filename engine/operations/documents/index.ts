export { findFiles, type Place } from './find-files.js';
export { type Finding, toFinding } from './finding.js';
export { displayName, type LoadedFile, type LoadedFiles, loadDocuments } from './load.js';
export { type PutDocument, putDocuments, putChecked, type PutParts, type PutResult, storeDocuments } from './put.js';
export { type ReadFile, readRegularFile } from './read-file.js';
export { loadShippedSchemas } from './shipped-schemas.js';
export {
  type DocumentParts,
  validateDocuments,
  validateLoaded,
  type Validation,
} from './validate.js';
export { loadSent, type SentDocument, SENT_ROOT } from './sent.js';
export { watchDocuments } from './watch.js';
export { listTests, type LoadedTest } from './tests.js';

export { createCompileSchema } from './compile-schema.js';
export type { ValidateKind } from './validate-document.js';
export { createValidateDocument, createValidateShape } from './validate-document.js';

export { createCompileSchema } from './compile-schema.js';
export { createValidateDocument, createValidateShape } from './validate-document.js';

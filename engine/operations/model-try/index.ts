export type { QuestionName } from './questions.js';
export { findTriedSource } from './find-source.js';
export { type ModelTrial, type Try, tryModel } from './try-model.js';

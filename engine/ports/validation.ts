import type { Json, JsonObject } from '../contract/json.js';
import type { Outcome, Problem } from '../contract/problem.js';
import type { ComponentKind } from '../core/protocol/component.js';
import type { DocumentKind } from '../core/workflow/link/document-kind.js';
import type { Validate } from '../core/protocol/program.js';

export type { ComponentKind };

/** Compiles an author's JSON Schema (2020-12). Problems are faults that prevent it, and notes. */
export type CompileSchema = (
  hash: string,
  schema: JsonObject,
) => Outcome<Validate> & { readonly notes?: readonly Problem[] };

/** Checks a document against the schema of its kind. Pointers are into the document. */
export type ValidateDocument = (kind: DocumentKind, document: Json) => readonly Problem[];

export type { SourceFailureClass } from './failure-class.js';
export type { Json, JsonObject } from './json.js';
export type { Location, Outcome, Problem } from './problem.js';
export type {
  Alarm,
  Capabilities,
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  Child,
  ChildEnd,
  ContractVersion,
  InvocationContext,
  OriginFetch,
  ParsedAnswer,
  Source,
  SourceAnswer,
  SourceFailure,
  SourcePending,
  SourcePlugin,
  Spawn,
  TokenUsage,
  TraceSink,
  TransportFacts,
  TriedQuestion,
} from './source.js';

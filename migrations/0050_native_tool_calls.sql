-- Native tool calls in prompts: what the model called, its reasoning that goes back to it, and the result of each call.
ALTER TYPE message_role ADD VALUE 'tool';
ALTER TYPE segment_origin ADD VALUE 'reasoning';
ALTER TYPE segment_origin ADD VALUE 'function_call';
ALTER TYPE segment_origin ADD VALUE 'call_id';

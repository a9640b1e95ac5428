-- What the gate of a node decides of an answer.
ALTER TYPE model_output_kind ADD VALUE 'gate_pass';
ALTER TYPE model_output_kind ADD VALUE 'gate_retry';
ALTER TYPE model_output_kind ADD VALUE 'gate_escalate';

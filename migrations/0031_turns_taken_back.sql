-- An operator may also take back the queued turns of a world that have not begun.
ALTER TYPE operator_action ADD VALUE 'take_back_turns' AFTER 'run_turns';

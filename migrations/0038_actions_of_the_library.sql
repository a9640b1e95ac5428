-- Programs act through the library: their actions are none of the command line.
ALTER TYPE action_surface ADD VALUE 'library';

-- A call of a run that another subject's patch has made obsolete is named in the timeline; its own row stays as it is.
ALTER TYPE timeline_event_kind ADD VALUE 'call_superseded';

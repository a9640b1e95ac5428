-- What an attempt was told is kept by the call that it ended, as far as redaction lets it be seen. A message that is over
-- keeps nothing of it: neither a large answer twice, nor what a service echoed of the address that it was given.
CREATE FUNCTION forget_payload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.payload := '{}';
    RETURN NEW;
END
$$;

CREATE TRIGGER forget_payload BEFORE UPDATE OF status ON agent_inbox
    FOR EACH ROW WHEN (NEW.status = 'consumed' AND NEW.message_type <> 'turn') EXECUTE FUNCTION forget_payload();

UPDATE agent_inbox SET payload = '{}' WHERE status = 'consumed' AND message_type <> 'turn';

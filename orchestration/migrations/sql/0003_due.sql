-- A planned time as people and programs write it, or null when it is none: one bad value must not stop all others.
-- A time without an offset is local to `zone`; whether there is one is asked of the part after the clock's colon, so
-- that the day of "2026-05-17" is not taken for an offset.
CREATE FUNCTION planned_time(value text, zone text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF value ~ ':[0-9]{2}.*([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)\s*$' THEN
        RETURN value::timestamptz;
    END IF;
    RETURN value::timestamp AT TIME ZONE zone;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$;

DROP FUNCTION planned_time(text, text);

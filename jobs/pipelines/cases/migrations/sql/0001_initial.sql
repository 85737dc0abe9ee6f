-- Deleting a case, as the source did, takes all that belongs to it along; programs delete with plain SQL.
-- Deferred: one dump brings schemes, statuses and cases in any order within its transaction.
ALTER TABLE case_files
    ADD CONSTRAINT case_files_scheme FOREIGN KEY (scheme_id) REFERENCES case_schemes (key) DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT case_files_status FOREIGN KEY (status_id) REFERENCES case_statuses (key) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE case_assessments
    ADD CONSTRAINT case_assessments_case FOREIGN KEY (case_id) REFERENCES case_files (number) ON DELETE CASCADE;
ALTER TABLE case_costs
    ADD CONSTRAINT case_costs_case FOREIGN KEY (case_id) REFERENCES case_files (number) ON DELETE CASCADE;
ALTER TABLE case_certificates
    ADD CONSTRAINT case_certificates_case FOREIGN KEY (case_id) REFERENCES case_files (number) ON DELETE CASCADE;
ALTER TABLE case_documents
    ADD CONSTRAINT case_documents_case FOREIGN KEY (case_id) REFERENCES case_files (number) ON DELETE CASCADE;
ALTER TABLE case_evaluations
    ADD CONSTRAINT case_evaluations_case FOREIGN KEY (case_id) REFERENCES case_files (number) ON DELETE CASCADE;
ALTER TABLE case_verdicts
    ADD CONSTRAINT case_verdicts_evaluation FOREIGN KEY (evaluation_id) REFERENCES case_evaluations (id) ON DELETE CASCADE;

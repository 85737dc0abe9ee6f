ALTER TABLE case_verdicts DROP CONSTRAINT case_verdicts_evaluation;
ALTER TABLE case_evaluations DROP CONSTRAINT case_evaluations_case;
ALTER TABLE case_documents DROP CONSTRAINT case_documents_case;
ALTER TABLE case_certificates DROP CONSTRAINT case_certificates_case;
ALTER TABLE case_costs DROP CONSTRAINT case_costs_case;
ALTER TABLE case_assessments DROP CONSTRAINT case_assessments_case;
ALTER TABLE case_files DROP CONSTRAINT case_files_status, DROP CONSTRAINT case_files_scheme;

/** Evidence knows the source of its artifact: what a source brought to the ontology is counted without its artifacts. */
export const evidenceSources = `
ALTER TABLE evidence_spans ADD COLUMN artifact_source TEXT;
UPDATE evidence_spans SET artifact_source = (SELECT a.source_id FROM source_artifacts a WHERE a.id = evidence_spans.source_id)
WHERE source_kind = 'artifact';
CREATE INDEX evidence_spans_artifact_source ON evidence_spans (artifact_source, subject_id)
  WHERE artifact_source IS NOT NULL AND subject_id IS NOT NULL;
`

/** Jobs are about subjects of many kinds, not of memories alone, and may carry more than that. */
export const jobSubjects = `
ALTER TABLE jobs RENAME COLUMN memory_id TO subject;
ALTER TABLE jobs ADD COLUMN payload TEXT NOT NULL DEFAULT '{}';
DROP INDEX jobs_memory;
CREATE INDEX jobs_subject ON jobs (subject, kind);
`

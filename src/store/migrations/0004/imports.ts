/** Counts of what imports left out, and the folder of a log that does not name it (docs/imports.md). */
export const imports = `
ALTER TABLE transcript_imports ADD COLUMN left_out TEXT NOT NULL DEFAULT '{}';
ALTER TABLE transcript_import_files ADD COLUMN folder TEXT;
`

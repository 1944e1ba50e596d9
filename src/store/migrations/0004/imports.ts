/**
 * Counts of what imports left out and the folder of a log that does not name it (docs/imports.md), and the
 * guessed charset of a document (docs/documents.md#what-can-be-read).
 */
export const imports = `
ALTER TABLE transcript_imports ADD COLUMN left_out TEXT NOT NULL DEFAULT '{}';
ALTER TABLE transcript_import_files ADD COLUMN folder TEXT;
ALTER TABLE documents ADD COLUMN guessed_charset TEXT;
`

/** The guessed charset of a document (docs/documents.md#what-can-be-read). */
export const charsets = 'ALTER TABLE documents ADD COLUMN guessed_charset TEXT;'

/** The text of a document stands in parts: one of megabytes is neither written nor read in one turn. */
export const textParts = `
CREATE TABLE document_text_parts (
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (document_id, part)
);
INSERT INTO document_text_parts SELECT document_id, 0, text FROM document_texts;
DROP TABLE document_texts;
ALTER TABLE document_text_parts RENAME TO document_texts;
`

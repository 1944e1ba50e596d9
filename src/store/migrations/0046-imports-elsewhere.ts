/** Whose files an import reads: folders of another machine mean nothing on this one. */
export const importsElsewhere = `
ALTER TABLE transcript_imports ADD COLUMN elsewhere INTEGER NOT NULL DEFAULT 0;
`

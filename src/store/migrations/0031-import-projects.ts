/** An import may say the project of all that it brings. */
export const importProjects = `
ALTER TABLE transcript_imports ADD COLUMN project TEXT;
`

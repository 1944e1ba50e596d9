/** Projects whose code is read, or may be; sessions are found by the folder that they worked in. */
export const codeProjects = `
CREATE TABLE code_projects (
  root TEXT NOT NULL PRIMARY KEY,
  project TEXT,
  named INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  indexed_at TEXT,
  job TEXT
);

CREATE INDEX sessions_project ON sessions (project) WHERE project IS NOT NULL;
CREATE INDEX sessions_cwd ON sessions (cwd) WHERE cwd IS NOT NULL;
`

/** Projects, their keys and places, the branch of a memory (docs/projects.md), and short ids of memories. */
export const projects = `
CREATE TABLE projects (
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  used_at TEXT NOT NULL
);

-- Each key that rows of a project may have, its own included. A key belongs to one project.
CREATE TABLE project_keys (
  key TEXT PRIMARY KEY,
  project TEXT NOT NULL
);
CREATE INDEX project_keys_project ON project_keys (project, key);

-- Folders on this machine. A fixed place belongs to its project whatever its repository says.
CREATE TABLE project_places (
  path TEXT PRIMARY KEY,
  project TEXT NOT NULL,
  fixed INTEGER NOT NULL DEFAULT 0,
  seen_at TEXT NOT NULL
);
CREATE INDEX project_places_project ON project_places (project, path);

-- Joins, splits, moves and renames, each with what undoes it.
CREATE TABLE project_changes (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  project TEXT NOT NULL,
  details TEXT NOT NULL,
  at TEXT NOT NULL,
  by TEXT NOT NULL,
  undone_at TEXT
);
CREATE INDEX project_changes_project ON project_changes (project, at);

ALTER TABLE memories ADD COLUMN branch TEXT;
ALTER TABLE memories ADD COLUMN commit_id TEXT;
CREATE INDEX memories_commit ON memories (project, branch, commit_id, created_at)
  WHERE commit_id IS NOT NULL AND is_deleted = 0;

-- Texts show the end of an id, and readers name a memory by six or more characters of it.
CREATE INDEX memories_id_end ON memories (substr(id, -6));
`

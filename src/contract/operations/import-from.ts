import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { memoryType, name, projectName } from '../ground/fields.js'
import { memoryPrograms } from '../knowledge/import-adapters.js'

const path = z.string().trim().min(1).max(4096)

/** Files and folders of the daemon's machine, as absolute paths. */
const paths = z.array(path).min(1).max(100)

const importFromBody = z.object({
  from: z.enum(memoryPrograms),
  paths,
  /** For all memories, instead of their own. */
  project: projectName.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  /** Reads and counts, and stores nothing. */
  dryRun: z.boolean().default(false),
})
export type ImportFromBody = z.infer<typeof importFromBody>

const importFromReply = z.object({
  from: z.enum(memoryPrograms),
  dryRun: z.boolean(),
  /** Files that were read. */
  files: z.array(z.string()),
  /** Memories of the program: imported, known, forgotten, recovered, a duplicate, or refused. */
  found: z.int(),
  /** The program's words for what it has, and the type that it has here. */
  becomes: z.array(z.object({ what: z.string(), type: memoryType, count: z.int() })),
  /** Everything that does not become a memory, by reason. */
  leftOut: z.array(z.object({ why: z.string(), count: z.int() })),
  imported: z.int(),
  /** Imported before. */
  known: z.int(),
  /** Imported before, and different in the program since; the memory here stays. */
  changed: z.int(),
  /** Imported and then forgotten here, so they stay forgotten. */
  forgotten: z.int(),
  /** Brought back after an undone import. */
  recovered: z.int(),
  /** Another memory has the same text. */
  duplicates: z.int(),
  /** Imported, and excluded from recall by the content safety policy. */
  unsafe: z.int(),
  /** Beginnings of the first memories. */
  first: z.array(z.object({ type: memoryType, project: z.string().nullable(), content: z.string() })),
})
export type ImportFromReply = z.infer<typeof importFromReply>

export const importFrom = endpoint({
  method: 'POST',
  path: '/api/import/from',
  summary: "Import another program's memories from its own files",
  permission: 'admin',
  mutates: ({ dryRun }: ImportFromBody) => !dryRun,
  bucket: 'admin',
  body: importFromBody,
  response: importFromReply,
})

export const undoImportFrom = endpoint({
  method: 'POST',
  path: '/api/import/undo',
  summary: 'Forget everything that was imported from a program',
  permission: 'admin',
  mutates: true,
  bucket: 'admin',
  body: z.object({
    from: z.enum(memoryPrograms),
    /** Only what came from these files and folders. */
    paths: paths.nullish(),
    agentId: name.nullish(),
    agent_id: name.nullish(),
  }),
  response: z.object({
    from: z.enum(memoryPrograms),
    forgotten: z.int(),
    /** Pinned since, so they stay. */
    pinned: z.int(),
  }),
})

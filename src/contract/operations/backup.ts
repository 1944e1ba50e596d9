import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

/** `backup` of agent.yaml (operations.md 4.2). */
export const backupSettings = z.object({
  /** Makes one every `intervalHours` while the daemon runs. */
  enabled: z.boolean().default(true),
  intervalHours: z.int().min(1).max(8760).default(24),
  /** Of those that were made by the clock. */
  keep: z.int().min(1).max(1000).default(7),
  /** An absolute path; `backups` of the workspace without it. */
  folder: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^(?:[/\\]|[A-Za-z]:[/\\])/u, 'must be an absolute path')
    .optional(),
})

/** The name of an archive without its ending. */
export const backupId = z
  .string()
  .regex(
    /^(?:backup|daily)-\d{8}-\d{6}-[0-9a-f]{6}$/u,
    'is no name of a backup; memory backup list shows them',
  )

const kind = z.enum(['scheduled', 'manual'])

/** What is told of one archive; null where only the archive itself knows it. */
const backup = z.object({
  id: backupId,
  kind,
  file: z.string(),
  createdAt: z.string(),
  bytes: z.int(),
  sha256: z.string().nullable(),
  /** Of this program. */
  version: z.string().nullable(),
  memories: z.int().nullable(),
  files: z.int().nullable(),
  /** What was wrong with the database when it was made. */
  problems: z.array(z.string()),
  durationMs: z.int().nullable(),
})
export type Backup = z.infer<typeof backup>

/** `ID.json` beside an archive: what a list tells without opening it, and the checksum of all its bytes. */
export const backupNote = backup.omit({ file: true })
export type BackupNote = z.infer<typeof backupNote>

export const backupFormat = 'memory-service-backup'

/** `backup.json`, the first entry of an archive: what it says of itself. */
export const archiveHeader = z.object({
  format: z.literal(backupFormat),
  version: z.literal(1),
  id: z.string().max(100),
  kind,
  createdAt: z.string().max(40),
  program: z.string().max(100),
  /** Migrations of the database. */
  schema: z.int().min(0),
  /** Of all files at most, the database among them. */
  bytes: z.int().min(0),
  /** At most: some may have gone while the others were packed. */
  files: z.int().min(0).max(5_000_000),
})
export type ArchiveHeader = z.infer<typeof archiveHeader>

/** `manifest.json`, the last entry: what must have come before it. */
export const archiveManifest = z.object({
  entries: z.array(
    z.object({
      path: z.string().max(4096),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/u),
    }),
  ),
  /** Rows of each table. */
  tables: z.record(z.string().max(200), z.int().min(0)),
})
export type ArchiveManifest = z.infer<typeof archiveManifest>

const running = z.object({
  what: z.enum(['create', 'verify', 'restore']),
  id: z.string().nullable(),
  phase: z.enum(['database', 'files', 'checking']),
  done: z.int(),
  total: z.int(),
})
export type BackupProgress = Pick<z.infer<typeof running>, 'phase' | 'done' | 'total'>

/** A restore that is prepared; the next start of the daemon takes it into the workspace. */
const pendingRestore = z.object({ id: z.string(), kind: z.enum(['restore', 'undo']), preparedAt: z.string() })

/** The last restore that was taken into the workspace. */
const lastRestore = z.object({
  id: z.string(),
  kind: z.enum(['restore', 'undo']),
  at: z.string(),
  memories: z.int().nullable(),
  /** What was there before is kept, and can come back. */
  canUndo: z.boolean(),
})
export type LastRestore = z.infer<typeof lastRestore>

/** `.daemon/restore/plan.json`: a restore under way, across kills (operations.md 4.4). */
export const restorePlan = z.object({
  id: z.string().max(100),
  kind: z.enum(['restore', 'undo']),
  preparedAt: z.string(),
  memories: z.int().nullable(),
  /** Those of what makes way. */
  memoriesBefore: z.int().nullable(),
  /** Folders below `.daemon/restore`: what comes in, and where to what is there goes. */
  incoming: z.string().regex(/^[0-9a-z-]{1,100}$/u),
  outgoing: z.string().regex(/^[0-9a-z-]{1,100}$/u),
  phase: z.enum(['prepared', 'placing']),
})
export type RestorePlan = z.infer<typeof restorePlan>

/** `.daemon/restore/last.json`. */
export const restoreNote = lastRestore
  .omit({ canUndo: true })
  .extend({ undo: z.string().regex(/^[0-9a-z-]{1,100}$/u), undoMemories: z.int().nullable() })
export type RestoreNote = z.infer<typeof restoreNote>

export const listBackups = endpoint({
  method: 'GET',
  path: '/api/backup',
  summary: 'The backups there are, newest first, and what is being done',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    backups: z.array(backup),
    count: z.int(),
    folder: z.string(),
    settings: z.object({ enabled: z.boolean(), intervalHours: z.int(), keep: z.int() }),
    running: running.nullable(),
    /** Why the last one of this daemon was not made. */
    lastError: z.string().nullable(),
    pendingRestore: pendingRestore.nullable(),
    lastRestore: lastRestore.nullable(),
  }),
})
export type BackupList = z.infer<(typeof listBackups)['response']>

const admin = { method: 'POST', permission: 'admin', mutates: false, bucket: 'admin' } as const

export const createBackup = endpoint({
  ...admin,
  path: '/api/backup',
  summary: 'Back the workspace up into one archive, while requests are served',
  body: z.object({
    /** False answers at once; `running` of the list tells how far it is. */
    wait: z.boolean().default(true),
  }),
  response: z.object({ id: backupId, backup: backup.nullable() }),
  success: 201,
  successFor: (reply: { backup: unknown }) => (reply.backup === null ? 202 : undefined),
})

const verified = z.object({
  id: z.string(),
  /** Every byte is what was written, and the database opens, holds together and has the rows that were counted. */
  ok: z.boolean(),
  problems: z.array(z.string()),
  createdAt: z.string().nullable(),
  version: z.string().nullable(),
  memories: z.int().nullable(),
  /** Rows of each table. */
  tables: z.record(z.string(), z.int()),
  files: z.int(),
  bytes: z.int(),
})
export type VerifiedBackup = z.infer<typeof verified>

/** An archive by its path, on the machine of the daemon; only for callers there. */
const archivePath = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^(?:[/\\]|[A-Za-z]:[/\\])/u, 'must be an absolute path')

export const verifyBackup = endpoint({
  ...admin,
  path: '/api/backup/:id/verify',
  summary: 'Read a backup through, open its database and count',
  params: z.object({ id: backupId }),
  response: verified,
})

export const verifyArchive = endpoint({
  ...admin,
  path: '/api/backup/verify',
  summary: 'The same for an archive by its path',
  body: z.object({ file: archivePath }),
  response: verified,
})

const restoreBody = z.object({
  confirm: z.boolean().default(false),
  /** Only says what would be. */
  dryRun: z.boolean().default(false),
})

const restored = z.object({
  id: z.string(),
  dryRun: z.boolean(),
  /** It is prepared; a restart of the daemon takes it into the workspace. */
  restartRequired: z.boolean(),
  createdAt: z.string().nullable(),
  version: z.string().nullable(),
  memories: z.object({ now: z.int(), inBackup: z.int().nullable() }),
  /** Counts of files: new, with other bytes or the same name, and those that are there now and move to the undo. */
  files: z.object({ added: z.int(), replaced: z.int(), movedAway: z.int() }),
  /**
   * Whether the secrets in it open here: `same` key as now, `other` key, `none` in it. The key itself is never in a backup.
   */
  secretsKey: z.enum(['same', 'other', 'none']),
})
export type RestoreReply = z.infer<typeof restored>

export const restoreBackup = endpoint({
  ...admin,
  path: '/api/backup/:id/restore',
  summary: 'Prepare a backup to replace the workspace at the next start of the daemon; it can be undone',
  params: z.object({ id: backupId }),
  body: restoreBody,
  response: restored,
})

export const restoreArchive = endpoint({
  ...admin,
  path: '/api/backup/restore',
  summary: 'The same for an archive by its path',
  body: restoreBody.extend({ file: archivePath }),
  response: restored,
})

export const undoRestore = endpoint({
  ...admin,
  path: '/api/backup/undo',
  summary: 'Take the last restore back, or the one that is prepared',
  body: z.object({ confirm: z.boolean().default(false) }),
  response: z.object({ id: z.string(), restartRequired: z.boolean(), message: z.string() }),
})

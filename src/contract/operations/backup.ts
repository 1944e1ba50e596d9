import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { ageRecipient, openingKey } from '../secrets/workspace-key.js'

/** `backup` of agent.yaml (operations.md 4.2). */
export const backupSettings = z.object({
  /** Makes a backup every `intervalHours` while the daemon runs. */
  enabled: z.boolean().default(true),
  intervalHours: z.int().min(1).max(8760).default(24),
  /** Number of scheduled backups to keep. */
  keep: z.int().min(1).max(1000).default(7),
  /** An absolute path; by default `backups` in the workspace. */
  folder: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^(?:[/\\]|[A-Za-z]:[/\\])/u, 'must be an absolute path')
    .optional(),
  /** Public keys of age that can open the backups beside the workspace's own. */
  recipients: z.array(ageRecipient).max(20).default([]),
})

/** The file name of an archive without extension. */
export const backupId = z
  .string()
  .regex(/^(?:backup|daily)-\d{8}-\d{6}-[0-9a-f]{6}$/u, 'is not a backup name; memory backup list shows them')

const kind = z.enum(['scheduled', 'manual'])

/** Description of an archive; null for fields that only the archive contains. */
const backup = z.object({
  id: backupId,
  kind,
  file: z.string(),
  createdAt: z.string(),
  bytes: z.int(),
  sha256: z.string().nullable(),
  /** Version of this program. */
  version: z.string().nullable(),
  memories: z.int().nullable(),
  files: z.int().nullable(),
  /** Problems of the database at the time of the backup. */
  problems: z.array(z.string()),
  durationMs: z.int().nullable(),
  /** Encrypted with age for the key of the workspace and `backup.recipients`. */
  sealed: z.boolean(),
})
export type Backup = z.infer<typeof backup>

/** `ID.json` next to an archive: the fields for lists, and the checksum of the archive. */
export const backupNote = backup.omit({ file: true }).extend({ sealed: z.boolean().default(false) })
export type BackupNote = z.infer<typeof backupNote>

export const backupFormat = 'memory-service-backup'

/** `backup.json`, the first entry of an archive, which describes it. */
export const archiveHeader = z.object({
  format: z.literal(backupFormat),
  version: z.literal(1),
  id: z.string().max(100),
  kind,
  createdAt: z.string().max(40),
  program: z.string().max(100),
  /** Number of applied migrations. */
  schema: z.int().min(0),
  /** Maximum total of all files, including the database. */
  bytes: z.int().min(0),
  /** A maximum, as files may disappear during the backup. */
  files: z.int().min(0).max(5_000_000),
})
export type ArchiveHeader = z.infer<typeof archiveHeader>

/** `manifest.json`, the last entry, which lists the entries before it. */
export const archiveManifest = z.object({
  entries: z.array(
    z.object({
      path: z.string().max(4096),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/u),
    }),
  ),
  /** Row counts by table. */
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

/** A prepared restore, which the next start of the daemon applies. */
const pendingRestore = z.object({ id: z.string(), kind: z.enum(['restore', 'undo']), preparedAt: z.string() })

/** The last applied restore. */
const lastRestore = z.object({
  id: z.string(),
  kind: z.enum(['restore', 'undo']),
  at: z.string(),
  memories: z.int().nullable(),
  /** The previous workspace is kept and can be restored. */
  canUndo: z.boolean(),
})

/** `.daemon/restore/plan.json`: a restore in progress, which survives kills (operations.md 4.4). */
export const restorePlan = z.object({
  id: z.string().max(100),
  kind: z.enum(['restore', 'undo']),
  preparedAt: z.string(),
  memories: z.int().nullable(),
  /** Memories of the replaced workspace. */
  memoriesBefore: z.int().nullable(),
  /** Folders below `.daemon/restore`: the new files, and the destination of the present ones. */
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
  summary: 'List backups, newest first, and the running operation',
  permission: 'diagnostics',
  mutates: false,
  response: z.object({
    backups: z.array(backup),
    count: z.int(),
    folder: z.string(),
    settings: z.object({ enabled: z.boolean(), intervalHours: z.int(), keep: z.int() }),
    running: running.nullable(),
    /** Reason why this daemon's last backup failed. */
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
  summary: 'Back up the workspace to one archive without interrupting requests',
  body: z.object({
    /** False returns at once; `running` in the list shows the progress. */
    wait: z.boolean().default(true),
  }),
  response: z.object({ id: backupId, backup: backup.nullable() }),
  success: 201,
  successFor: (reply: { backup: unknown }) => (reply.backup === null ? 202 : undefined),
})

const verified = z.object({
  id: z.string(),
  /** All bytes match, and the database opens, is consistent and has the recorded row counts. */
  ok: z.boolean(),
  problems: z.array(z.string()),
  createdAt: z.string().nullable(),
  version: z.string().nullable(),
  memories: z.int().nullable(),
  /** Row counts by table. */
  tables: z.record(z.string(), z.int()),
  files: z.int(),
  bytes: z.int(),
})
export type VerifiedBackup = z.infer<typeof verified>

/** Path of an archive on the daemon's machine; only for local callers. */
const archivePath = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^(?:[/\\]|[A-Za-z]:[/\\])/u, 'must be an absolute path')

const verifyBody = z
  .object({
    /** Opens an archive that is sealed for another workspace. */
    key: openingKey.optional(),
  })
  .prefault({})

export const verifyBackup = endpoint({
  ...admin,
  path: '/api/backup/:id/verify',
  summary: 'Verify a backup: read it, open its database and count rows',
  params: z.object({ id: backupId }),
  body: verifyBody,
  response: verified,
})

export const verifyArchive = endpoint({
  ...admin,
  path: '/api/backup/verify',
  summary: 'Verify an archive by its path',
  body: z.object({ file: archivePath, key: openingKey.optional() }),
  response: verified,
})

const restoreBody = z.object({
  confirm: z.boolean().default(false),
  /** Only reports what would change. */
  dryRun: z.boolean().default(false),
  /** Opens an archive that is sealed for another workspace. */
  key: openingKey.optional(),
})

const restored = z.object({
  id: z.string(),
  dryRun: z.boolean(),
  /** It is prepared, and a restart of the daemon applies it. */
  restartRequired: z.boolean(),
  createdAt: z.string().nullable(),
  version: z.string().nullable(),
  memories: z.object({ now: z.int(), inBackup: z.int().nullable() }),
  /** Number of new files, of replaced ones, and of present ones that move to the undo folder. */
  files: z.object({ added: z.int(), replaced: z.int(), movedAway: z.int() }),
  /**
   * The key of its secrets: `same` as now, `other`, or `none` without secrets. A backup never contains the
   * key itself.
   */
  secretsKey: z.enum(['same', 'other', 'none']),
  /** Sync is on: it brings later changes back, and what was forgotten since stays forgotten. */
  synced: z.boolean(),
})
export type RestoreReply = z.infer<typeof restored>

export const restoreBackup = endpoint({
  ...admin,
  path: '/api/backup/:id/restore',
  summary: 'Prepare a restore from a backup for the next daemon start; it can be undone',
  params: z.object({ id: backupId }),
  body: restoreBody,
  response: restored,
})

export const restoreArchive = endpoint({
  ...admin,
  path: '/api/backup/restore',
  summary: 'Prepare a restore from an archive by its path',
  body: restoreBody.extend({ file: archivePath }),
  response: restored,
})

export const undoRestore = endpoint({
  ...admin,
  path: '/api/backup/undo',
  summary: 'Undo the last restore, or cancel a prepared one',
  body: z.object({ confirm: z.boolean().default(false) }),
  response: z.object({ id: z.string(), restartRequired: z.boolean(), message: z.string() }),
})

import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { folderFault } from '../../../lib/files/folder-fault.js'
import { countOf, formatBytes } from '../../../lib/text/count-of.js'
import { grantCommand } from '../../../lib/text/shell-words.js'
import { isNewer } from '../../../lib/workspace/version.js'
import type { DoctorContext, LocalCheck, Outcome } from './finding.js'

/** Folders of Windows and macOS that belong to no person. */
const nobodys = new Set(['public', 'default', 'default user', 'all users', 'shared', 'guest', 'desktop.ini'])
const firstPerson = 1000
/** Higher ids belong to nobody and to services that start on demand. */
const lastPerson = 60_000

/** Counts people other than the first with an account on this machine, as far as its files show them. */
async function otherPeople(platform: NodeJS.Platform): Promise<number> {
  const count =
    platform === 'linux'
      ? peopleIn(await readFile('/etc/passwd', 'utf8').catch(() => ''))
      : await homes(platform)
  return Math.max(0, count - 1)
}

/** Returns the number of people with a login shell in the text of /etc/passwd. */
export function peopleIn(passwd: string): number {
  return passwd.split('\n').filter(line => {
    const [, , uid = '', , , , shell = ''] = line.split(':')
    const isPerson = Number(uid) >= firstPerson && Number(uid) <= lastPerson
    return isPerson && shell !== '' && !/(?:nologin|false|sync)$/u.test(shell)
  }).length
}

async function homes(platform: NodeJS.Platform): Promise<number> {
  const names = await readdir(platform === 'win32' ? 'C:\\Users' : '/Users').catch(() => [])
  return names.filter(name => !name.startsWith('.') && !nobodys.has(name.toLowerCase())).length
}

const oldestNode = '20.19.0'
const mebibyte = 1024 * 1024
const scarceBytes = 1024 * mebibyte
const tooFewBytes = 100 * mebibyte
const sqliteHeader = 'SQLite format 3\u0000'

/** Node, the workspace folder, settings, disk space and the database file. */
export const machineChecks: readonly LocalCheck[] = [
  { id: 'node-version', run: checkNode },
  { id: 'driver', run: checkDriver },
  { id: 'workspace', run: checkWorkspace },
  { id: 'settings', run: unlessUnusable(checkSettings) },
  { id: 'local-users', run: unlessUnusable(checkLocalUsers) },
  { id: 'disk-space', run: checkDisk },
  { id: 'network-disk', run: checkNetworkDisk },
  { id: 'sync-program', run: checkSyncProgram },
  { id: 'database-file', run: unlessUnusable(checkDatabaseFile) },
]

async function checkNode({ nodeVersion }: DoctorContext): Promise<Outcome> {
  if (!(await isNewer(oldestNode, nodeVersion))) return { severity: 'ok', evidence: nodeVersion }
  return {
    severity: 'error',
    evidence: `${nodeVersion} is older than ${oldestNode}`,
    fix: `install Node ${oldestNode} or newer`,
  }
}

/** A daemon's own check cannot say this: without a driver none runs. */
async function checkDriver({ driver }: DoctorContext): Promise<Outcome> {
  const found = await driver()
  if (typeof found === 'string') return { severity: 'ok', evidence: found }
  return { severity: 'error', evidence: found.message, fix: found.nextStep }
}

async function checkWorkspace({ paths: { root, daemonDir, logsDir } }: DoctorContext): Promise<Outcome> {
  const fault = folderFault(root)
  if (fault) return { severity: 'error', evidence: fault.why, fix: fault.fix }
  if (!(await stat(root).catch(() => undefined))) {
    return {
      severity: 'info',
      evidence: `${root} does not exist yet; it is created with the first saved memory`,
      fix: 'memory init',
      repair: async () => {
        for (const path of [root, daemonDir, logsDir]) await mkdir(path, { recursive: true, mode: 0o700 })
      },
    }
  }
  return { severity: 'ok', evidence: root }
}

/** Skips a check for an unusable workspace, whose files have no faults of their own. */
function unlessUnusable(run: LocalCheck['run']): LocalCheck['run'] {
  return context =>
    folderFault(context.paths.root)
      ? Promise.resolve({ severity: 'info', evidence: 'not checked: the workspace cannot be used' })
      : run(context)
}

/** Schema and YAML reader are loaded here, because no other command needs them at start. */
async function checkSettings({ paths }: DoctorContext): Promise<Outcome> {
  const [{ settings }, { formatProblem, loadSettings }] = await Promise.all([
    import('../../../contract/settings.js'),
    import('../../../lib/workspace/settings-file.js'),
  ])
  const { errors, unknown } = loadSettings(paths.settings, settings)
  if (errors.length > 0) {
    const evidence = `ignored, the defaults apply: ${errors.map(formatProblem).join('; ')}`
    return { severity: 'error', evidence, fix: `edit ${paths.settings}` }
  }
  if (unknown.length > 0) {
    return {
      severity: 'warning',
      evidence: unknown.map(formatProblem).join('; '),
      fix: `correct or remove the key in ${paths.settings}`,
    }
  }
  const exists = await stat(paths.settings).catch(() => undefined)
  return { severity: 'ok', evidence: exists ? paths.settings : 'no agent.yaml, the defaults apply' }
}

/** A file that nobody uses has no faults. */
async function checkDatabaseFile(context: DoctorContext): Promise<Outcome> {
  const { storage } = await settingsOf(context)
  if (storage.postgres !== undefined)
    return { severity: 'ok', evidence: 'not used: memories are stored on a server (memory storage status)' }
  return lookAtDatabaseFile(context)
}

async function settingsOf({ paths }: DoctorContext) {
  const [{ settings }, { loadSettings }] = await Promise.all([
    import('../../../contract/settings.js'),
    import('../../../lib/workspace/settings-file.js'),
  ])
  return loadSettings(paths.settings, settings).settings
}

/** Recommends to ask for a proof where other people may run programs on this machine. */
async function checkLocalUsers(context: DoctorContext): Promise<Outcome> {
  const { platform } = context
  const { auth } = await settingsOf(context)
  if (auth.mode !== 'local' || auth.localUsers !== undefined)
    return { severity: 'ok', evidence: 'the settings of auth decide who may call' }
  const others = await otherPeople(platform)
  if (others === 0) return { severity: 'ok', evidence: 'nobody else has an account on this machine' }
  const outcome = platform === 'linux' ? 'are refused where Linux shows them' : 'may use this memory'
  return {
    severity: 'info',
    evidence: `${countOf(others, 'other account')} on this machine; programs of other people ${outcome}`,
    fix: 'memory config set auth.localUsers own',
  }
}

async function checkDisk({ paths, freeBytes }: DoctorContext): Promise<Outcome> {
  const free = await freeBytes(paths.root)
  const evidence = `${formatBytes(free)} free`
  if (free >= scarceBytes) return { severity: 'ok', evidence }
  const fix = `free space on the disk of ${paths.root}`
  return { severity: free < tooFewBytes ? 'error' : 'warning', evidence, fix }
}

/** Some programs behind FUSE serve a local disk, so FUSE alone needs no action. */
async function checkNetworkDisk({ paths: { root }, networkDisk }: DoctorContext): Promise<Outcome> {
  const disk = await networkDisk(root)
  if (disk === undefined) return { severity: 'ok', evidence: 'a disk of this machine' }
  return {
    severity: disk === 'FUSE' ? 'info' : 'warning',
    evidence: `${root} is on a ${disk} disk; two systems that use it damage the database`,
    fix: 'move the workspace to a disk of this machine; other systems use its daemon by SERVICE_DAEMON_URL',
  }
}

/** Folders that a program keeps equal on several machines: by name, or by a file of the program. */
const syncedNames =
  /^(?:dropbox|onedrive|google ?drive|my drive|mobile documents|icloud ?drive|nextcloud|owncloud|pcloud ?drive)\b/iu
const syncMarks = ['.stfolder', '.dropbox.cache', '.owncloudsync.log']

/** Names the sync program's folder around a path; undefined outside of one. */
async function syncedFolder(path: string): Promise<string | undefined> {
  for (let at = path; ; at = dirname(at)) {
    if (syncedNames.test(basename(at))) return at
    const marks = await Promise.all(syncMarks.map(name => stat(join(at, name)).catch(() => undefined)))
    if (marks.some(Boolean)) return at
    if (at === dirname(at)) return undefined
  }
}

/**
 * A sync program copies the database while it is written, and keeps a second file where two machines wrote:
 * `memories.sync-conflict-…`, `memories (… conflicted copy …)`, `memories-OTHERPC`, `memories 2`.
 */
async function checkSyncProgram({ paths: { root, memoryDir, database } }: DoctorContext): Promise<Outcome> {
  const names = await readdir(memoryDir).catch(() => [])
  const copies = names.filter(name => /^memories[^.\w].*\.db$|^memories\.sync-conflict-.*$/u.test(name))
  const folder = await syncedFolder(root)
  if (copies.length > 0)
    return {
      severity: 'warning',
      evidence: `a sync program kept ${countOf(copies.length, 'copy', 'copies')} from another machine: ${copies.join(', ')}`,
      fix: `memory export reads a copy on its own (put it as ${basename(database)} in an empty workspace); memory import joins both`,
    }
  if (folder === undefined) return { severity: 'ok', evidence: 'not in the folder of a sync program' }
  return {
    severity: 'warning',
    evidence: `${root} is in ${folder}, which a sync program copies while the database is written`,
    fix: 'move the workspace out of it, and bring memories along by memory backup create or memory export',
  }
}

/** Recent writes are in the write-ahead log until SQLite copies them into the file; that may be megabytes. */
async function sizeWithLog(database: string, bytes: number): Promise<string> {
  const log = `${database}-wal`
  const { size } = await stat(log).catch(() => ({ size: 0 }))
  const whole = formatBytes(bytes + size)
  return size === 0 ? whole : `${whole}, ${formatBytes(size)} of it in ${basename(log)}`
}

async function lookAtDatabaseFile({ paths: { database }, findDaemon }: DoctorContext): Promise<Outcome> {
  const file = await open(database, 'r').catch((error: NodeJS.ErrnoException) => error)
  if (file instanceof Error) {
    if (file.code === 'ENOENT' && (await findDaemon()))
      return {
        severity: 'error',
        evidence: `${database} is missing, but a daemon is running`,
        fix: 'memory status',
      }
    if (file.code === 'ENOENT') return { severity: 'info', evidence: 'none yet' }
    return {
      severity: 'error',
      evidence: `${database}: ${file.code}`,
      fix: grantCommand(database, { access: 'write', isFolder: false }),
    }
  }
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
    // SQLite creates an empty file first and writes the header with the first table.
    if (bytesRead === 0 || buffer.toString('latin1') === sqliteHeader) {
      return { severity: 'ok', evidence: await sizeWithLog(database, size) }
    }
  } finally {
    await file.close()
  }
  return {
    severity: 'error',
    evidence: `${database} is not an SQLite database`,
    fix: `stop the daemon (memory daemon stop) and replace ${database} with a backup`,
  }
}

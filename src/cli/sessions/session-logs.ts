import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { Reply } from '../../contract/api.js'
import type { LogAdapter } from '../../contract/knowledge/import-adapters.js'
import { uuid } from '../../lib/text/uuid.js'
import type { CallDaemon, ImportedFile } from '../knowledge/import/upload-import.js'
import { CliError } from '../shell/cli-error.js'
import { unreadablePath } from '../shell/unreadable-path.js'
import { describeSessionFile, findSessionFiles, type SessionFile } from './session-files.js'

/** A log of a session as a file of an import. */
export interface SessionLog extends ImportedFile {
  sessionKey: string
}

export interface LogsAt {
  from: LogAdapter
  /** ISO time: only sessions that went on after it. */
  since: string | undefined
  /** Somebody named the paths: one that is missing is a mistake. */
  named: boolean
}

/**
 * Logs of sessions at some paths, newest first.
 * @throws CliError `invalid_input` for a path that was named and can't be read, and for logs of another harness.
 */
export async function sessionLogsAt(
  paths: readonly string[],
  { from, since, named }: LogsAt,
): Promise<SessionLog[]> {
  const found: SessionFile[] = []
  for (const path of paths)
    try {
      for (const file of await findSessionFiles(path, from)) {
        const session = await describeSessionFile(file)
        if (session && (since === undefined || session.endedAt >= since)) found.push(session)
      }
    } catch (cause) {
      // A harness that was never used has no folder.
      if (!named && (cause as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw unreadablePath(path, cause)
    }
  refuseOthers(found, from)
  return withFileIds(found.sort((a, b) => b.endedAt.localeCompare(a.endedAt)))
}

/** Read as what it is not, a session would be rejected file by file. */
function refuseOthers(files: readonly SessionFile[], from: LogAdapter): void {
  const others = files.filter(({ harness }) => harness !== undefined && harness !== from)
  const [first] = others
  if (!first) return
  const what = others.length === files.length ? 'These are' : `${others.length} of these ${files.length} are`
  throw new CliError(`${what} sessions of ${first.harness}, not of ${from}: ${first.path}`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: [`memory import transcripts --from ${first.harness} PATH`],
  })
}

/** Gives each log the name that it has in every import: by it the daemon tells what is known of it. */
function withFileIds(files: readonly SessionFile[]): SessionLog[] {
  const uses = new Map<string, number>()
  for (const { path } of files) uses.set(nameOf(path), (uses.get(nameOf(path)) ?? 0) + 1)
  return files.map(({ path, bytes, sessionKey }) => {
    const name = nameOf(path)
    const isAlone = uses.get(name) === 1 && uuid.test(name)
    const fileId = isAlone ? name : `${name}~${createHash('sha256').update(path).digest('hex').slice(0, 8)}`
    return { path, bytes, sessionKey, fileId, onlyGrows: path.endsWith('.jsonl') }
  })
}

/** A log is named by its session, or lies in a folder that is. */
function nameOf(path: string): string {
  const folder = basename(dirname(path))
  const name = basename(path) === 'events.jsonl' ? `${folder}_events.jsonl` : basename(path)
  return name.replace(/[^\w.@+=~-]/gu, '_').slice(-180)
}

export interface PickedLogs {
  wanted: SessionLog[]
  /** Left alone: read before as they are. */
  unchanged: number
  /** Left alone: somebody works in them, and they are captured when they end. */
  live: number
}

/**
 * Which logs are to be read: those that no import read before in this length, and whose session nobody works in.
 * @param all those that were read before too.
 */
export async function pickLogs(
  call: CallDaemon,
  logs: readonly SessionLog[],
  { from, agent, all }: { from: LogAdapter; agent: string | undefined; all: boolean },
): Promise<PickedLogs> {
  const known = all ? new Map<string, number>() : await readBefore(call, from, agent)
  const others = logs.filter(({ fileId, bytes }) => known.get(fileId) !== bytes)
  const live = others.length > 0 ? await liveKeys(call, agent) : new Set<string>()
  const wanted = others.filter(({ sessionKey }) => !live.has(sessionKey))
  return { wanted, unchanged: logs.length - others.length, live: others.length - wanted.length }
}

/** Imports that are looked through, and sessions that are live at once. */
const looked = 500

/** Lengths in which logs were read, by their names; what a removed import read is to be read again. */
async function readBefore(
  call: CallDaemon,
  from: LogAdapter,
  agentId: string | undefined,
): Promise<Map<string, number>> {
  const known = new Map<string, number>()
  const { jobs } = await call('GET /api/sources/imports', { query: { limit: looked, agentId } })
  for (const job of jobs) {
    if (job.adapter !== from || job.state !== 'completed' || job.removedAt !== null) continue
    const { files } = await call('GET /api/sources/imports/:jobId', { params: { jobId: job.id } })
    for (const { fileId, upload_size } of files)
      if (upload_size !== null && !known.has(fileId)) known.set(fileId, upload_size)
  }
  return known
}

async function liveKeys(call: CallDaemon, agentId: string | undefined): Promise<Set<string>> {
  const { sessions }: Reply<'GET /api/sessions'> = await call('GET /api/sessions', {
    query: { limit: looked, agentId },
  })
  return new Set(sessions.filter(({ runtimePath }) => runtimePath !== null).map(({ key }) => key))
}

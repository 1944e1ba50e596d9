import { createHash } from 'node:crypto'
import { type FileHandle, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Reply } from '../../contract/api.js'
import type { LogAdapter } from '../../contract/knowledge/import-adapters.js'
import { followedFiles } from '../../lib/files/followed-files.js'
import { openForeign } from '../../lib/files/open-foreign.js'
import { PackedFault, packedEnding, unpacked } from '../../lib/files/unpacked.js'
import { jsonOf } from '../../lib/text/json-of.js'
import { uuid } from '../../lib/text/uuid.js'
import type { CallDaemon, UploadFile } from '../knowledge/import/upload-import.js'
import { CliError } from '../shell/cli-error.js'
import { unreadablePath } from '../shell/unreadable-path.js'
import { isSessionDatabase, sessionsInDatabase } from './database-sessions.js'
import { folderBeside } from './folder-beside.js'

/** A session file of a harness. */
interface SessionFile {
  path: string
  bytes: number
  sessionKey: string
  /** Harness that wrote it, if the beginning reveals it. */
  harness: LogAdapter | undefined
  /** Working folder, if only files beside it name it. */
  folder: string | undefined
  /** ISO time of the last message. */
  endedAt: string
  /** Place that stays the same, for a session out of a database. */
  origin?: string
}

const headBytes = 256 * 1024
/** The first line of a session of pi. */
const piHeader = /^\s*\{\s*"type"\s*:\s*"session"\s*,/u
/** The first fields of a session of Cline. */
const clineDocument = /^\s*\{\s*"version"\s*:\s*\d+,[^{}]{0,400}"origin"\s*:\s*\{/u
/** The first fields of what `opencode export` prints. */
const openCodeExport = /^(?:\[\s*)?\{\s*"info"\s*:\s*\{/u
/** The first line of a session of Grok Build. */
const grokLine = /^\s*\{"timestamp":\d+,"method":"(?:_x\.ai\/)?session\/update"/u
const tailBytes = 64 * 1024

/** Paths of session logs below a folder; other files are internal to the session. */
const logPaths: Readonly<Record<LogAdapter, RegExp>> = {
  'claude-code': /(?:^|[\\/])(?!agent-)[^\\/]*\.jsonl$/u,
  codex: /(?:^|[\\/])(?!agent-)[^\\/]*\.jsonl$/u,
  copilot: /(?:^|[\\/])events\.jsonl$/u,
  gemini: /(?:^|[\\/])(?:session-[^\\/]*|chats[\\/](?:[^\\/]+[\\/])?[^\\/]+)\.jsonl?$/u,
  vscode: /[\\/]GitHub\.copilot-chat[\\/]transcripts[\\/][^\\/]+\.jsonl$/u,
  cursor: /[\\/]agent-transcripts[\\/](?:[^\\/]+[\\/])?[^\\/]+\.jsonl$/u,
  qwen: /[\\/]chats[\\/][^\\/]+\.jsonl$/u,
  kimi: /[\\/]agents[\\/]main[\\/]wire\.jsonl$/u,
  pi: /\.jsonl$/u,
  'oh-my-pi': /\.jsonl$/u,
  // `opencode export`; its own sessions are in a database, like those of the next three.
  opencode: /\.json$/u,
  kilo: /\.json$/u,
  'hermes-agent': /\.jsonl$/u,
  openclaw: /[\\/]sessions[\\/][^\\/]+\.jsonl$/u,
  grok: /[\\/]updates\.jsonl$/u,
  cline: /(?:\.messages|[\\/]api_conversation_history)\.json$/u,
}

/** The file of a task in Cline's extension. */
const clineHistory = 'api_conversation_history.json'

/** The file of a session of Grok Build. */
const grokLog = 'updates.jsonl'

const logName = /\.jsonl?$/u

/** A sub-agent's log says so: Codex in its first line, Gemini CLI in its first fields. */
function isOfSubAgent(head: string): boolean {
  const start = head.slice(0, 4096)
  return (
    /"source"\s*:\s*\{\s*"sub_?agent"/iu.test(head) ||
    (/"projectHash"\s*:/u.test(start) && /"kind"\s*:\s*"sub_?agent"/u.test(start))
  )
}

/**
 * Returns the session files of a harness at a path, unsorted: all below a folder except those of sub-agents,
 * and of a log and its packed copy the log.
 * @throws the error of reading the given path; unreadable subfolders are skipped.
 */
async function findSessionFiles(path: string, from: LogAdapter): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path]
  const isWanted = (name: string) => logName.test(unpackedName(name)) || isSessionDatabase(name, from)
  const files = await followedFiles(path, isWanted)
  const all = new Set(files)
  return files.filter(
    file =>
      (logPaths[from].test(unpackedName(file)) || isSessionDatabase(file, from)) &&
      !/[\\/]subagents[\\/]/u.test(file.slice(path.length)) &&
      !(packedEnding.test(file) && all.has(unpackedName(file))),
  )
}

/** A path without the ending of packed files. */
function unpackedName(path: string): string {
  return path.replace(packedEnding, '')
}

/**
 * Describes a session from the beginning and end of its file; undefined for an empty file and a sub-agent's.
 */
async function describeSessionFile(path: string): Promise<SessionFile | undefined> {
  const handle = await openForeign(path, { followLinks: true })
  try {
    const { size, mtimeMs } = await handle.stat()
    // A harness that was opened and closed at once leaves empty files.
    if (size === 0) return undefined
    const isPacked = packedEnding.test(path)
    // It has no sessions, so that its refusal names it.
    if (takeout.test(basename(path))) return undefined
    const head = isPacked ? await unpackedHead(handle) : await readAt(handle, 0, Math.min(size, headBytes))
    if (isOfSubAgent(head)) return undefined
    const length = Math.min(size, tailBytes)
    // Unpacking all of it for its last time would take longer than importing it.
    const ended = isPacked ? undefined : lastTime(await readAt(handle, size - length, length))
    const name = basename(unpackedName(path))
    return {
      path,
      bytes: size,
      sessionKey: uuid.exec(name)?.[0] ?? field(head, 'sessionId') ?? basename(sessionName(path), '.jsonl'),
      harness: writerOf(head),
      folder: await folderBeside(path, field(head, 'projectHash')),
      endedAt: ended ?? new Date(mtimeMs).toISOString(),
    }
  } finally {
    await handle.close()
  }
}

async function readAt(handle: FileHandle, start: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start)
  return buffer.toString('utf8', 0, bytesRead)
}

/** The beginning of a packed log; a damaged one is described when it is imported. */
async function unpackedHead(handle: FileHandle): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    const packed = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: tailBytes })
    for await (const piece of unpacked(packed, Number.POSITIVE_INFINITY)) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= headBytes) break
    }
  } catch (error) {
    if (!(error instanceof PackedFault)) throw error
  }
  return Buffer.concat(pieces).toString('utf8', 0, headBytes)
}

/** The name of a log, or of its folder if that is named after the session. */
function sessionName(path: string): string {
  const name = unpackedName(path)
  if (basename(name) === 'wire.jsonl') return basename(dirname(dirname(dirname(name))))
  return [clineHistory, grokLog].includes(basename(name)) ? basename(dirname(name)) : basename(name)
}

/** Programs that write the logs of another, by that one. */
const alike: Partial<Record<LogAdapter, LogAdapter>> = {
  vscode: 'copilot',
  'oh-my-pi': 'pi',
  openclaw: 'pi',
  kilo: 'opencode',
}

/** Returns the coding agent that wrote a log with this beginning; undefined for other texts. */
export function writerOf(head: string): LogAdapter | undefined {
  if (/"type"\s*:\s*"session_meta"/u.test(head)) return 'codex'
  if (/^\s*\{\s*"type"\s*:\s*"session\.start"/u.test(head)) return 'copilot'
  if (/"projectHash"\s*:/u.test(head)) return 'gemini'
  if (piHeader.test(head)) return 'pi'
  if (clineDocument.test(head)) return 'cline'
  if (grokLine.test(head)) return 'grok'
  if (openCodeExport.test(head.trimStart())) return 'opencode'
  if (/"type"\s*:\s*"context\.\w+"/u.test(head)) return 'kimi'
  if (/"provenance"\s*:\s*"\w+"/u.test(head)) return 'qwen'
  return /"sessionId"\s*:/u.test(head) ? 'claude-code' : undefined
}

/** Returns the first text of a field without parsing lines, which may be very long or incomplete. */
function field(text: string, name: string): string | undefined {
  const quotedText = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\\n]|\\\\.)*")`, 'u').exec(text)?.[1]
  const value = quotedText === undefined ? undefined : jsonOf(quotedText)
  return typeof value === 'string' ? value : undefined
}

function lastTime(text: string): string | undefined {
  const times = [...text.matchAll(/"timestamp"\s*:\s*"(\d{4}-[^"]{5,40})"/gu)].map(
    ([, time = '']) => new Date(time),
  )
  const last = times.findLast(time => !Number.isNaN(time.getTime()))
  return last?.toISOString()
}

/** A session log as a file of an import. */
export interface SessionLog extends UploadFile {
  sessionKey: string
}

export interface LogSelection {
  from: LogAdapter
  /** ISO time; only sessions that continued after it are included. */
  since: string | undefined
  /** True if the user named the paths, so a missing one is an error. */
  named: boolean
}

/**
 * Returns the session logs at some paths, newest first.
 * @throws CliError `invalid_input` for an unreadable path that the user named, and for logs of another
 * harness.
 */
export async function sessionLogsAt(
  paths: readonly string[],
  { from, since, named }: LogSelection,
): Promise<SessionLog[]> {
  const found: SessionFile[] = []
  for (const path of paths)
    try {
      for (const file of await findSessionFiles(path, from))
        for (const session of await sessionsIn(file, from))
          if (since === undefined || session.endedAt >= since) found.push(session)
    } catch (cause) {
      // A harness that was never used has no folder.
      if (!named && (cause as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw cause instanceof CliError ? cause : unreadablePath(path, cause)
    }
  if (named && found.length === 0 && since === undefined) throw await noLogs(paths, from)
  refuseOthers(found, from)
  return withFileIds(found.sort((a, b) => b.endedAt.localeCompare(a.endedAt)))
}

/** The sessions of a file: one, or all of a database. */
async function sessionsIn(file: string, from: LogAdapter): Promise<SessionFile[]> {
  if (isSessionDatabase(file, from))
    return (await sessionsInDatabase(file, from)).map(session => ({
      ...session,
      harness: undefined,
      folder: undefined,
    }))
  const session = await describeSessionFile(file)
  return session ? [session] : []
}

/** Google's export of Gemini has this name in all languages. */
const takeout = /^MyActivity\.(?:json|html)$/u

/** Says what lies at paths without a single log. */
async function noLogs(paths: readonly string[], from: LogAdapter): Promise<CliError> {
  const names = await Promise.all(
    paths.map(path => followedFiles(path, name => takeout.test(name)).catch(() => [path])),
  )
  const activity = names.flat().find(path => takeout.test(basename(path)))
  if (activity === undefined)
    return new CliError(`no sessions of ${from} found at ${paths.join(', ')}`, {
      code: 'invalid_input',
      exit: 'usage',
    })
  return new CliError(`${activity} is Google's export of Gemini (Takeout), not a session of ${from}`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: activity.endsWith('.json')
      ? [`memory import transcripts --from gemini-takeout ${JSON.stringify(activity)}`]
      : ['export it again with JSON as the format of My Activity'],
  })
}

/** Logs of another harness would be rejected one by one, so they are refused early. */
function refuseOthers(files: readonly SessionFile[], from: LogAdapter): void {
  const others = files.filter(
    ({ harness }) => harness !== undefined && harness !== from && harness !== alike[from],
  )
  const [first] = others
  if (!first) return
  const what = others.length === files.length ? 'These are' : `${others.length} of these ${files.length} are`
  throw new CliError(`${what} sessions of ${first.harness}, not of ${from}: ${first.path}`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: [`memory import transcripts --from ${first.harness} PATH`],
  })
}

/** Gives each log a stable file id, by which the daemon recognizes it in later imports. */
function withFileIds(files: readonly SessionFile[]): SessionLog[] {
  const uses = new Map<string, number>()
  for (const { path } of files) uses.set(nameOf(path), (uses.get(nameOf(path)) ?? 0) + 1)
  return files.map(({ path, bytes, sessionKey, folder, origin = path }) => {
    const name = nameOf(path)
    const isAlone = uses.get(name) === 1 && uuid.test(name)
    const fileId = isAlone ? name : `${name}~${createHash('sha256').update(origin).digest('hex').slice(0, 8)}`
    return {
      path,
      bytes,
      sessionKey,
      folder,
      fileId,
      onlyGrows: path.endsWith('.jsonl') && origin === path,
    }
  })
}

/** A log's file or folder is named after its session. */
function nameOf(path: string): string {
  const folder = basename(dirname(path))
  const named: Record<string, string> = {
    'events.jsonl': `${folder}_events.jsonl`,
    [grokLog]: `${folder}_${grokLog}`,
    'wire.jsonl': `${sessionName(path)}_wire.jsonl`,
    [clineHistory]: `${folder}_${clineHistory}`,
  }
  const name = named[basename(path)] ?? basename(path)
  return name.replace(/[^\w.@+=~-]/gu, '_').slice(-180)
}

export interface PickedLogs {
  wanted: SessionLog[]
  /** Skipped, because this version was already read. */
  unchanged: number
  /** Skipped, because the session is still running; it is captured at its end. */
  live: number
}

/**
 * Selects the logs to read: new versions of sessions that are not running.
 * @param all includes versions that were already read.
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

/** Maximum number of searched imports and of running sessions. */
const searchLimit = 500

/** Returns the lengths of logs that were read, by file id. Logs of removed imports are read again. */
async function readBefore(
  call: CallDaemon,
  from: LogAdapter,
  agentId: string | undefined,
): Promise<Map<string, number>> {
  const known = new Map<string, number>()
  const { jobs } = await call('GET /api/sources/imports', { query: { limit: searchLimit, agentId } })
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
    query: { limit: searchLimit, agentId },
  })
  return new Set(sessions.filter(({ runtimePath }) => runtimePath !== null).map(({ key }) => key))
}

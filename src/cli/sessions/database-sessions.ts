import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Database as Connection } from 'better-sqlite3'
import type { LogAdapter } from '../../contract/knowledge/import-adapters.js'
import { lazy } from '../../lib/concurrency/lazy.js'
import { packageFile } from '../../lib/files/package-root.js'
import { unpacked } from '../../lib/files/unpacked.js'
import { hermesSummary } from '../../lib/text/agent-lines.js'
import { isRecord, jsonOf } from '../../lib/text/json-of.js'
import { driverNames, firstDriver } from '../../lib/threads/first-driver.js'
import type { DriverFault } from '../../lib/workspace/driver-fault.js'
import { CliError } from '../shell/cli-error.js'

/** A session that was written out of a database of its program. */
export interface StoredSession {
  /** File with its text, deleted at the end of this process. */
  path: string
  bytes: number
  sessionKey: string
  /** Database and session, which stay the same from one import to the next. */
  origin: string
  endedAt: string
}

type Row = Readonly<Record<string, unknown>>

interface TextOfSession {
  key: string
  /** Milliseconds since the epoch. */
  endedAt: number
  text: string
}

interface DatabaseFormat {
  /** Name of the database's file. */
  file: RegExp
  ending: '.json' | '.jsonl'
  sessions(db: Connection): Iterable<TextOfSession> | AsyncIterable<TextOfSession>
}

/** Programs that keep their sessions in SQLite. They own the tables, so unknown columns are let pass. */
const formats: Partial<Readonly<Record<LogAdapter, DatabaseFormat>>> = {
  opencode: { file: /^opencode[\w.-]*\.db$/u, ending: '.json', sessions: openCodeSessions },
  kilo: { file: /^kilo[\w.-]*\.db$/u, ending: '.json', sessions: openCodeSessions },
  'hermes-agent': { file: /^state\.db$/u, ending: '.jsonl', sessions: hermesSessions },
  openclaw: { file: /^openclaw-agent\.sqlite$/u, ending: '.jsonl', sessions: openClawSessions },
}

/** True for a database with the sessions of a program. */
export function isSessionDatabase(path: string, from: LogAdapter): boolean {
  return formats[from]?.file.test(basename(path)) ?? false
}

/**
 * Writes each session of a database to a file of its own, as its program exports it. The program may be
 * running: a copy is read, and nothing beside the database is touched.
 * @throws CliError `invalid_input` for a database that cannot be read.
 */
export async function sessionsInDatabase(path: string, from: LogAdapter): Promise<StoredSession[]> {
  const format = formats[from]
  if (!format) return []
  const folder = mkdtempSync(join(temporaryFolder(), 'database-'))
  const db = openCopy(path, folder)
  const found: StoredSession[] = []
  try {
    for await (const { key, endedAt, text } of format.sessions(db)) {
      const name = `${key.replace(/[^\w.@+=-]/gu, '_').slice(-150)}${format.ending}`
      const file = join(folder, name)
      writeFileSync(file, text, { mode: 0o600 })
      const ended = new Date(endedAt)
      found.push({
        path: file,
        bytes: Buffer.byteLength(text),
        sessionKey: key,
        origin: `${path}#${key}`,
        endedAt: (Number.isNaN(ended.getTime()) ? new Date(0) : ended).toISOString(),
      })
    }
  } catch (cause) {
    throw new CliError(`${path} has not the tables that ${from} makes: ${(cause as Error).message}`, {
      code: 'invalid_input',
      exit: 'usage',
    })
  } finally {
    db.close()
    for (const name of ['copy.db', 'copy.db-wal', 'copy.db-shm'])
      rmSync(join(folder, name), { force: true, maxRetries: 5 })
  }
  return found
}

/** For the sessions of all databases; only its owner may enter it. */
const temporaryFolder = lazy(() => {
  const folder = mkdtempSync(join(tmpdir(), 'memory-sessions-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
})

/** Copies the log before the database, so that what a checkpoint moves is in one of them. */
function openCopy(path: string, folder: string): Connection {
  const copy = join(folder, 'copy.db')
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
  copyFileSync(path, copy)
  return new (sqliteDriver())(copy)
}

/** @throws CliError if no driver of SQLite loads */
function sqliteDriver(): typeof import('better-sqlite3') {
  const load = createRequire(packageFile('package.json'))
  const names = driverNames(process.versions.node)
  try {
    return firstDriver<typeof import('better-sqlite3')>(names.map(name => ({ name, load: () => load(name) })))
      .Driver
  } catch (error) {
    const { message, nextStep } = error as DriverFault
    throw new CliError(message, { code: 'no_driver', exit: 'driver', nextSteps: [nextStep] })
  }
}

/** Sessions as `opencode export` prints them. Those of sub-agents have a parent. */
function* openCodeSessions(db: Connection): Generator<TextOfSession> {
  const messages = db.prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id')
  const parts = db.prepare('SELECT message_id, data FROM part WHERE session_id = ? ORDER BY id')
  for (const row of db.prepare('SELECT * FROM session WHERE parent_id IS NULL ORDER BY id').all() as Row[]) {
    const key = String(row.id)
    const ofMessage = new Map<unknown, unknown[]>()
    for (const { message_id, data } of parts.all(key) as Row[]) {
      const kept = ofMessage.get(message_id)
      if (kept) kept.push(objectIn(data))
      else ofMessage.set(message_id, [objectIn(data)])
    }
    const said = (messages.all(key) as Row[]).map(({ id, data }) => ({
      info: jsonOf(String(data)),
      parts: ofMessage.get(id) ?? [],
    }))
    const time = { created: row.time_created, updated: row.time_updated }
    const info = { id: key, directory: row.directory, title: row.title, time }
    yield { key, endedAt: Number(row.time_updated), text: JSON.stringify({ info, messages: said }) }
  }
}

/** A part that is no JSON becomes one of an unknown kind, which is counted as left out. */
function objectIn(data: unknown): object {
  const value = jsonOf(String(data))
  return isRecord(value) ? value : {}
}

/** Hermes Agent marks content that is more than text. */
const jsonMark = '\0json:'

/** Lines as pi writes them. Compacted turns are kept and others that are not active were taken back. */
function* hermesSessions(db: Connection): Generator<TextOfSession> {
  const messages = db.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY id')
  for (const row of db.prepare("SELECT * FROM sessions WHERE source <> 'tool' ORDER BY id").all() as Row[]) {
    const key = String(row.id)
    const rows = (messages.all(key) as Row[]).filter(
      ({ role, active, compacted }) =>
        ['user', 'assistant'].includes(String(role)) && (active !== 0 || compacted === 1),
    )
    const turns = withoutCopies(rows)
    const lines = turns.map(({ role, content, timestamp }) => {
      const text = String(content ?? '')
      const told = text.startsWith(jsonMark) ? jsonOf(text.slice(jsonMark.length)) : text
      const message = { role, content: told }
      return JSON.stringify({ type: 'message', timestamp: isoOf(timestamp), message })
    })
    const last = turns.at(-1)?.timestamp ?? row.ended_at ?? row.started_at
    yield { key, endedAt: Number(last) * 1000, text: linesOf(key, row.cwd, lines) }
  }
}

/**
 * A compaction writes the session once more: copies of its first messages, the summary, copies of its last.
 * Only the messages themselves are kept.
 */
function withoutCopies(rows: readonly Row[]): Row[] {
  const said: Row[] = []
  let since: Row[] = []
  const close = () => {
    said.push(...since.slice(commonRows(said, since)))
    since = []
  }
  for (const row of rows) {
    const found = hermesSummary(String(row.content ?? ''))
    if (found) {
      const first = said.length === 0 ? since.slice(0, since.length / 2) : said
      since = since.slice(0, since.length - commonRows(since, first))
      close()
      if (found.before !== '') since.push({ ...row, content: found.before })
    } else since.push(row)
  }
  close()
  return said
}

/** How many of the last rows of one list are the first of another. */
function commonRows(one: readonly Row[], other: readonly Row[]): number {
  const isSame = (a?: Row, b?: Row) => a?.role === b?.role && a?.content === b?.content
  let count = Math.min(one.length, other.length)
  while (!one.slice(one.length - count).every((row, at) => isSame(row, other[at]))) count--
  return count
}

/** Its times are seconds. */
function isoOf(seconds: unknown): string | undefined {
  const time = new Date(Number(seconds) * 1000)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** OpenClaw keeps pi's lines, old ones packed. Sub-agents have a key of their own kind. */
async function* openClawSessions(db: Connection): AsyncGenerator<TextOfSession> {
  const events = db.prepare('SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq')
  for (const row of db.prepare('SELECT * FROM session_windows ORDER BY session_id').all() as Row[]) {
    const key = String(row.session_id)
    if (row.spawned_by !== null || /:subagent:/u.test(String(row.session_key))) continue
    const lines: string[] = []
    for (const { event_json, event_zstd } of events.all(key) as Row[])
      lines.push(event_json === null ? await unpackedLine(event_zstd) : String(event_json))
    const header = lines.map(line => jsonOf(line)).find(line => isRecord(line) && line.type === 'session')
    const cwd = isRecord(header) ? header.cwd : undefined
    yield { key, endedAt: Number(row.updated_at), text: linesOf(key, cwd, lines) }
  }
}

/** A damaged line is counted as unreadable by whoever reads the file. */
async function unpackedLine(packed: unknown): Promise<string> {
  const source = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(packed as Uint8Array)
  }
  const pieces: Buffer[] = []
  try {
    for await (const piece of unpacked(source(), 8 * 1024 * 1024)) pieces.push(piece)
  } catch {
    return 'unreadable'
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** A log of pi, with a header that names session and folder. */
function linesOf(id: string, cwd: unknown, lines: readonly string[]): string {
  const header = { type: 'session', version: 3, id, cwd: typeof cwd === 'string' ? cwd : '' }
  return [JSON.stringify(header), ...lines].map(line => `${line.replaceAll('\n', ' ')}\n`).join('')
}

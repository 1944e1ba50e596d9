import { appendFile, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { oneAtATimeEach } from '../../../lib/concurrency/one-at-a-time.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import {
  type QueuedUse,
  type ToolPermit,
  type ToolQueueFiles,
  toolQueueFiles,
} from '../../../lib/files/tool-queue-files.js'
import { isRecord, jsonOf } from '../../../lib/text/json-of.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'

/** A prompt, as the daemon notes it between the uses. */
export interface QueuedPrompt {
  t: number
  /** Beginning of the prompt, redacted. */
  asked: string
}

/** From here on the log of the agent has everything until a time. */
export interface LogMark {
  t: number
  log: {
    /** Milliseconds. */
    until: number
    /** Number of turns that are stored already. */
    turns: number
    /** The last stored turn, which may go on. */
    last?: Readonly<Record<string, unknown>>
    /** The last uses that the log has. */
    ids: readonly string[]
    /** Those of them that have not ended there, with their commands. */
    running: readonly (readonly [id: string, command: string | null])[]
  }
}

export type QueuedLine = QueuedUse | QueuedPrompt | LogMark

/** Lines of a session that are read, and whose turn may go on. */
export interface OpenTurns {
  /** Bytes that are read. */
  offset: number
  /** Number of the first turn in `lines`. */
  turn: number
  mark?: LogMark['log'] | undefined
  lines: (QueuedUse | QueuedPrompt)[]
}

/** More sessions than this are not noted at the same time. */
const mostSessions = 200

/**
 * The queue of tool uses that hooks write while sessions run (sessions.md#tool-use). A session has a file of
 * lines and a permit, without which hooks write nothing; only the daemon writes permits. Lines are read from
 * the beginning after a restart, which gives the same rows.
 */
export class ToolQueues {
  /** Runs work on one session after another. */
  readonly each = oneAtATimeEach()
  readonly #folder: string
  readonly #log: Pick<Logger, 'warn'>
  readonly #permits = new Map<string, ToolPermit>()
  readonly #open = new Map<string, OpenTurns>()

  constructor({ paths, log }: { paths: Pick<WorkspacePaths, 'toolQueue'>; log: Pick<Logger, 'warn'> }) {
    this.#folder = paths.toolQueue
    this.#log = log
  }

  /**
   * Lets hooks note the tools of a session in a folder.
   * @param turns gives the number of turns that are stored from before
   */
  async permit(
    { cwds: [cwd = ''], ...session }: ToolPermit,
    now: Date,
    turns: () => Promise<number>,
  ): Promise<void> {
    const { sessionKey } = session
    const known = this.#permits.get(sessionKey)
    if (known && isSame(known, session) && known.cwds.includes(cwd)) return
    await this.#quietly(sessionKey, async files => {
      const before = await this.permitOf(sessionKey)
      const isOwn = before?.agentId === session.agentId
      const cwds = [...new Set([...(isOwn ? before.cwds : []), cwd])].slice(0, 100)
      if (!isOwn) {
        if (!before && (await this.keys()).length >= mostSessions) return
        await mkdir(this.#folder, { recursive: true, mode: 0o700 })
        const t = now.getTime()
        const mark: LogMark = { t, log: { until: 0, turns: await turns(), ids: [], running: [] } }
        await writeFile(files.lines, JSON.stringify(mark), { mode: 0o600 })
        this.#open.delete(sessionKey)
      }
      const permit = { ...session, cwds }
      await writeFile(`${files.permit}.tmp`, JSON.stringify(permit), { mode: 0o600 })
      await renamePatiently(`${files.permit}.tmp`, files.permit)
      this.#permits.set(sessionKey, permit)
    })
  }

  /** Adds a line to a session that hooks may note; call it within `each` unless order does not matter. */
  async add(sessionKey: string, line: QueuedPrompt | LogMark): Promise<void> {
    const files = toolQueueFiles(this.#folder, sessionKey)
    if (files && (await this.permitOf(sessionKey)))
      await appendFile(files.lines, `\n${JSON.stringify(line)}`, { mode: 0o600 })
  }

  /** Removes everything of a session; hooks note nothing from then on. */
  async close(sessionKey: string): Promise<void> {
    const files = toolQueueFiles(this.#folder, sessionKey)
    if (!files) return
    this.#permits.delete(sessionKey)
    this.#open.delete(sessionKey)
    for (const file of [files.permit, files.lines]) await rm(file, { force: true, maxRetries: 5 })
  }

  /** Returns the keys of all sessions in the queue. */
  async keys(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names.filter(name => name.endsWith('.json')).flatMap(name => keyOf(name.slice(0, -5)) ?? [])
  }

  async permitOf(sessionKey: string): Promise<ToolPermit | undefined> {
    const known = this.#permits.get(sessionKey)
    const files = known ? undefined : toolQueueFiles(this.#folder, sessionKey)
    if (!files) return known
    const stored = jsonOf(await readFile(files.permit, 'utf8').catch(() => ''))
    if (!isPermit(stored) || stored.sessionKey !== sessionKey) return undefined
    this.#permits.set(sessionKey, stored)
    return stored
  }

  /** Returns the number of bytes in the queue of a session. */
  async sizeOf(sessionKey: string): Promise<number> {
    const files = toolQueueFiles(this.#folder, sessionKey)
    return files ? ((await stat(files.lines).catch(() => undefined))?.size ?? 0) : 0
  }

  openTurnsOf(sessionKey: string): OpenTurns {
    const found = this.#open.get(sessionKey) ?? { offset: 0, turn: 0, lines: [] }
    this.#open.set(sessionKey, found)
    return found
  }

  /** Lets the lines of a session be read from the beginning, as after a restart. */
  readAgain(sessionKey: string): void {
    this.#open.delete(sessionKey)
  }

  /** Reads lines that were added since the last time; torn ones are skipped. */
  async readNew(sessionKey: string): Promise<QueuedLine[]> {
    const turns = this.openTurnsOf(sessionKey)
    const files = toolQueueFiles(this.#folder, sessionKey)
    const added = files ? await readFrom(files.lines, turns.offset) : Buffer.alloc(0)
    if (added.length === 0) return []
    const lines = added.toString('utf8').split('\n')
    const last = lines.at(-1) as string
    // Another process may be writing it just now.
    const isWhole = last === '' || jsonOf(last) !== undefined
    turns.offset += isWhole ? added.length : added.lastIndexOf('\n') + 1
    const breathe = everyFewMs()
    const read: QueuedLine[] = []
    for (const text of isWhole ? lines : lines.slice(0, -1)) {
      const line = jsonOf(text)
      if (isQueuedLine(line)) read.push(line)
      await breathe()
    }
    return read
  }

  /** An error affects only the tools of this session. */
  async #quietly(sessionKey: string, work: (files: ToolQueueFiles) => Promise<void>): Promise<void> {
    const files = toolQueueFiles(this.#folder, sessionKey)
    if (!files) return
    try {
      await this.each(sessionKey, () => work(files))
    } catch (error) {
      this.#log.warn({ err: error }, 'the tools of a session are not noted')
    }
  }
}

function isSame(known: ToolPermit, asked: Omit<ToolPermit, 'cwds'>): boolean {
  return (
    known.agentId === asked.agentId &&
    known.harness === asked.harness &&
    known.hasRules === asked.hasRules &&
    known.full === asked.full
  )
}

async function readFrom(file: string, offset: number): Promise<Buffer> {
  const handle = await open(file).catch(() => undefined)
  if (!handle) return Buffer.alloc(0)
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.max(0, size - offset))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function isPermit(value: unknown): value is ToolPermit {
  return isRecord(value) && typeof value.agentId === 'string' && Array.isArray(value.cwds)
}

function isQueuedLine(value: unknown): value is QueuedLine {
  return (
    isRecord(value) &&
    typeof value.t === 'number' &&
    (typeof value.tool === 'string' || typeof value.asked === 'string' || isRecord(value.log))
  )
}

/** @returns undefined for the name of a file that is not of this queue */
function keyOf(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

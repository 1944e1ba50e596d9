import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxPatchBytes } from '../../src/contract/knowledge/import-files.js'
import { workspacePaths } from '../../src/lib/paths.js'
import { type DaemonProcess, type Scope, spawnDaemon, until } from '../helpers/daemon-process.js'
import { openRaw } from '../helpers/store.js'
import { exportedLine } from '../helpers/transcript-imports.js'

export interface ImportKillsOptions {
  /** An empty folder. */
  workspace: string
  kills: number
  /** Conversations of one import. */
  conversations: number
  /** A kill comes within so many milliseconds after the daemon is up. */
  withinMs: number
}

export interface ImportKillsResult {
  kills: number
  /** What the kills met, by the state of the import. */
  met: Record<string, number>
  imports: number
  messages: number
  /** What went wrong, in words. */
  faults: string[]
}

/**
 * Uploads and imports conversations while the built daemon is killed at random moments, and looks whether what was
 * uploaded is the same byte for byte, each message is there once, and the counts add up (imports.md#how-this-is-proven).
 */
export async function runImportKills(scope: Scope, options: ImportKillsOptions): Promise<ImportKillsResult> {
  const run = new ImportKills(scope, options)
  for (let kill = 0; kill < options.kills; kill++) await run.round()
  return run.finish()
}

interface Upload {
  jobId: string
  bytes: Buffer
  /** Texts of the messages by the key of their conversation. */
  texts: ReadonlyMap<string, readonly string[]>
}

const pauseMs = 20

class ImportKills {
  readonly #uploads: Upload[] = []
  readonly #met: Record<string, number> = {}
  readonly #faults: string[] = []
  #url = ''

  constructor(
    readonly scope: Scope,
    readonly options: ImportKillsOptions,
  ) {}

  async round(): Promise<void> {
    const daemon = await this.#start()
    const over = { yet: false }
    const working = this.#work(over).catch(() => undefined)
    await sleep(Math.random() * this.options.withinMs)
    const state = await this.#state().catch(() => 'starting')
    daemon.child.kill('SIGKILL')
    over.yet = true
    await Promise.all([daemon.exited, working])
    this.#met[state] = (this.#met[state] ?? 0) + 1
  }

  async finish(): Promise<ImportKillsResult> {
    const daemon = await this.#start()
    for (const upload of this.#uploads) await this.#drive(upload, { yet: false })
    for (const upload of this.#uploads) await this.#checkOverHttp(upload)
    daemon.child.kill('SIGTERM')
    await daemon.exited
    const messages = this.#checkStored()
    const { kills } = this.options
    return { kills, met: this.#met, imports: this.#uploads.length, messages, faults: this.#faults }
  }

  async #start(): Promise<DaemonProcess> {
    const daemon = spawnDaemon(this.scope, this.options.workspace, { SERVICE_NO_AUTOSTART: '1' })
    this.#url = (await daemon.ready()).url
    return daemon
  }

  /** Goes on with the last import; once it is done, begins another. */
  async #work(over: { yet: boolean }): Promise<void> {
    while (!over.yet) {
      const last = this.#uploads.at(-1)
      if (last && !(await this.#isDone(last))) await this.#drive(last, over)
      else await this.#begin()
    }
  }

  async #begin(): Promise<void> {
    const number = this.#uploads.length
    const { id } = await this.#ask('POST', '', { adapter: 'service-export', adapterVersion: 1 })
    const texts = new Map<string, string[]>()
    for (let n = 0; n < this.options.conversations; n++)
      texts.set(
        `i${number}-s${n}`,
        Array.from(
          { length: 6 },
          (_, at) => `import ${number} session ${n} message ${at} ${'crane '.repeat(60)}`,
        ),
      )
    const lines = [...texts].map(([key, messages]) => exportedLine(key, messages))
    this.#uploads.push({ jobId: id as string, texts, bytes: Buffer.from(`${lines.join('\n')}\n`) })
  }

  async #drive({ jobId, bytes }: Upload, over: { yet: boolean }): Promise<void> {
    const file = `/${jobId}/files/a`
    while (!over.yet) {
      const job = await this.#ask('GET', `/${jobId}`)
      const [known] = job.files as { upload_offset: number; upload_generation: number; sealed: boolean }[]
      const { upload_offset: offset = 0, upload_generation: generation = 0, sealed = false } = known ?? {}
      if (job.state === 'completed') return
      if (job.state === 'failed') await this.#ask('POST', `/${jobId}/retry`)
      else if (job.state !== 'staging') await sleep(pauseMs)
      else if (sealed) await this.#ask('POST', `/${jobId}/start`)
      else if (offset === bytes.length) await this.#ask('POST', `${file}/finalize`)
      else
        await this.#patch(file, {
          part: bytes.subarray(offset, offset + maxPatchBytes / 4),
          offset,
          generation,
          size: bytes.length,
        })
    }
  }

  async #patch(
    file: string,
    { part, offset, generation, size }: { part: Buffer; offset: number; generation: number; size: number },
  ): Promise<void> {
    await this.#ask('PATCH', file, part, {
      'upload-length': String(size),
      'upload-offset': String(offset),
      'upload-generation': String(generation),
      'upload-checksum': createHash('sha256').update(part).digest('hex'),
    })
  }

  async #isDone({ jobId }: Upload): Promise<boolean> {
    return (await this.#ask('GET', `/${jobId}`)).state === 'completed'
  }

  async #state(): Promise<string> {
    const last = this.#uploads.at(-1)
    return last ? String((await this.#ask('GET', `/${last.jobId}`)).state) : 'starting'
  }

  async #ask(
    method: string,
    path: string,
    body?: object | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Record<string, unknown>> {
    const isBytes = Buffer.isBuffer(body)
    const response = await fetch(`${this.#url}/api/sources/imports${path}`, {
      method,
      headers: { ...headers, ...(body && !isBytes && { 'content-type': 'application/json' }) },
      ...(body && { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    })
    const reply = (await response.json()) as Record<string, unknown>
    if (!response.ok) this.#faults.push(`${method} ${path} answered ${response.status}: ${reply.error}`)
    return reply
  }

  async #checkOverHttp({ jobId, bytes, texts }: Upload): Promise<void> {
    const response = await fetch(`${this.#url}/api/sources/imports/${jobId}/files/a/content`)
    if (!Buffer.from(await response.arrayBuffer()).equals(bytes))
      this.#faults.push(`${jobId}: other bytes than were uploaded`)
    const { total, imported, duplicate, rejected, pending } = await this.#ask('GET', `/${jobId}`)
    const counts = [total, imported, duplicate, rejected, pending].join(' ')
    if (counts !== `${texts.size} ${texts.size} 0 0 0`) this.#faults.push(`${jobId}: counts are ${counts}`)
    const [key = ''] = texts.keys()
    await until(async () => ((await this.#finds(key)) ? true : undefined)).catch(() =>
      this.#faults.push(`${key} is not found`),
    )
  }

  async #finds(sessionKey: string): Promise<boolean> {
    const response = await fetch(`${this.#url}/api/sessions/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'crane', sessionKey }),
    })
    return ((await response.json()) as { count: number }).count === 1
  }

  /** @returns how many messages there are. */
  #checkStored(): number {
    const database = openRaw(this.scope, workspacePaths(this.options.workspace).database)
    const rows = database
      .prepare<[], { key: string; position: number; text: string }>(
        `SELECT t.session_key AS key, m.position, m.text FROM transcripts t
         JOIN transcript_messages m ON m.body_id = t.body_id AND m.position < t.messages ORDER BY 1, 2`,
      )
      .all()
    const stored = new Map<string, string[]>()
    for (const { key, text } of rows) stored.set(key, [...(stored.get(key) ?? []), text])
    for (const { texts } of this.#uploads)
      for (const [key, expected] of texts)
        if (JSON.stringify(stored.get(key)) !== JSON.stringify(expected))
          this.#faults.push(`${key}: ${stored.get(key)?.length ?? 0} messages, or other ones`)
    for (const [what, query] of Object.entries(leftovers)) {
      const { count } = database.prepare<[], { count: number }>(query).get() ?? { count: 0 }
      if (count > 0) this.#faults.push(`${count} ${what}`)
    }
    return rows.length
  }
}

/** What nobody would ever take away. */
const leftovers: Readonly<Record<string, string>> = {
  'messages of no transcript': `SELECT count(*) AS count FROM transcript_messages m
    LEFT JOIN transcripts t ON t.body_id = m.body_id WHERE t.body_id IS NULL OR m.position >= t.messages`,
  'conversations on their way': 'SELECT count(*) AS count FROM transcript_import_bodies',
}

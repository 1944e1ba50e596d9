import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxPatchBytes } from '../../src/contract/knowledge/import-files.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { type DaemonProcess, type Scope, spawnDaemon, until } from '../helpers/daemon-process.js'
import { exportedLine } from '../helpers/transcript-imports.js'
import { checkStored, faultsOverHttp, type Upload } from './import-checks.js'
import { type Moment, waitFor } from './import-moments.js'

/** States of the daemon in which it is killed, in turns. */
export const aims = [
  'put',
  'patch',
  'finalize',
  'inventory',
  'batch',
  'indexing',
  'removal',
  'anything',
] as const
type Aim = (typeof aims)[number]

export interface ImportKillsOptions {
  /** An empty folder. */
  workspace: string
  kills: number
  /** Conversations of one import. */
  conversations: number
  /** Maximum milliseconds between the start of the daemon and an unaimed kill. */
  withinMs: number
}

export interface ImportKillsResult {
  kills: number
  /** Kills by the daemon's state, if the kill met that state. */
  met: Record<string, number>
  imports: number
  removed: number
  messages: number
  /** Descriptions of the faults. */
  faults: string[]
}

/**
 * Uploads, imports and removes conversations while the built daemon is killed in each of its states in turn.
 * Checks that the uploaded bytes are identical, that each message exists once or is removed with its import,
 * and that the counts add up (imports.md#how-this-is-proven).
 */
export async function runImportKills(scope: Scope, options: ImportKillsOptions): Promise<ImportKillsResult> {
  const run = new ImportKills(scope, options)
  for (let kill = 0; kill < options.kills; kill++) await run.round(aims[kill % aims.length] as Aim)
  return run.finish()
}

const pauseMs = 20
/** Maximum milliseconds between sending a request and the kill. */
const partMs = 12
const finalizeMsOfMib = 3
/** Maximum milliseconds between seeing a state of the worker and the kill. */
const momentMs = 3
const streamPiece = 96 * 1024

interface Job {
  state: string
  sourceId: string | null
  removedAt: string | null
  files: { upload_offset: number; upload_generation: number; sealed: boolean }[]
}

class ImportKills {
  readonly #uploads: Upload[] = []
  readonly #met: Record<string, number> = {}
  readonly #faults: string[] = []
  #url = ''
  /** The daemon was killed: requests fail now, which is not a fault. */
  #isOver = false

  constructor(
    readonly scope: Scope,
    readonly options: ImportKillsOptions,
  ) {}

  async round(aim: Aim): Promise<void> {
    const daemon = await this.#start()
    const work = { done: Promise.resolve() as Promise<unknown> }
    const met = await this.#aimAt(aim, work)
    this.#isOver = true
    daemon.child.kill('SIGKILL')
    await Promise.all([daemon.exited, work.done.catch(() => undefined)])
    const what = met ? aim : `${aim}, missed`
    this.#met[what] = (this.#met[what] ?? 0) + 1
  }

  async finish(): Promise<ImportKillsResult> {
    const daemon = await this.#start()
    for (const upload of this.#uploads) await (upload.isRemoved ? this.#removed(upload) : this.#drive(upload))
    for (const upload of this.#uploads) this.#faults.push(...(await faultsOverHttp(this.#url, upload)))
    daemon.child.kill('SIGTERM')
    await daemon.exited
    const { messages, faults } = checkStored(this.scope, this.options.workspace, this.#uploads)
    return {
      kills: this.options.kills,
      met: this.#met,
      imports: this.#uploads.length,
      removed: this.#uploads.filter(({ isRemoved }) => isRemoved).length,
      messages,
      faults: [...this.#faults, ...faults],
    }
  }

  async #start(): Promise<DaemonProcess> {
    const daemon = spawnDaemon(this.scope, this.options.workspace, { SERVICE_NO_AUTOSTART: '1' })
    this.#url = (await daemon.ready()).url
    this.#isOver = false
    return daemon
  }

  /** Brings the daemon into a state. @returns whether it is in that state now */
  async #aimAt(aim: Aim, work: { done: Promise<unknown> }): Promise<boolean> {
    if (aim === 'anything') {
      work.done = this.#work()
      await sleep(Math.random() * this.options.withinMs)
      return true
    }
    if (aim === 'put' || aim === 'patch' || aim === 'finalize') return this.#aimAtRequest(aim, work)
    if (aim === 'removal') {
      const upload = await this.#completed()
      const { sourceId } = await this.#job(upload)
      upload.isRemoved = true
      work.done = this.#remove(sourceId)
    } else await this.#started(aim)
    return waitFor(workspacePaths(this.options.workspace).database, aim, momentMs)
  }

  async #aimAtRequest(aim: 'put' | 'patch' | 'finalize', work: { done: Promise<unknown> }): Promise<boolean> {
    const upload = await this.#staging(aim === 'finalize')
    const state = { isAnswered: false }
    const asked = aim === 'put' ? this.#put(upload) : this.#next(upload, await this.#job(upload))
    work.done = asked.catch(() => undefined).finally(() => (state.isAnswered = true))
    const { length } = upload.bytes
    const takesMs = {
      put: (length / streamPiece) * 2,
      patch: partMs,
      finalize: (length / 2 ** 20) * finalizeMsOfMib,
    }
    await sleep(Math.random() * takesMs[aim])
    return !state.isAnswered
  }

  /** Returns an upload that still accepts files. @param whole with all bytes but not finalized */
  async #staging(whole: boolean): Promise<Upload> {
    const last = this.#uploads.at(-1)
    const job = last && (await this.#job(last))
    const upload = last && job?.state === 'staging' && !job.files[0]?.sealed ? last : await this.#begin()
    for (;;) {
      const [file] = (await this.#job(upload)).files
      const missing = upload.bytes.length - (file?.upload_offset ?? 0)
      if (whole ? missing === 0 : missing > 0) return upload
      // A complete file waits for the next kill during finalize.
      if (!whole) return this.#begin()
      await this.#next(upload, await this.#job(upload))
    }
  }

  /** Ensures that an import is queued or active; inventories are made once, at the beginning. */
  async #started(moment: Moment): Promise<void> {
    const staging: Upload[] = []
    for (const upload of this.#uploads) {
      const { state } = await this.#job(upload)
      if (state === 'staging') staging.push(upload)
      else if (moment === 'inventory') await this.#drive(upload)
      else if (['queued', 'active', 'interrupted'].includes(state)) return
    }
    const upload = staging[0] ?? (await this.#begin())
    for (let job = await this.#job(upload); job.state === 'staging'; job = await this.#job(upload))
      await this.#next(upload, job)
  }

  async #completed(): Promise<Upload> {
    for (const upload of this.#uploads)
      if (!upload.isRemoved && (await this.#job(upload)).state === 'completed') return upload
    const upload = this.#uploads.find(({ isRemoved }) => !isRemoved) ?? (await this.#begin())
    await this.#drive(upload)
    return upload
  }

  /** Continues the last import; starts another once it is done. */
  async #work(): Promise<void> {
    while (!this.#isOver) {
      const last = this.#uploads.at(-1)
      if (last && !last.isRemoved && (await this.#job(last)).state !== 'completed') await this.#drive(last)
      else await this.#begin()
    }
  }

  async #begin(): Promise<Upload> {
    const number = this.#uploads.length
    const { id } = await this.#ask('POST', '', { adapter: 'service-export', adapterVersion: 1 })
    const messages = (n: number) =>
      Array.from(
        { length: 6 },
        (_, at) => `import ${number} session ${n} message ${at} ${'crane '.repeat(60)}`,
      )
    const texts = new Map(
      Array.from(
        { length: this.options.conversations },
        (_, n) => [`i${number}-s${n}`, messages(n)] as const,
      ),
    )
    const lines = [...texts].map(([key, said]) => exportedLine(key, said))
    const upload = {
      jobId: id as string,
      texts,
      bytes: Buffer.from(`${lines.join('\n')}\n`),
      isRemoved: false,
    }
    this.#uploads.push(upload)
    return upload
  }

  /**
   * Waits until a restarted daemon has finished a removal; a removal killed before its start is requested
   * again.
   */
  async #removed(upload: Upload): Promise<void> {
    const { removedAt, sourceId } = await this.#job(upload)
    if (removedAt === null) await this.#remove(sourceId)
    const folder = join(workspacePaths(this.options.workspace).imports, upload.jobId)
    await until(() => !existsSync(folder) || undefined).catch(() => undefined)
  }

  #remove(sourceId: string | null): Promise<Response> {
    return fetch(`${this.#url}/api/sources/${encodeURIComponent(sourceId ?? '')}`, { method: 'DELETE' })
  }

  async #drive(upload: Upload): Promise<void> {
    while (!this.#isOver) {
      const job = await this.#job(upload)
      if (job.state === 'completed' || upload.isRemoved) return
      if (job.state === 'failed') await this.#ask('POST', `/${upload.jobId}/retry`)
      else if (job.state === 'staging') await this.#next(upload, job)
      else await sleep(pauseMs)
    }
  }

  /** Sends the next request of an upload: a part, its finalize, or the start. */
  async #next({ jobId, bytes }: Upload, { files: [known] }: Job): Promise<void> {
    const { upload_offset: offset = 0, upload_generation: generation = 0, sealed = false } = known ?? {}
    if (sealed) await this.#ask('POST', `/${jobId}/start`)
    else if (offset === bytes.length) await this.#ask('POST', `/${jobId}/files/a/finalize`)
    else {
      const part = bytes.subarray(offset, offset + maxPatchBytes / 4)
      await this.#ask('PATCH', `/${jobId}/files/a`, part, {
        'upload-length': String(bytes.length),
        'upload-offset': String(offset),
        'upload-generation': String(generation),
        'upload-checksum': createHash('sha256').update(part).digest('hex'),
      })
    }
  }

  /** Uploads the whole file as a slow stream. */
  async #put({ jobId, bytes }: Upload): Promise<void> {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += streamPiece) {
        yield bytes.subarray(at, at + streamPiece)
        await sleep(1)
      }
    }
    const response = await fetch(`${this.#url}/api/sources/imports/${jobId}/files/a`, {
      method: 'PUT',
      headers: { 'upload-length': String(bytes.length) },
      body: pieces(),
      duplex: 'half',
    } as RequestInit)
    await response.arrayBuffer()
    if (!response.ok && !this.#isOver) this.#faults.push(`PUT answered ${response.status}`)
  }

  #job({ jobId }: Upload): Promise<Job> {
    return this.#ask('GET', `/${jobId}`) as Promise<unknown> as Promise<Job>
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
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JobProgress } from '../../../../store/tables/knowledge/sources.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { isFrozen } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { chunkVectorsJob } from './embed-chunks.js'
import type { SourceEvent } from './kind.js'
import { type PreparedArtifact, prepareArtifact } from './prepare-artifact.js'
import { purgeRemoved } from './purge-removed.js'
import {
  beginArtifact,
  endArtifact,
  transactionChunks,
  type WriteContext,
  writeChunks,
} from './write-artifact.js'

export type WriteDeps = Pick<
  Daemon,
  'store' | 'artifactIndex' | 'clock' | 'newId' | 'configuration' | 'log' | 'wake' | 'budget'
>

/** Thrown while writes are frozen; the job waits until they are allowed again. */
export class SourcesFrozen extends Error {
  override name = 'SourcesFrozen'
}

/** Thrown when the source was removed while it was read. */
export class SourceGone extends Error {
  override name = 'SourceGone'
}

/** A batch is written at this weight, about 10 ms of writing, or at this age. */
const maxWeight = 64
const maxAgeMs = 400
/** Artifacts marked as removed per transaction. */
const unseenRows = 200

export interface WriterOptions {
  sourceId: string
  pass: number
  /** The counts so far of a continued pass. */
  begun: { scanned: number; indexed: number }
  /** Leaves the job unchanged, because its pass has ended. */
  isQuiet?: boolean
}

type PendingWrite = (tables: Tables, place: WriteContext) => Promise<void>

/**
 * Collects the events of a pass and writes them in batches, each in one transaction
 * (sources.md#the-index-job).
 */
export class EventWriter {
  readonly #deps: WriteDeps
  readonly #sourceId: string
  readonly #pass: number
  #ops: PendingWrite[] = []
  #seen: string[] = []
  #weight = 0
  #since = 0
  #removes = false
  #isPurgeDue = false
  readonly #isQuiet: boolean
  #progress: JobProgress = {}
  /** True if the kind could only see a part of the source. */
  isPartial = false
  readonly counts = { scanned: 0, indexed: 0 }

  constructor(deps: WriteDeps, { sourceId, pass, begun, isQuiet = false }: WriterOptions) {
    this.#deps = deps
    this.#sourceId = sourceId
    this.#pass = pass
    this.#isQuiet = isQuiet
    this.counts = { ...begun }
  }

  /** True while events wait to be written. */
  get isOpen(): boolean {
    return this.#since !== 0
  }

  /** @throws SourcesFrozen, SourceGone */
  async add(event: SourceEvent): Promise<void> {
    switch (event.event) {
      case 'artifact':
        await this.#addArtifact(await prepareArtifact(event.artifact))
        break
      case 'same':
        this.counts.scanned++
        this.#seen.push(event.path)
        this.#note(0.1)
        break
      case 'scanned':
        this.counts.scanned += event.count
        this.#note(0)
        break
      case 'total':
        this.#say({ total: event.count })
        break
      case 'status':
        this.#say({ status_message: event.message })
        break
      case 'partial':
        this.isPartial = true
        break
      case 'frontier':
        this.#say({ resume_frontier: event.path })
        break
      case 'removed':
        this.#remove(event.path)
        break
      case 'listed':
        await this.#removeUnseen(event.prefix, event.fromPass ?? this.#pass)
        break
      case 'fault':
        this.#addFault(event)
        break
      case 'checkpoint':
        this.#addCheckpoint(event)
        break
    }
    // One page of a platform may bring a hundred events at once.
    await this.#deps.budget.breathe()
    if (this.#weight >= maxWeight || (this.isOpen && performance.now() - this.#since > maxAgeMs))
      await this.flush()
  }

  /** Writes the pending events, updates the index and purges removed artifacts. */
  async flush(): Promise<void> {
    if (!this.isOpen) return
    const [ops, seen, removes] = [this.#ops, this.#seen, this.#removes]
    const rows = Math.ceil(this.#weight) + 1
    this.#ops = []
    this.#seen = []
    this.#weight = 0
    this.#since = 0
    this.#removes = false
    await this.#write(async (tables, place) => {
      for (const op of ops) await op(tables, place)
      if (seen.length > 0) await tables.sourceArtifacts.noteSeen(this.#sourceId, seen, this.#pass)
      if (this.#isQuiet) return
      await tables.sourceJobs.change(this.#sourceId, {
        ...this.#progress,
        ...this.counts,
        updated_at: place.now,
      })
    }, rows)
    this.#progress = {}
    if (ops.length > 0) this.#deps.wake(chunkVectorsJob)
    if (removes || this.#isPurgeDue) await purgeRemoved(this.#deps, this.#sourceId)
    this.#isPurgeDue = false
    await nextTurn()
  }

  #note(weight: number): void {
    this.#weight += weight
    if (this.#since === 0) this.#since = performance.now()
  }

  #queue(weight: number, op: PendingWrite): void {
    this.#ops.push(op)
    this.#note(weight)
  }

  #say(progress: JobProgress): void {
    this.#progress = { ...this.#progress, ...progress }
    this.#note(0)
  }

  async #addArtifact(prepared: PreparedArtifact): Promise<void> {
    this.counts.scanned++
    this.counts.indexed++
    // Progress: earlier crashes and pauses no longer count.
    this.#progress = { ...this.#progress, attempts: 0 }
    if (prepared.chunks.length > transactionChunks) return this.#writeLarge(prepared)
    this.#queue(prepared.chunks.length + 4, async (tables, place) => {
      await tables.sourceNotes.dropFaults(this.#sourceId, [prepared.read.path])
      const writing = await beginArtifact(tables, place, prepared)
      if (!writing) return
      await writeChunks(tables, place, writing, 0)
      await endArtifact(tables, place, writing)
    })
  }

  /** Chunks of a long text are written in transactions of their own, with turns for other work in between. */
  async #writeLarge(prepared: PreparedArtifact): Promise<void> {
    await this.flush()
    const writing = await this.#write(async (tables, place) => {
      await tables.sourceNotes.dropFaults(this.#sourceId, [prepared.read.path])
      return beginArtifact(tables, place, prepared)
    })
    if (!writing) return
    for (let from = 0; from < prepared.chunks.length; ) {
      const start = from
      from = await this.#write((tables, place) => writeChunks(tables, place, writing, start))
      await nextTurn()
    }
    await this.#write((tables, place) => endArtifact(tables, place, writing))
    this.#note(0)
  }

  #remove(path: string): void {
    this.#removes = true
    this.#queue(2, async tables => {
      const { artifacts, chunks, covered } = await tables.sourceArtifacts.markRemoved(this.#sourceId, [path])
      await tables.sources.count(this.#sourceId, {
        artifacts: -artifacts,
        chunks: -chunks,
        covered: -covered,
      })
      await tables.sourceNotes.dropFaults(this.#sourceId, [path])
    })
  }

  async #removeUnseen(prefix: string, pass: number): Promise<void> {
    await this.flush()
    for (;;) {
      const gone = await this.#write(async tables => {
        const marked = await tables.sourceArtifacts.markUnseen(this.#sourceId, {
          prefix,
          pass,
          limit: unseenRows,
        })
        await tables.sources.count(this.#sourceId, {
          artifacts: -marked.artifacts,
          chunks: -marked.chunks,
          covered: -marked.covered,
        })
        return marked.artifacts
      })
      if (gone > 0) this.#isPurgeDue = true
      if (gone < unseenRows) break
      await nextTurn()
    }
    this.#note(0)
  }

  #addFault(fault: Extract<SourceEvent, { event: 'fault' }>): void {
    this.#queue(1, (tables, { now }) =>
      tables.sourceNotes.putFault({
        source_id: this.#sourceId,
        path: fault.path,
        message: fault.message,
        recoverable: fault.isRecoverable ? 1 : 0,
        guidance: fault.guidance ?? null,
        pass: this.#pass,
        at: now,
      }),
    )
  }

  #addCheckpoint({ key, value, isPartial }: Extract<SourceEvent, { event: 'checkpoint' }>): void {
    this.#queue(1, ({ sourceNotes }, { now }) => {
      if (value === null) return sourceNotes.dropCheckpoint(this.#sourceId, key)
      const partial = isPartial ? 1 : 0
      return sourceNotes.putCheckpoint({ source_id: this.#sourceId, key, value, partial, updated_at: now })
    })
  }

  /**
   * Runs one transaction, then updates the index with the changed chunks. The row count tells the store when
   * to copy the log in a thread, because copying that much would block the event loop.
   */
  async #write<T>(
    work: (tables: Tables, place: WriteContext) => Promise<T>,
    rows = transactionChunks,
  ): Promise<T> {
    const { store, clock, newId, artifactIndex } = this.#deps
    if (isFrozen(this.#deps)) throw new SourcesFrozen()
    const place: WriteContext = {
      sourceId: this.#sourceId,
      pass: this.#pass,
      now: clock().toISOString(),
      newId,
    }
    const { result, first, last } = await store.write(
      { until: 'committed', shared: true, rows },
      async tables => {
        const source = await tables.sources.load(this.#sourceId)
        if (!source || source.removed_at !== null) throw new SourceGone()
        const before = await tables.meta.lastChange()
        const done = await work(tables, place)
        return { result: done, first: before + 1, last: await tables.meta.lastChange() }
      },
    )
    await this.#deps.budget.breathe()
    if (last >= first) await artifactIndex.apply(await store.tables.sourceChunks.changedBetween(first, last))
    return result
  }
}

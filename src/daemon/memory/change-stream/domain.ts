import type { Readable } from 'node:stream'
import type { ChangeEvent, ChangeKind } from '../../../contract/memory/change-stream.js'
import * as contract from '../../../contract/memory/change-stream.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { MemoryChange } from '../../../store/tables/memory/history.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { type NamedAgent, readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { dataText, type StreamReader, StreamReaders } from '../../platform/http/event-stream.js'
import { isVisibleEvent } from '../records/holders.js'

/** How often the history is polled while there are readers. */
const everyMs = 250
/** Session events within this time are announced together. */
const announceMs = 50
/** With more events than this at once, readers get `dropped` instead of each event. */
const mostAtOnce = 1000
/** Newest rows of the history that are looked at for earlier changes: a pass of Dreaming writes thousands. */
const earlierRows = 20_000

type Deps = Pick<Daemon, 'store' | 'log' | 'blackBoxes'>

/** A reader and the history position it has received. */
interface ReaderState {
  caller: Caller
  query: NamedAgent
  told: number
}

type Reader = StreamReader<ReaderState>

/** Readers with the same boundary and position. */
interface Group {
  boundary: ReadBoundary
  told: number
  readers: Reader[]
}

interface Options extends Deps {
  maxReaders?: number
  timers?: Timers
}

/**
 * Streams changes of memories to readers (rules.md#live-changes). Each change writes its history in its own
 * transaction, so polling the history reports every change, by any writer, once it is committed.
 */
export class ChangeStreams {
  readonly #deps: Deps
  readonly #timers: Timers
  readonly #readers: StreamReaders<ReaderState>
  #stopLooking: (() => void) | undefined
  #look: Promise<void> | undefined
  #stopHearing: (() => void) | undefined
  /** Cancels the announcement of session events that is due. */
  #cancelAnnouncement: (() => void) | undefined
  #ended = false

  constructor({ store, log, blackBoxes, maxReaders = 64, timers = systemTimers }: Options) {
    this.#deps = { store, log, blackBoxes }
    this.#timers = timers
    this.#readers = new StreamReaders({
      name: 'readers of changes',
      maxReaders,
      timers,
      dropped: () => ({ type: 'dropped' }) satisfies ChangeEvent,
      onLetGo: missed => log.warn({ missed }, 'slow reader of changes disconnected'),
    })
  }

  /** @throws AppError `overloaded` when there are too many readers, `scope_violation` */
  async open(caller: Caller, { last, ...query }: NamedAgent & { last: number }): Promise<Readable> {
    const { history } = this.#deps.store.tables
    const boundary = await readBoundary(this.#deps, caller, query)
    const told = await history.newest()
    const range = { after: Math.max(0, told - earlierRows), upTo: told }
    const before = last > 0 ? toChangeEvents(await history.changes(range, boundary, last), boundary) : []
    const reader = this.#readers.open({ caller, query, told })
    reader.send(dataText({ type: 'connected', last: before.length } satisfies ChangeEvent))
    for (const change of before) reader.send(dataText(change))
    if (this.#ended) this.#readers.end()
    else {
      this.#stopLooking ??= this.#timers.every(everyMs, () => this.#lookSoon())
      this.#stopHearing ??= this.#deps.blackBoxes.onNote(() => this.#announceActivity())
    }
    return reader.readable
  }

  end(): void {
    this.#ended = true
    this.#rest()
    this.#readers.end()
  }

  async close(): Promise<void> {
    this.end()
    await this.#look
  }

  #rest(): void {
    this.#stopLooking?.()
    this.#stopLooking = undefined
    this.#stopHearing?.()
    this.#stopHearing = undefined
    this.#cancelAnnouncement?.()
    this.#cancelAnnouncement = undefined
  }

  #lookSoon(): void {
    if (this.#readers.size === 0) this.#rest()
    else
      this.#look ??= this.#tell()
        .catch(error => {
          this.#deps.log.warn({ err: error }, 'change stream failed; its readers must reconnect')
          this.#readers.end()
        })
        .finally(() => {
          this.#look = undefined
        })
  }

  async #tell(): Promise<void> {
    // The list is copied before the query: a reader that connects in between may already have a later
    // position.
    const all = [...this.#readers]
    const newest = await this.#deps.store.tables.history.newest()
    for (const { boundary, told, readers } of (await this.#groups(all, newest)).values()) {
      const text = await this.#textBetween({ after: told, upTo: newest }, boundary)
      for (const reader of readers) {
        reader.wish.told = newest
        if (text !== '') reader.send(text)
      }
    }
  }

  /** Tells readers of session events, except those who may see no sessions. */
  #announceActivity(): void {
    this.#cancelAnnouncement ??= this.#timers.after(announceMs, () => {
      this.#cancelAnnouncement = undefined
      const text = dataText({ type: 'activity' } satisfies ChangeEvent)
      for (const reader of this.#readers)
        if (reader.wish.caller.access.scope.user === undefined) reader.send(text)
    })
  }

  /** Groups the readers that are behind. Boundaries are read each time, since policies change. */
  async #groups(all: readonly Reader[], newest: number): Promise<Map<string, Group>> {
    const groups = new Map<string, Group>()
    for (const reader of all) {
      const { caller, query, told } = reader.wish
      if (told === newest) continue
      const boundary = await readBoundary(this.#deps, caller, query)
      const key = JSON.stringify([told, boundary])
      const group = groups.get(key) ?? { boundary, told, readers: [] }
      group.readers.push(reader)
      groups.set(key, group)
    }
    return groups
  }

  /**
   * After the database file is replaced, numbers restart; those changes are not reported one by one either.
   */
  async #textBetween(
    { after, upTo }: { after: number; upTo: number },
    boundary: ReadBoundary,
  ): Promise<string> {
    if (upTo < after || upTo - after > mostAtOnce) return dataText({ type: 'dropped' } satisfies ChangeEvent)
    const changes = await this.#deps.store.tables.history.changes({ after, upTo }, boundary, mostAtOnce)
    return toChangeEvents(changes, boundary).map(dataText).join('')
  }
}

const kinds: Readonly<Record<string, ChangeKind>> = {
  created: 'remembered',
  modified: 'modified',
  deleted: 'forgotten',
  recovered: 'recovered',
}

const streams = createDaemonState<ChangeStreams>()

/** The live stream of memory changes. */
export const changes: Domain = {
  routes: [
    route(contract.streamChanges, (daemon, { caller, query }) => streams.of(daemon).open(caller, query)),
  ],
  workers: [
    daemon => {
      const followed = streams.keep(daemon, new ChangeStreams(daemon))
      return { start: () => undefined, stopping: () => followed.end(), close: () => followed.close() }
    },
  ],
}

function toChangeEvents(changes: readonly MemoryChange[], boundary: ReadBoundary): ChangeEvent[] {
  return changes.flatMap(({ memory_id: id, event, metadata, created_at: at }) => {
    const about = jsonOf(metadata ?? 'null') as { supersededBy?: unknown } | null | undefined
    const isReplaced = event === 'modified' && about?.supersededBy !== undefined
    const kind = isReplaced ? 'superseded' : kinds[event]
    if (kind === undefined || !isVisibleEvent(boundary, about)) return []
    return { type: 'changed', kind, id, at }
  })
}

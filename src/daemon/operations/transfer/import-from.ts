import { stat } from 'node:fs/promises'
import { isAbsolute, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type { MemoryProgram } from '../../../contract/knowledge/import-adapters.js'
import type { ImportFromBody, ImportFromReply } from '../../../contract/operations/import-from.js'
import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { clip } from '../../../lib/text/clip.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import type { ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { recover } from '../../memory/edit/recover.js'
import { remove } from '../../memory/edit/remove.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { importMemories } from './import.js'
import { claudeMem, mcpMemoryService, memPalace } from './programs/database-programs.js'
import {
  type FoundFile,
  type FoundMemory,
  importReason,
  linesOf,
  sourceTypeOf,
} from './programs/found-memory.js'
import { chatgptMemory, mem0, memoryJson } from './programs/json-programs.js'
import {
  basicMemory,
  claudeMd,
  claudeMemory,
  codexMemories,
  cursorRules,
} from './programs/markdown-programs.js'

const readers: Readonly<Record<MemoryProgram, (place: string) => AsyncGenerator<FoundFile>>> = {
  'claude-memory': claudeMemory,
  'claude-md': claudeMd,
  'cursor-rules': cursorRules,
  'codex-memories': codexMemories,
  mem0,
  'claude-mem': claudeMem,
  'basic-memory': basicMemory,
  'mcp-memory-service': mcpMemoryService,
  mempalace: memPalace,
  'chatgpt-memory': chatgptMemory,
  'memory-json': memoryJson,
}

type Deps = Parameters<typeof importMemories>[0] & Pick<Daemon, 'projects'>

/** Memories that are looked up at once. */
const batchSize = 200
const shownFirst = 5
const shownContent = 200
const mostFiles = 100

type Counts = Map<string, number>
type MemoryLine = Exclude<Awaited<ReturnType<typeof linesOf>>, { leftOut: string }>

interface Progress {
  reply: ImportFromReply
  becomes: Map<string, ImportFromReply['becomes'][number]>
  leftOut: Counts
  seen: Set<string>
}

/**
 * Imports the memories of another program from its own files, which are only read. An id is made from the
 * program's own, so a second import finds what it knows (transfer.md#from-other-programs).
 * @throws AppError `validation_failed` for a missing place or a file of another program; what was read before
 * is kept, and the next import continues.
 */
export async function importFrom(deps: Deps, caller: Caller, body: ImportFromBody): Promise<ImportFromReply> {
  const { from, dryRun } = body
  const progress: Progress = {
    reply: emptyReply(from, dryRun),
    becomes: new Map(),
    leftOut: new Map(),
    seen: new Set(),
  }
  const boundary = await readBoundary(deps, caller, body)
  const content = contentOf(deps, caller, { body, boundary, progress })
  const stored = await importMemories(deps, caller, { dryRun, lineOffset: 0 }, content)
  const { reply, becomes, leftOut } = progress
  if (stored.faults[0]) add(leftOut, stored.faults[0].message, stored.faulty)
  return {
    ...reply,
    becomes: [...becomes.values()].sort((a, b) => b.count - a.count),
    leftOut: [...leftOut].map(([why, count]) => ({ why, count })).sort((a, b) => b.count - a.count),
    imported: stored.imported,
    // An import of the same memory at the same time may be first.
    known: reply.known + stored.skipped,
    duplicates: stored.duplicates,
    unsafe: stored.unsafe,
  }
}

interface OneImport {
  body: ImportFromBody
  boundary: ReadBoundary
  progress: Progress
}

/** Yields the new memories as lines of an export. */
async function* contentOf(deps: Deps, caller: Caller, reading: OneImport): AsyncGenerator<Buffer> {
  const budget = new LoopBudget()
  yield bytesOf([{ kind: 'header', format: 'memory-service-export', version: 1 }])
  for await (const file of filesOf(reading.body)) {
    const { files } = reading.progress.reply
    if (files.length < mostFiles) files.push(file.path)
    let batch: MemoryLine[] = []
    for await (const found of file.found) {
      await budget.breathe()
      if ('leftOut' in found) {
        add(reading.progress.leftOut, found.leftOut, found.count)
        continue
      }
      const lines = await taken(deps, caller, reading, { found, file })
      if (lines) batch.push(lines)
      if (batch.length < batchSize) continue
      yield bytesOf((await newOf(deps, caller, reading, batch)).flat())
      batch = []
    }
    yield bytesOf((await newOf(deps, caller, reading, batch)).flat())
  }
  yield bytesOf([{ kind: 'end', memories: 0, events: 0 }])
}

async function* filesOf({ from, paths }: ImportFromBody): AsyncGenerator<FoundFile> {
  for (const path of paths) {
    if (!isAbsolute(path))
      throw new AppError('validation_failed', `${path} must be an absolute path of the daemon's machine`)
    await stat(path).catch((error: unknown) => {
      throw new AppError('validation_failed', `${path} cannot be read: ${messageOf(error)}`)
    })
    yield* readers[from](path)
  }
}

function bytesOf(lines: readonly object[]): Buffer {
  return Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
}

/** Converts a found memory and counts it; one that the program has twice counts once. */
async function taken(
  deps: Deps,
  caller: Caller,
  { body, progress }: OneImport,
  { found, file }: { found: FoundMemory; file: FoundFile },
): Promise<MemoryLine | undefined> {
  const { from, dryRun } = body
  const lookup = { isHere: true, adds: !dryRun }
  const lines = await linesOf(found, {
    from,
    file,
    agent: agentOf(caller, body) ?? defaultAgent,
    actor: caller.actor,
    actorType: caller.actorType,
    project: body.project ?? (found.project ? await deps.projects.resolve(found.project, lookup) : null),
    now: deps.clock(),
  })
  const { reply, becomes, leftOut, seen } = progress
  if ('leftOut' in lines) {
    add(leftOut, lines.leftOut)
    return undefined
  }
  const [memory] = lines
  if (seen.has(memory.id)) {
    add(leftOut, 'said twice')
    return undefined
  }
  seen.add(memory.id)
  reply.found++
  const kind = `${found.what} ${found.type}`
  const counted = becomes.get(kind) ?? { what: found.what, type: found.type, count: 0 }
  becomes.set(kind, { ...counted, count: counted.count + 1 })
  if (reply.first.length < shownFirst)
    reply.first.push({
      type: found.type,
      project: memory.project ?? null,
      content: clip(memory.content, shownContent),
    })
  return lines
}

/** Returns the memories that are new; counts the others, and recovers those of an undone import. */
async function newOf(
  deps: Deps,
  caller: Caller,
  { body, boundary, progress }: OneImport,
  batch: readonly MemoryLine[],
): Promise<MemoryLine[]> {
  const { reply } = progress
  const rows = await deps.store.tables.memories.load(batch.map(([{ id }]) => id))
  const stored = new Map(rows.map(row => [row.id, row]))
  const gone = rows.filter(row => row.is_deleted === 1).map(({ id }) => id)
  const undone = await deps.store.tables.history.removedFor(undoReason(body.from), gone)
  const fresh: MemoryLine[] = []
  for (const lines of batch) {
    const [{ id, content }] = lines
    const row = stored.get(id)
    if (!row) fresh.push(lines)
    else if (row.is_deleted === 0) {
      reply.known++
      if (row.content !== content) reply.changed++
    } else if (!undone.has(id)) reply.forgotten++
    else if (body.dryRun || (await isRecovered(deps, caller, boundary, row, body.from))) reply.recovered++
    else reply.duplicates++
  }
  return fresh
}

async function isRecovered(
  deps: Deps,
  caller: Caller,
  boundary: ReadBoundary,
  { id }: MemoryRow,
  from: MemoryProgram,
): Promise<boolean> {
  const { status } = await recover(deps, caller, boundary, { id, reason: importReason(from) })
  return status === 'recovered'
}

const undoReason = (from: MemoryProgram): string => `the import from ${from} was undone`

/** Forgets what an import brought, so that one `memory undo` brings all of it back. */
export async function undoImportFrom(
  deps: Deps,
  caller: Caller,
  { from, paths, ...named }: { from: MemoryProgram; paths?: readonly string[] | null | undefined },
): Promise<{ from: MemoryProgram; forgotten: number; pinned: number }> {
  const boundary = await readBoundary(deps, caller, named)
  const isFromHere = ({ source_path: path }: MemoryRow): boolean =>
    !paths ||
    paths.some(place => path === place || path?.startsWith(place.endsWith(sep) ? place : place + sep))
  const asked = new Set<string>()
  let forgotten = 0
  let pinned = 0
  for (let offset = 0; ; ) {
    const page = { limit: batchSize, offset }
    const rows = await deps.store.tables.memories.list(boundary, { sourceType: sourceTypeOf(from) }, page)
    if (rows.length === 0) return { from, forgotten, pinned }
    for (const row of rows) {
      // The next page passes over memories that stay, such as those that other agents have too.
      const isNew = asked.size < asked.add(row.id).size
      if (!isNew || !isFromHere(row)) {
        offset++
        continue
      }
      const removal = { id: row.id, reason: undoReason(from), force: false }
      const { status } = await remove(deps, caller, boundary, removal)
      if (status === 'deleted') forgotten++
      else offset++
      if (status === 'pinned_requires_force') pinned++
      await nextTurn()
    }
  }
}

function add(counts: Counts, why: string, count = 1): void {
  counts.set(why, (counts.get(why) ?? 0) + count)
}

function emptyReply(from: MemoryProgram, dryRun: boolean): ImportFromReply {
  return {
    from,
    dryRun,
    files: [],
    found: 0,
    becomes: [],
    leftOut: [],
    imported: 0,
    known: 0,
    changed: 0,
    forgotten: 0,
    recovered: 0,
    duplicates: 0,
    unsafe: 0,
    first: [],
  }
}

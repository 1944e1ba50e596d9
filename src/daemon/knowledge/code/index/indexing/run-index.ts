import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import {
  aboutCode,
  openOrCreateCodeFile,
  writeAbout,
} from '../../../../../store/tables/knowledge/code-file.js'
import { codeLookups } from '../../../../../store/tables/knowledge/code-lookups.js'
import type { FileReason } from '../../../../../store/tables/knowledge/code-rows.js'
import {
  type CodeWrites,
  codeWrites,
  type StoredFile,
} from '../../../../../store/tables/knowledge/code-writes.js'
import { type FileParser, languageOf } from '../languages/language-of.js'
import { affectsOtherFiles, type ListedFiles, type ListedPath, listFiles } from '../listing/list-files.js'
import { readCode } from '../listing/read-code.js'
import { maxFileBytes, type Refusal, refusedByName } from '../listing/refusal.js'
import type { createGrammars } from '../parsing/grammars.js'
import { type ParsedFile, parseFile, scanFile } from '../parsing/parse-file.js'
import type { Manifests } from '../resolving/known-code.js'
import { type Changes, resolve } from '../resolving/resolve.js'
import { readManifests } from './manifests.js'
import type { RunProgress, RunReport, RunRequest } from './run-request.js'
import { storeFile } from './store-file.js'

export interface RunHooks {
  grammars: ReturnType<typeof createGrammars>
  /** Called with the next file to be read, and with an empty text afterwards. */
  reading(path: string): void
  onProgress(progress: RunProgress): void
}

/** Interval of commits, so that a crash repeats little work. */
const commitEveryMs = 300

/** Updates the index of a project, continuing after an earlier run. */
export async function runIndex(request: RunRequest, hooks: RunHooks): Promise<RunReport> {
  const startedAt = Date.now()
  const processor = process.cpuUsage()
  const connection = openOrCreateCodeFile(request.database)
  try {
    const about = aboutCode(connection)
    const isFirst = about?.state !== 'ready'
    const wasOver = about?.pending === 'no'
    writeAbout(connection, { startedAt: new Date(startedAt).toISOString(), pending: 'yes' })
    const writes = codeWrites(connection)
    const paths = isFirst || request.paths?.some(affectsOtherFiles) ? null : request.paths
    const run = new IndexRun({ ...request, paths }, hooks, writes)
    const manifests = await run.read(about?.manifests)
    writeAbout(connection, { manifests: JSON.stringify(manifests) })
    const lookups = codeLookups(connection)
    const isWhole = isFirst || !wasOver
    const changes = isWhole ? undefined : run.changes(lookups.importersOf)
    if (run.hasChanged || isWhole)
      for (const progress of resolve(lookups, writes, manifests, changes)) {
        hooks.onProgress({ phase: 'resolving', ...progress })
        await new Promise(setImmediate)
      }
    writeAbout(connection, { state: 'ready', finishedAt: new Date().toISOString(), pending: 'no' })
    const { user, system } = process.cpuUsage(processor)
    return {
      ...run.report,
      durationMs: Date.now() - startedAt,
      processorMs: Math.round((user + system) / 1000),
    }
  } finally {
    connection.close()
  }
}

class IndexRun {
  readonly #request: RunRequest
  readonly #hooks: RunHooks
  readonly #writes: CodeWrites
  readonly #known = new Map<string, StoredFile>()
  readonly #changedFiles = new Set<number>()
  readonly #handingOn = new Set<string>()
  readonly #names = new Set<string>()
  readonly #inheriting = new Set<number>()
  readonly #parentsBefore = new Set<number>()
  #isMoved = false
  #nextSymbol: number
  readonly report = { parsed: 0, partial: 0, skipped: 0, failed: 0, removed: 0, unchanged: 0 }

  constructor(request: RunRequest, hooks: RunHooks, writes: CodeWrites) {
    this.#request = request
    this.#hooks = hooks
    this.#writes = writes
    this.#nextSymbol = writes.lastSymbol()
    if (!request.paths) this.#know(writes.knownFiles())
  }

  #know(files: Iterable<StoredFile | undefined>): void {
    for (const file of files) if (file) this.#known.set(file.path, file)
  }

  get hasChanged(): boolean {
    return this.#changedFiles.size > 0 || this.#isMoved
  }

  changes(importersOf: (path: string) => number[]): Changes {
    const files = new Set(this.#changedFiles)
    for (const path of this.#handingOn) for (const file of importersOf(path)) files.add(file)
    return {
      files,
      names: this.#names,
      inheriting: this.#inheriting,
      parentsBefore: this.#parentsBefore,
      isMoved: this.#isMoved,
    }
  }

  /**
   * Checks the files and parses changed ones.
   * @param manifests the previously stored manifests
   */
  async read(manifests: string | undefined): Promise<Manifests> {
    this.#hooks.onProgress({ phase: 'listing', done: 0, total: 0 })
    const listed = await this.#list()
    this.#drop(listed)
    await this.#readAll(listed.code)
    if (this.#request.paths && manifests) return JSON.parse(manifests) as Manifests
    return readManifests(this.#request.root, listed.manifests)
  }

  async #list(): Promise<ListedFiles> {
    const { root, paths } = this.#request
    if (!paths) return listFiles(root)
    const all: ListedFiles = { code: [], manifests: [], folders: [], others: 0 }
    const seen = new Set<string>()
    for (const path of paths) {
      const folder = isFolder(join(root, path)) ? path : folderOf(path)
      if (seen.has(folder)) continue
      seen.add(folder)
      const found = await listFiles(root, folder, { isDeep: folder === path })
      all.code.push(...found.code)
    }
    // Known files are only loaded for the changed paths.
    for (const path of paths) this.#know([this.#writes.knownFile(path), ...this.#writes.knownBelow(path)])
    this.#know(all.code.map(({ path }) => this.#writes.knownFile(path)))
    return all
  }

  /** Removes files that were deleted or are not indexed any more. */
  #drop({ code }: ListedFiles): void {
    const there = new Set(code.map(({ path }) => path))
    const { paths } = this.#request
    const isMeant = (path: string): boolean =>
      !paths || paths.some(one => path === one || path.startsWith(`${one}/`))
    this.#writes.begin()
    for (const file of this.#known.values()) {
      if (there.has(file.path) || !isMeant(file.path)) continue
      this.#empty(file)
      this.#writes.dropFile(file.id)
      this.#known.delete(file.path)
      this.report.removed++
      this.#isMoved = true
    }
    this.#writes.commit()
  }

  async #readAll(code: readonly ListedPath[]): Promise<void> {
    const { blamed } = this.#request
    const refused = new Map(blamed.map(one => [one.path, one]))
    let committedAt = performance.now()
    this.#writes.begin()
    for (const [at, listed] of code.entries()) {
      await this.#look(listed, refused.get(listed.path))
      if (performance.now() - committedAt < commitEveryMs) continue
      this.#writes.commit()
      this.#hooks.onProgress({ phase: 'parsing', done: at + 1, total: code.length })
      // Lets messages and aborts be processed.
      await new Promise(setImmediate)
      committedAt = performance.now()
      this.#writes.begin()
    }
    this.#writes.commit()
    this.#hooks.reading('')
  }

  async #look({ path, refusal }: ListedPath, blamed: Refusal | undefined): Promise<void> {
    const known = this.#known.get(path)
    const readBy = languageOf(path)
    const named = refusal ?? refusedByName(path)
    const stat = path.endsWith('/') ? { size: 0, mtimeMs: 0 } : statOf(join(this.#request.root, path))
    if (!stat) return
    const isSame = known && known.size === stat.size && known.mtime_ms === stat.mtimeMs
    if (isSame && !blamed && known.reason !== 'changing') return this.#leave()
    if (named || !readBy || stat.size > maxFileBytes)
      return this.#refuse(path, readBy, named ?? { reason: 'too_large' }, { ...stat, hash: null })
    this.#hooks.reading(path)
    const read = readCode(join(this.#request.root, path))
    if (known && read.hash !== null && read.hash === known.hash && !blamed) {
      this.#writes.touchFile(known.id, read.size, read.mtimeMs)
      return this.#leave()
    }
    if (!('text' in read)) return this.#refuse(path, readBy, read, read)
    if (blamed) return this.#refuse(path, readBy, blamed, read)
    const parsed = await this.#parse(readBy, read.text, path)
    if ('reason' in parsed) return this.#refuse(path, readBy, parsed, read)
    this.#take(path, readBy, parsed, read)
  }

  #leave(): void {
    this.report.unchanged++
  }

  async #parse(readBy: FileParser, text: string, path: string): Promise<ParsedFile | Refusal> {
    if (readBy.parser === 'scanner') return scanFile(readBy.language, text)
    const { processorMs } = this.#request
    const over = processorOver(processorMs)
    try {
      const reader = await this.#hooks.grammars(readBy.language)
      const parsed = parseFile(reader, text, path, over)
      return (
        parsed ?? {
          reason: 'timed_out',
          message: `reading it takes more than ${Math.round(processorMs / 1000)} s of CPU time`,
        }
      )
    } catch (error) {
      return { reason: 'parser_ended', message: (error as Error).message.slice(0, 200) }
    }
  }

  #take(path: string, readBy: FileParser, parsed: ParsedFile, { hash, size, mtimeMs }: FileStamp): void {
    const id = this.#put(
      path,
      readBy,
      { hash, size, mtimeMs },
      {
        status: parsed.hasErrors ? 'partial' : 'indexed',
        reason: parsed.hasErrors ? 'syntax_errors' : null,
        message: null,
        lines: parsed.lines,
      },
    )
    const change = storeFile(this.#writes, { id, path }, parsed, () => ++this.#nextSymbol)
    this.#changedFiles.add(id)
    for (const name of change.names) this.#names.add(name)
    if (change.isInheritanceChanged) this.#inheriting.add(id)
    for (const parent of change.parentsBefore) this.#parentsBefore.add(parent)
    if (change.isHandingOnChanged) this.#handingOn.add(path)
    this.report.parsed++
    if (parsed.hasErrors) this.report.partial++
  }

  /** Stores a skipped file with its reason and without symbols. */
  #refuse(path: string, readBy: FileParser | undefined, { reason, message }: Refusal, seen: FileStamp): void {
    const known = this.#known.get(path)
    if (known) this.#empty(known)
    const status = failures.has(reason) ? 'failed' : 'skipped'
    this.#put(path, readBy, seen, { status, reason, message: message ?? null, lines: 0 })
    this.report[status]++
  }

  #empty({ id }: StoredFile): void {
    for (const symbol of this.#writes.symbolsOfFile(id)) {
      this.#names.add(symbol.name)
      this.#writes.dropSymbol(symbol.id)
    }
    for (const parent of this.#writes.shapeOf(id).parents) this.#parentsBefore.add(parent)
    this.#writes.dropUses(id)
  }

  #put(
    path: string,
    readBy: FileParser | undefined,
    { hash, size, mtimeMs }: FileStamp,
    state: FileOutcome,
  ): number {
    const known = this.#known.get(path)
    const wasRead = known?.status === 'indexed' || known?.status === 'partial'
    const isRead = state.status === 'indexed' || state.status === 'partial'
    if (wasRead !== isRead) this.#isMoved = true
    return this.#writes.putFile({
      path,
      language: readBy?.language.id ?? null,
      parser: readBy?.parser ?? null,
      hash,
      size,
      mtime_ms: mtimeMs,
      ...state,
    })
  }
}

interface FileStamp {
  hash: string | null
  size: number
  mtimeMs: number
}

interface FileOutcome {
  status: 'indexed' | 'partial' | 'skipped' | 'failed'
  reason: FileReason | null
  message: string | null
  lines: number
}

const failures = new Set<FileReason>([
  'parser_ended',
  'timed_out',
  'too_much_memory',
  'unreadable',
  'changing',
  'not_utf8',
])

/**
 * Returns a check of the processor time used since. The cheaper wall clock is asked first, because it is
 * never behind.
 */
function processorOver(processorMs: number): () => boolean {
  const before = process.cpuUsage()
  const begun = performance.now()
  return () => {
    if (performance.now() - begun <= processorMs) return false
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 > processorMs
  }
}

function statOf(path: string): { size: number; mtimeMs: number } | undefined {
  try {
    const { size, mtimeMs } = lstatSync(path)
    return { size, mtimeMs: Math.round(mtimeMs) }
  } catch {
    return undefined
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

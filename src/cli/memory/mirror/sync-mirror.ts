import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { mirrorState } from '../../../lib/files/ignore-files.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { isRecord, jsonOf } from '../../../lib/text/json-of.js'
import {
  fieldsOf,
  hashOf,
  isSame,
  type MirroredMemory,
  type MirrorFields,
  type ParsedFile,
  parseFile,
  placeFor,
  renderFile,
} from './mirror-file.js'

/** The memories as the mirror needs them. */
export interface MirrorMemories {
  /** Ids of the mirrored memories with their versions. */
  list(): Promise<ReadonlyMap<string, number>>
  get(id: string): Promise<MirroredMemory>
  /** Changes a memory; a new text or type is a new memory that replaces it. @returns the memory after it */
  change(old: MirroredMemory, fields: MirrorFields): Promise<MirroredMemory>
  forget(ids: readonly string[]): Promise<void>
}

export interface SyncOptions {
  /** Decides about memories whose files are gone: forget them, write the files again, or wait. */
  onMissing(count: number): Promise<'forget' | 'wait' | 'restore'>
  now(): number
}

/** The result of one synchronisation. */
export interface MirrorReport {
  written: number
  removed: number
  changed: number
  forgotten: number
  /** Files that are gone, and whose memories wait for a decision. */
  missing: number
  /** Files that another program may still write. */
  waiting: number
  /** Copies of edits that met a change of the memory. */
  conflicts: string[]
  /** Markdown files of others, which are never touched. */
  others: number
}

interface TrackedFile {
  path: string
  hash: string
  version: number
}

interface FoundFile {
  path: string
  text: string
  hash: string
  changedAt: number
  id: string | undefined
  /** Read only from files that changed. */
  parsed: ParsedFile | undefined
}

/** A file is read this long after its last change, since sync programs write in parts. */
const settleMs = 2000
const fileMode = 0o600
/** Replacements that are followed from an older file to its memory. */
const mostSteps = 100

/** Copies that sync programs make of conflicts belong to no memory. */
const copyName = /sync-conflict|conflicted copy|\(conflict /iu

/**
 * Brings a folder and the memories to the same state once: edits become versions, changed memories are
 * written, and where both changed the edit stays in a file beside it (transfer.md#mirror).
 */
export async function syncMirror(
  folder: string,
  memories: MirrorMemories,
  options: SyncOptions,
): Promise<MirrorReport> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const sync = new MirrorSync(folder, memories, options)
  try {
    await sync.run()
  } finally {
    sync.saveState()
  }
  return sync.report
}

class MirrorSync {
  readonly report: MirrorReport = {
    written: 0,
    removed: 0,
    changed: 0,
    forgotten: 0,
    missing: 0,
    waiting: 0,
    conflicts: [],
    others: 0,
  }
  readonly #tracked: Map<string, TrackedFile>
  readonly #missing: string[] = []

  constructor(
    private readonly folder: string,
    private readonly memories: MirrorMemories,
    private readonly options: SyncOptions,
  ) {
    this.#tracked = readState(folder)
  }

  async run(): Promise<void> {
    const listed = await this.memories.list()
    const files = await this.#scan()
    const byId = this.#byId(files)
    const paths = new Map(files.map(file => [file.path, file]))
    for (const id of new Set([...this.#tracked.keys(), ...listed.keys()])) {
      const version = listed.get(id)
      const file = byId.get(id)
      const tracked = this.#tracked.get(id)
      if (version === undefined) this.#drop(id, file)
      else if (!tracked) await this.#add(id, file)
      else if (file) await this.#compare(id, { tracked, file, version })
      else await this.#replaced(id, { tracked, file: paths.get(tracked.path), version })
    }
    await this.#decideMissing()
  }

  saveState(): void {
    const files = Object.fromEntries([...this.#tracked].sort(([a], [b]) => (a < b ? -1 : 1)))
    const text = `${JSON.stringify({ version: 1, files }, null, 1)}\n`
    const path = join(this.folder, mirrorState)
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) replaceFile(path, text, fileMode)
  }

  async #scan(): Promise<FoundFile[]> {
    const found: FoundFile[] = []
    const known = new Map([...this.#tracked].map(([id, { path, hash }]) => [`${path}\0${hash}`, id]))
    for (const entry of readdirSync(this.folder, { recursive: true, withFileTypes: true })) {
      const full = join(entry.parentPath, entry.name)
      const path = relative(this.folder, full).split(sep).join('/')
      const isHidden = path.split('/').some(part => part.startsWith('.'))
      if (!entry.isFile() || !entry.name.endsWith('.md') || isHidden || copyName.test(entry.name)) continue
      const text = readIfThere(full)
      if (text === undefined) continue
      const hash = hashOf(text)
      const unchanged = known.get(`${path}\0${hash}`)
      const parsed = unchanged === undefined ? await parseFile(text) : undefined
      const changedAt = statSync(full).mtimeMs
      found.push({ path, text, hash, changedAt, id: unchanged ?? parsed?.id, parsed })
    }
    return found
  }

  /** If two files have one id, the known one counts and the other is a copy. */
  #byId(files: readonly FoundFile[]): Map<string, FoundFile> {
    const byId = new Map<string, FoundFile>()
    const known = new Set([...this.#tracked.values()].map(({ path }) => path))
    for (const file of [...files].sort((a, b) => Number(known.has(b.path)) - Number(known.has(a.path)))) {
      const { id } = file
      if (id === undefined ? !known.has(file.path) : byId.has(id)) this.report.others++
      else if (id !== undefined) byId.set(id, file)
    }
    return byId
  }

  /** A memory that is gone takes its file along, unless the file was edited. */
  #drop(id: string, file: FoundFile | undefined): void {
    const tracked = this.#tracked.get(id)
    this.#tracked.delete(id)
    if (!file || !tracked) return
    if (file.hash !== tracked.hash) this.#keepEdit(file)
    rmSync(join(this.folder, file.path), { force: true, maxRetries: 5 })
    this.report.removed++
  }

  async #add(id: string, file: FoundFile | undefined): Promise<void> {
    const memory = await this.memories.get(id)
    if (!file) return this.#write(memory, this.#freePlace(placeFor(id, fieldsOf(memory))))
    if (file.parsed && !isSame(file.parsed, fieldsOf(memory))) {
      this.#keepEdit(file)
      return this.#write(memory, file.path)
    }
    this.#track(memory, file)
  }

  async #compare(
    id: string,
    { tracked, file, version }: { tracked: TrackedFile; file: FoundFile; version: number },
  ): Promise<void> {
    const isEdited = file.hash !== tracked.hash
    if (!isEdited && version === tracked.version) {
      tracked.path = file.path
      return
    }
    if (isEdited && this.options.now() - file.changedAt < settleMs) {
      this.report.waiting++
      return
    }
    const memory = await this.memories.get(id)
    if (!isEdited) return this.#write(memory, file.path)
    const edit = file.parsed as ParsedFile
    if (isSame(edit, fieldsOf(memory))) this.#track(memory, file)
    else if (version !== tracked.version) {
      this.#keepEdit(file)
      this.#write(memory, file.path)
    } else {
      const changed = await this.memories.change(memory, edit)
      this.#tracked.delete(id)
      this.#write(changed, file.path)
      this.report.written--
      this.report.changed++
    }
  }

  /** Something else is in the place of a file: a checkout brings back what the memory replaced. */
  async #replaced(
    id: string,
    { tracked, file, version }: { tracked: TrackedFile; file: FoundFile | undefined; version: number },
  ): Promise<void> {
    if (!file) this.#missing.push(id)
    else if (file.parsed && (await this.#leadsTo(file.parsed.id, id)))
      await this.#compare(id, { tracked, file, version })
    // A file that lost its head may be half written.
    else this.report.waiting++
  }

  /** True if a memory replaced another one, at once or in steps. */
  async #leadsTo(earlier: string, id: string): Promise<boolean> {
    let at: string | null | undefined = earlier
    for (let steps = 0; at && at !== id && steps < mostSteps; steps++)
      at = (await this.memories.get(at).catch(() => undefined))?.superseded_by
    return at === id
  }

  async #decideMissing(): Promise<void> {
    const ids = this.#missing
    if (ids.length === 0) return
    const decision = await this.options.onMissing(ids.length)
    if (decision === 'wait') {
      this.report.missing = ids.length
      return
    }
    if (decision === 'forget') {
      await this.memories.forget(ids)
      this.report.forgotten = ids.length
    }
    for (const id of ids) {
      const path = this.#tracked.get(id)?.path ?? ''
      this.#tracked.delete(id)
      if (decision === 'restore') this.#write(await this.memories.get(id), path)
    }
  }

  #write(memory: MirroredMemory, path: string): void {
    const text = renderFile(memory.id, fieldsOf(memory), memory.created_at)
    replaceFile(join(this.folder, path), text, fileMode)
    this.#tracked.set(memory.id, { path, hash: hashOf(text), version: memory.version })
    this.report.written++
  }

  #track({ id, version }: MirroredMemory, { path, hash }: FoundFile): void {
    this.#tracked.set(id, { path, hash, version })
  }

  /** Keeps an edit that met a change, in a file that the mirror never reads. */
  #keepEdit({ path, text }: FoundFile): void {
    const day = new Date(this.options.now()).toISOString().slice(0, 19).replaceAll(':', '-')
    const copy = this.#freePlace(path.replace(/\.md$/u, ` (conflict ${day}).md`))
    replaceFile(join(this.folder, copy), text.replace(/^id: /mu, 'conflict-of: '), fileMode)
    this.report.conflicts.push(copy)
  }

  #freePlace(path: string): string {
    for (let number = 2, free = path; ; number++) {
      if (!existsSync(join(this.folder, free))) return free
      free = path.replace(/\.md$/u, ` ${number}.md`)
    }
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function readState(folder: string): Map<string, TrackedFile> {
  const state = jsonOf(readIfThere(join(folder, mirrorState)) ?? '')
  const files = isRecord(state) && isRecord(state.files) ? Object.entries(state.files) : []
  return new Map(files.flatMap(([id, file]) => (isTracked(file) ? [[id, file]] : [])))
}

function isTracked(value: unknown): value is TrackedFile {
  return (
    isRecord(value) &&
    typeof value.path === 'string' &&
    typeof value.hash === 'string' &&
    typeof value.version === 'number' &&
    !value.path.split('/').includes('..') &&
    dirname(value.path) !== ''
  )
}

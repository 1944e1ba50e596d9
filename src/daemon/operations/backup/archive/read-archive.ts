import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract as createExtract, type Entry, type Extract } from 'tar-stream'
import type { z } from 'zod'
import {
  type ArchiveHeader,
  type ArchiveManifest,
  archiveHeader,
  archiveManifest,
} from '../../../../contract/operations/backup.js'
import { SealFault, unsealed } from '../../../../lib/keys/sealed-stream.js'
import { jsonOf } from '../../../../lib/text/json-of.js'
import { ArchiveFault, headerName, manifestName, mayBeRestored, prefix, SealedFault } from './scope.js'

const maxHeaderBytes = 64 * 1024
const maxManifestBytes = 512 * 1024 * 1024
/** Limit of bytes between two files: overlong names in headers would otherwise fill the memory. */
const maxBetweenBytes = 1024 * 1024

export interface ArchiveFile {
  path: string
  bytes: number
  mode: number
  content: AsyncIterable<Buffer>
}

export interface ArchiveToRead {
  file: string
  /** Secret keys of age for a sealed archive. */
  identities: readonly string[]
  /** Called once with the archive's description, before any file. */
  onHeader?(header: ArchiveHeader): Promise<void>
  /** Must read the content to its end. */
  onFile(file: ArchiveFile): Promise<void>
  onProgress(done: number, total: number): void
}

export interface ArchiveSummary {
  header: ArchiveHeader
  manifest: ArchiveManifest
  /** Checksum of the whole archive. */
  sha256: string
}

/**
 * Reads a whole archive and rejects everything a restore may not write: links, paths that lead outside, and
 * more files or bytes than its header declares. Every file must match its checksum in the manifest.
 * @throws ArchiveFault with the reason; node's error for an archive that can't be read.
 */
export async function readArchive(archive: ArchiveToRead): Promise<ArchiveSummary> {
  const extract = createExtract()
  const hash = createHash('sha256')
  const state: FeedOptions['state'] = { between: 0, failure: undefined }
  const fed = feed(extract, archive, { hash, state })
  const reader = new EntryReader(archive)
  try {
    for await (const entry of extract) {
      state.between = Number.NEGATIVE_INFINITY
      await reader.take(entry)
      state.between = 0
    }
    await fed
  } catch (error) {
    extract.destroy()
    // Destroying one side of a stream raises a follow-up error on the other; the first failure is the cause.
    throw asFault(state.failure ?? error, archive.file)
  }
  return { ...reader.finished(), sha256: hash.digest('hex') }
}

/** Entries read so far, checked against the archive's header. */
class EntryReader {
  readonly #archive: ArchiveToRead
  #header: ArchiveHeader | undefined
  #manifest: ArchiveManifest | undefined
  readonly #found = new Map<string, { bytes: number; sha256: string }>()
  #bytes = 0

  constructor(archive: ArchiveToRead) {
    this.#archive = archive
  }

  async take(entry: Entry): Promise<void> {
    const { name, size = 0, type } = entry.header
    if (this.#manifest) throw new ArchiveFault('data follows its end')
    if (type !== 'file')
      throw new ArchiveFault(`${quoteName(name)} is a ${type}; an archive may contain files only`)
    if (!this.#header) return this.#begin(entry)
    if (name === manifestName) {
      this.#manifest = await jsonIn(entry, archiveManifest, maxManifestBytes)
      return
    }
    const path = name.slice(prefix.length)
    if (!name.startsWith(prefix) || !mayBeRestored(path))
      throw new ArchiveFault(`${quoteName(name)} is not a workspace file`)
    if (this.#found.has(path)) throw new ArchiveFault(`${quoteName(name)} is in it twice`)
    this.#bytes += size
    if (this.#bytes > this.#header.bytes || this.#found.size >= this.#header.files)
      throw new ArchiveFault('it contains more than its header declares')
    const hash = createHash('sha256')
    const content = this.#counted(entry, hash)
    await this.#archive.onFile({ path, bytes: size, mode: (entry.header.mode ?? 0o600) & 0o777, content })
    this.#found.set(path, { bytes: size, sha256: hash.digest('hex') })
  }

  async #begin(entry: Entry): Promise<void> {
    if (entry.header.name !== headerName)
      throw new ArchiveFault(`it begins with ${quoteName(entry.header.name)}`)
    this.#header = await jsonIn(entry, archiveHeader, maxHeaderBytes)
    await this.#archive.onHeader?.(this.#header)
  }

  async *#counted(entry: Entry, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
    const total = this.#header?.bytes ?? 0
    const before = this.#bytes - (entry.header.size ?? 0)
    let done = 0
    for await (const piece of entry) {
      hash.update(piece as Buffer)
      done += (piece as Buffer).length
      this.#archive.onProgress(before + done, total)
      yield piece as Buffer
    }
  }

  /** @throws ArchiveFault unless exactly the files of the manifest came. */
  finished(): Pick<ArchiveSummary, 'header' | 'manifest'> {
    const [header, manifest] = [this.#header, this.#manifest]
    if (!header) throw new ArchiveFault('it is empty')
    if (!manifest) throw new ArchiveFault('its end is missing')
    if (manifest.entries.length !== this.#found.size) throw new ArchiveFault('some of its files are missing')
    for (const { path, bytes, sha256 } of manifest.entries) {
      const found = this.#found.get(path)
      if (found?.bytes !== bytes || found.sha256 !== sha256)
        throw new ArchiveFault(`${quoteName(path)} differs from the backed-up file: its checksum is wrong`)
    }
    return { header, manifest }
  }
}

interface FeedOptions {
  hash: ReturnType<typeof createHash>
  /** Bytes since the last file, and why reading ended early. */
  state: { between: number; failure: unknown }
}

async function feed(
  extract: Extract,
  { file, identities }: ArchiveToRead,
  { hash, state }: FeedOptions,
): Promise<void> {
  const gunzip = createGunzip()
  const read = createReadStream(file)
  const tar = Readable.from(unsealed(hashed(read, hash), identities))
  tar.on('error', error => gunzip.destroy(error))
  try {
    for await (const piece of tar.pipe(gunzip)) {
      state.between += (piece as Buffer).length
      if (state.between > maxBetweenBytes) throw new ArchiveFault('the header of a file is too long')
      if (!extract.write(piece)) await drained(extract)
      if (extract.destroyed) return
    }
    extract.end()
  } catch (error) {
    state.failure = error
    extract.destroy(error as Error)
  } finally {
    tar.destroy()
    read.destroy()
  }
}

async function* hashed(source: AsyncIterable<Buffer>, hash: FeedOptions['hash']): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.update(piece)
    yield piece
  }
}

function drained(extract: Extract): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      extract.off('drain', done).off('close', done)
      resolve()
    }
    extract.once('drain', done).once('close', done)
  })
}

async function jsonIn<S extends z.ZodType>(entry: Entry, schema: S, maxBytes: number): Promise<z.infer<S>> {
  const { name, size = 0 } = entry.header
  if (size > maxBytes) throw new ArchiveFault(`${quoteName(name)} is too long`)
  const pieces: Buffer[] = []
  for await (const piece of entry) pieces.push(piece as Buffer)
  const parsed = schema.safeParse(jsonOf(Buffer.concat(pieces).toString('utf8')))
  if (!parsed.success) throw new ArchiveFault(`${quoteName(name)} is not from a backup`)
  return parsed.data
}

/** Translates errors of zlib, tar-stream and the file system. */
function asFault(error: unknown, file: string): unknown {
  if (error instanceof ArchiveFault) return error
  if (error instanceof SealFault)
    return new (error.kind === 'no-key' ? SealedFault : ArchiveFault)(error.message)
  const { code = '', message, path } = error as NodeJS.ErrnoException
  // A folder can be opened; the error of reading it names no path.
  if (code === 'EISDIR') return new ArchiveFault('it is a folder')
  if (path === file)
    return new ArchiveFault(code === 'ENOENT' ? 'the file does not exist' : `it can't be read (${code})`)
  const isBroken = code.startsWith('Z_') || /tar|unexpected end|checksum|Unexpected end/iu.test(message)
  return isBroken ? new ArchiveFault(`it is damaged or not an archive: ${message}`) : error
}

function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 200))
}

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack as createPack, type Pack } from 'tar-stream'
import type { ArchiveHeader, ArchiveManifest } from '../../../../contract/operations/backup.js'
import { seal } from '../../../../lib/keys/sealed-stream.js'
import { headerName, manifestName, prefix } from './scope.js'

export interface FileToPack {
  /** Path in the workspace. */
  path: string
  /** Path it is read from. */
  from: string
}

export interface ArchiveToWrite {
  /** Must not exist yet. Readable by its owner only, and synced to disk when the promise resolves. */
  file: string
  header: Omit<ArchiveHeader, 'bytes' | 'files'>
  files: readonly FileToPack[]
  tables: ArchiveManifest['tables']
  /** Public keys of age; the archive is not encrypted if there are none. */
  recipients: readonly string[]
  onProgress(done: number, total: number): void
}

export interface WrittenArchive {
  bytes: number
  sha256: string
  files: number
}

const pieceBytes = 256 * 1024
/** How much all files together may grow while they are packed. */
const spareBytes = 16 * 1024 * 1024
/** A file that grew by more is still being appended to, so it is packed with its earlier length. */
const mostGrown = 1024 * 1024

/**
 * Packs a workspace into one compressed tar, sealed by age for its recipients. The description is first, the
 * checksums of all files are last. Files are read when their turn comes; a file deleted by then is left out.
 * @throws node's error, such as a full disk; the caller removes the partial archive.
 */
export async function writeArchive(archive: ArchiveToWrite): Promise<WrittenArchive> {
  const { file, files, tables, recipients, onProgress } = archive
  const sized = await sizesOf(files)
  const total = sized.reduce((sum, { bytes }) => sum + bytes, 0)
  const pack = createPack()
  const told = { bytes: 0, hash: createHash('sha256') }
  const written = pipeline(
    pieces(pack),
    // The fastest level: most bytes are vectors, which hardly compress.
    createGzip({ level: 1 }),
    async function* (source: AsyncIterable<Buffer>) {
      yield* recipients.length > 0 ? await seal(source, recipients) : source
    },
    async function* (source: AsyncIterable<Buffer>) {
      for await (const piece of source) {
        told.hash.update(piece)
        told.bytes += piece.length
        yield piece
      }
    },
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  )
  const entries: ArchiveManifest['entries'] = []
  const packed = async (): Promise<void> => {
    await addText(pack, headerName, { ...archive.header, bytes: total + spareBytes, files: sized.length })
    let done = 0
    let spare = spareBytes
    for (const one of sized) {
      const entry = await addFile(pack, one, {
        mayGrow: Math.min(spare, mostGrown),
        onBytes: bytes => {
          done += bytes
          onProgress(Math.min(done, total), total)
        },
      })
      if (!entry) continue
      entries.push(entry)
      spare -= Math.max(0, entry.bytes - one.bytes)
    }
    await addText(pack, manifestName, { entries, tables } satisfies ArchiveManifest)
    pack.finalize()
  }
  // On a full disk the reader stops, so `packed` alone would never end.
  await Promise.race([packed(), written.then(() => undefined)])
  await written
  await syncFile(file)
  return { bytes: told.bytes, sha256: told.hash.digest('hex'), files: entries.length }
}

type SizedFile = FileToPack & { bytes: number }

/** Current sizes of the files that still exist. */
async function sizesOf(files: readonly FileToPack[]): Promise<SizedFile[]> {
  const found: SizedFile[] = []
  for (const file of files) {
    const stats = await unlessGone(stat(file.from))
    if (stats) found.push({ ...file, bytes: stats.size })
  }
  return found
}

/** @returns undefined for a deleted file. */
async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** @returns the file's manifest entry; undefined for a deleted file. */
async function addFile(
  pack: Pack,
  { path, from, bytes: before }: SizedFile,
  { mayGrow, onBytes }: { mayGrow: number; onBytes: (bytes: number) => void },
): Promise<ArchiveManifest['entries'][number] | undefined> {
  const handle = await unlessGone(open(from, 'r'))
  if (!handle) return undefined
  const hash = createHash('sha256')
  try {
    const { mode, mtime, size } = await handle.stat()
    const wanted = size - before > mayGrow ? before : size
    const first = await pieceAt(handle, 0, wanted)
    // A small file is packed exactly as read, so later changes to it don't matter.
    const bytes = wanted > pieceBytes ? wanted : first.length
    const entry = pack.entry({ name: prefix + path, size: bytes, mode: mode & 0o777, mtime, type: 'file' })
    const finished = once(entry, 'close')
    for (let piece = first, at = 0; at < bytes; piece = await pieceAt(handle, at, bytes)) {
      if (piece.length === 0) throw new Error(`${path} shrank while it was read`)
      hash.update(piece)
      if (!entry.write(piece)) await once(entry, 'drain')
      at += piece.length
      onBytes(piece.length)
    }
    entry.end()
    await finished
    return { path, bytes, sha256: hash.digest('hex') }
  } finally {
    await handle.close()
  }
}

/** The next bytes of a file; fewer or none when it ends earlier. */
async function pieceAt(handle: FileHandle, at: number, end: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - at))
  const { bytesRead } = await handle.read(piece, 0, piece.length, at)
  return piece.subarray(0, bytesRead)
}

function addText(pack: Pack, name: string, value: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(value)
    pack.entry({ name, mode: 0o600, type: 'file' }, text, error => (error ? reject(error) : resolve()))
  })
}

async function* pieces(pack: Pack): AsyncGenerator<Buffer> {
  for await (const piece of pack) yield piece as Buffer
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack as createPack, type Pack } from 'tar-stream'
import type { ArchiveHeader, ArchiveManifest } from '../../../../contract/operations/backup.js'
import { headerName, manifestName, prefix } from './entry-names.js'

/** A file that goes into an archive. */
export interface ToPack {
  /** Its path in the workspace. */
  path: string
  /** Where it is read. */
  from: string
}

export interface ArchiveToWrite {
  /** A file that is not there yet; readable to its owner alone, and on the disk when this resolves. */
  file: string
  header: Omit<ArchiveHeader, 'bytes' | 'files'>
  files: readonly ToPack[]
  tables: ArchiveManifest['tables']
  onProgress(done: number, total: number): void
}

export interface WrittenArchive {
  bytes: number
  sha256: string
  files: number
}

const pieceBytes = 256 * 1024

/**
 * Writes a workspace as one tar, compressed as it comes: what it says of itself first, the checksums of all files last.
 * A file that grows meanwhile is taken as long as it was when it was opened.
 * @throws node's error, a full disk among them; what is there of the archive is the caller's to remove.
 */
export async function writeArchive(archive: ArchiveToWrite): Promise<WrittenArchive> {
  const { file, files, tables, onProgress } = archive
  const opened = await sizesOf(files)
  const total = opened.reduce((sum, { bytes }) => sum + bytes, 0)
  const pack = createPack()
  const told = { bytes: 0, hash: createHash('sha256') }
  const written = pipeline(
    pieces(pack),
    // The fastest: most of it are vectors, which hardly get smaller.
    createGzip({ level: 1 }),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const piece of source) {
        told.hash.update(piece)
        told.bytes += piece.length
        yield piece
      }
    },
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  )
  const packed = async (): Promise<void> => {
    await addText(pack, headerName, { ...archive.header, bytes: total, files: opened.length })
    const entries: ArchiveManifest['entries'] = []
    let done = 0
    for (const one of opened) {
      const sha256 = await addFile(pack, one, bytes => {
        done += bytes
        onProgress(done, total)
      })
      entries.push({ path: one.path, bytes: one.bytes, sha256 })
    }
    await addText(pack, manifestName, { entries, tables } satisfies ArchiveManifest)
    pack.finalize()
  }
  // Nobody takes what is packed once the disk is full.
  await Promise.race([packed(), written.then(() => undefined)])
  await written
  await syncFile(file)
  return { bytes: told.bytes, sha256: told.hash.digest('hex'), files: opened.length }
}

type Sized = ToPack & { bytes: number }

/** Those that went meanwhile are left out. */
async function sizesOf(files: readonly ToPack[]): Promise<Sized[]> {
  const found: Sized[] = []
  for (const file of files) {
    const handle = await open(file.from, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (!handle) continue
    found.push({ ...file, bytes: (await handle.stat()).size })
    await handle.close()
  }
  return found
}

async function addFile(
  pack: Pack,
  { path, from, bytes }: Sized,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(from, 'r')
  try {
    const { mode, mtime } = await handle.stat()
    const entry = pack.entry({ name: prefix + path, size: bytes, mode: mode & 0o777, mtime, type: 'file' })
    const finished = once(entry, 'close')
    for (let at = 0; at < bytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes - at))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead === 0) throw new Error(`${path} got shorter while it was read`)
      const read = piece.subarray(0, bytesRead)
      hash.update(read)
      if (!entry.write(read)) await once(entry, 'drain')
      at += bytesRead
      onBytes(bytesRead)
    }
    entry.end()
    await finished
    return hash.digest('hex')
  } finally {
    await handle.close()
  }
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

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { pack as createPack, type Headers } from 'tar-stream'
import type { TestDaemon } from './daemon.js'

export async function backUp({ call }: Pick<TestDaemon, 'call'>) {
  const { body } = await call('POST /api/backup', { body: {} })
  if (!body.backup) throw new Error(`The backup failed: ${body.error}`)
  return body.backup
}

/** Lists the paths in an archive with the tar program. */
export function pathsIn(file: string): string[] {
  return execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n')
}

export interface TarEntry extends Partial<Headers> {
  name: string
  content?: string | Buffer
}

export interface ArchiveParts {
  /** Header fields that replace the correct defaults. */
  header?: object
  /** Files of the workspace besides the database. */
  entries?: readonly TarEntry[]
  /** A correct manifest by default. */
  manifest?: object
}

/** Makes an archive as another program may have written it. @param database bytes of a valid database */
export async function makeArchive(file: string, database: Buffer, made: ArchiveParts = {}): Promise<void> {
  const entries: TarEntry[] = [
    { name: 'workspace/memory/memories.db', content: database },
    ...(made.entries ?? []),
  ]
  const bytes = entries.reduce((sum, { content = '' }) => sum + Buffer.byteLength(content), 0)
  const header = {
    ...{
      format: 'memory-service-backup',
      version: 1,
      id: 'made',
      kind: 'manual',
      program: '0.0.0-test',
      schema: 1,
    },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', bytes, files: entries.length, ...made.header },
  }
  const listed = entries.map(({ name, content = '' }) => ({
    path: name.replace(/^workspace\//u, ''),
    bytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
  }))
  const tar = await tarOf([
    { name: 'backup.json', content: JSON.stringify(header) },
    ...entries,
    { name: 'manifest.json', content: JSON.stringify({ entries: listed, tables: {}, ...made.manifest }) },
  ])
  writeFileSync(file, gzipSync(tar, { level: 1 }))
}

/** Concatenates the entries into a tar, even invalid ones. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const pack = createPack()
  for (const { content, ...header } of entries)
    if (content === undefined) pack.entry({ size: 0, ...header } as Headers).end()
    else pack.entry(header as Headers, content)
  pack.finalize()
  const pieces: Buffer[] = []
  for await (const piece of pack) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** Turns the first entry of a tar into a header that extends the next entry, such as its long name. */
export function asNameOfNext(tar: Buffer): Buffer {
  tar.write('x', 156, 'latin1')
  tar.write('        ', 148, 'latin1')
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return tar
}

export function spoil(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at]! ^= 0xff
  writeFileSync(file, bytes)
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const encoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  '': body => body,
  gzip: body => gzipSync(body),
  br: body => brotliCompressSync(body),
}

/** One reply as the desktop application caches it. */
export interface CachedReply {
  url: string
  body: unknown
  encoding?: string
}

const keyOf = (url: string): string => `1/0/_dk_https://discord.com https://discord.com ${url}`

function bodyOf({ body, encoding = '' }: CachedReply): Buffer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return encoders[encoding]!(Buffer.from(text))
}

function headersOf({ encoding = '' }: CachedReply): Buffer {
  return Buffer.from(
    `HTTP/1.1 200\0content-type: application/json\0content-encoding: ${encoding || 'identity'}\0`,
  )
}

/** An entry of Chromium's "simple" cache, byte for byte as on disk. */
export function simpleEntryFile(reply: CachedReply): Buffer {
  const key = Buffer.from(keyOf(reply.url))
  const header = Buffer.alloc(24)
  header.writeBigUInt64LE(0xfcfb6d1ba7725c30n, 0)
  header.writeUInt32LE(5, 8)
  header.writeUInt32LE(key.length, 12)
  const end = (size: number, flags: number): Buffer => {
    const record = Buffer.alloc(24)
    record.writeBigUInt64LE(0xf4fa6f45970d41d8n, 0)
    record.writeUInt32LE(flags, 8)
    record.writeUInt32LE(size, 16)
    return record
  }
  const body = bodyOf(reply)
  const headers = headersOf(reply)
  const keyHash = Buffer.alloc(32, 7)
  return Buffer.concat([header, key, body, end(body.length, 1), headers, keyHash, end(headers.length, 3)])
}

/**
 * Files of Chromium's "block file" cache: entries in blocks of 256 bytes, small bodies in blocks of 1 KiB,
 * large ones in separate files.
 */
export function blockCacheFiles(replies: readonly CachedReply[]): Record<string, Buffer> {
  const files: Record<string, Buffer> = {}
  const blocks: Record<string, { size: number; parts: Buffer[] }> = {
    data_1: { size: 256, parts: [] },
    data_2: { size: 1024, parts: [] },
  }
  /** @returns the address of the bytes */
  const put = (name: 'data_1' | 'data_2', bytes: Buffer): number => {
    const { size, parts } = blocks[name]!
    const start = parts.length
    const count = Math.ceil(bytes.length / size)
    const padded = Buffer.concat([bytes, Buffer.alloc(count * size - bytes.length)])
    for (let at = 0; at < count; at++) parts.push(padded.subarray(at * size, (at + 1) * size))
    const kind = name === 'data_1' ? 2 : 3
    const address = (kind << 28) | ((count - 1) << 24) | (Number(name.at(-1)) << 16) | start
    return (address | 0x80000000) >>> 0
  }
  for (const [at, reply] of replies.entries()) {
    const body = bodyOf(reply)
    const headers = headersOf(reply)
    const key = Buffer.from(keyOf(reply.url))
    const isLarge = body.length > 4 * 1024
    if (isLarge) files[`f_${at.toString(16).padStart(6, '0')}`] = body
    const entry = Buffer.alloc(96 + key.length)
    entry.writeInt32LE(key.length, 32)
    entry.writeInt32LE(headers.length, 40)
    entry.writeInt32LE(body.length, 44)
    entry.writeUInt32LE(put('data_2', headers), 56)
    entry.writeUInt32LE(isLarge ? (0x80000000 | at) >>> 0 : put('data_2', body), 60)
    key.copy(entry, 96)
    put('data_1', entry)
  }
  for (const [name, { size, parts }] of Object.entries(blocks)) {
    const header = Buffer.alloc(8192)
    header.writeUInt32LE(0xc104cac3, 0)
    header.writeInt32LE(size, 12)
    files[name] = Buffer.concat([header, ...parts])
  }
  return files
}

/** Creates the application's data folder below a home folder. @param files contents by path */
export function desktopFolder(home: string, files: Readonly<Record<string, Buffer | string>>): string {
  const root = join(home, '.config', 'discord')
  for (const [path, bytes] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, bytes)
  }
  return root
}

/** A message as the API sends it to the application. */
export function cachedMessage(channel: string, id: string, content: string, fields: object = {}): object {
  return {
    id,
    channel_id: channel,
    type: 0,
    content,
    author: { id: '800000000000000001', username: 'ada' },
    timestamp: '2024-03-01T10:00:00.000000+00:00',
    edited_timestamp: null,
    attachments: [],
    embeds: [],
    mentions: [],
    ...fields,
  }
}

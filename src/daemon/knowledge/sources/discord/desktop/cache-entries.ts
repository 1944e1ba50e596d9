import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib'
import { cacheRoutes } from '../../../../../contract/knowledge/sources/discord.js'
import { type WireMessage, wireChannel } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { everyFewMs } from '../../../../../lib/concurrency/every-few-ms.js'
import { readForeignBytes } from '../../../../../lib/files/open-foreign.js'
import { directMessages } from '../servers/paths.js'

/** Larger files are left out; Chromium begins a new block file at 64 MiB. */
export const mostFileBytes = 256 * 1024 * 1024

/** Maximum decompressed size of a body, because it is parsed at once; fifty messages take a tenth of it. */
const maxOutputLength = 4 * 1024 * 1024

/** Decodes truncated bodies as far as possible. */
const asFarAsItGoes = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }

const decoders: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  '': plain,
  identity: plain,
  gzip: body => promisify<Buffer, object, Buffer>(gunzip)(body, asFarAsItGoes),
  deflate: body => promisify<Buffer, object, Buffer>(inflate)(body, asFarAsItGoes),
  // The deflate part of gzip, because gunzip rejects unknown bytes after its end.
  raw: body => promisify<Buffer, object, Buffer>(inflateRaw)(body, asFarAsItGoes),
  br: body => promisify<Buffer, object, Buffer>(brotliDecompress)(body, { maxOutputLength }),
}

/** One cached reply: its address and its body as received. */
export interface CacheEntry {
  url: string
  /** Still compressed. */
  body: Buffer
  /** The reply's `content-encoding`; empty if there was none. */
  encoding: string
}

const route = /\/channels\/(@me|\d{15,20})\/(\d{15,20})/gu
/** Channel types without a server: direct messages and group messages. */
const directTypes = new Set([1, 3])

/** Returns the address in an entry's key; Chromium puts the address of the requesting page before it. */
export function addressIn(key: string): string | undefined {
  return /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/\S*$/u.exec(key)?.[0]
}

/** Returns the content encoding from a reply's stored headers. */
export function encodingIn(headers: Buffer): string {
  return /content-encoding:\s*([\w-]+)/iu.exec(headers.toString('latin1'))?.[1]?.toLowerCase() ?? ''
}

async function plain(body: Buffer): Promise<Buffer> {
  if (body.length > maxOutputLength) throw new RangeError('the body is too long')
  return body
}

/**
 * Decodes a body; undefined if it is unreadable: zstd, damaged, or too long to parse at once.
 * @param encoding a `content-encoding`, or `raw`
 */
export async function bodyText(body: Buffer, encoding: string): Promise<string | undefined> {
  const decode = decoders[encoding]
  try {
    return (await decode?.(body))?.toString('utf8')
  } catch {
    return undefined
  }
}

/**
 * Format of Chromium's "block file" cache: `data_0` to `data_3` consist of blocks, larger bodies are separate
 * files.
 */
const fileMagic = 0xc104cac3
const fileHeaderBytes = 8192
const entryBytes = 256
const keyAt = 96
/**
 * An entry has at most four blocks; longer keys are stored elsewhere, and Discord's keys are never that long.
 */
const mostKeyBytes = 4 * entryBytes - keyAt
const blockBytes: Readonly<Record<number, number>> = { 1: 36, 2: 256, 3: 1024, 4: 4096 }

/** True if a block file contains entries; the other files of the cache contain bodies. */
export function isEntryFile(file: Buffer): boolean {
  return (
    file.length > fileHeaderBytes && file.readUInt32LE(0) === fileMagic && file.readInt32LE(12) === entryBytes
  )
}

/** Reads Discord's replies from a file of entries, with their bodies from the files next to it. */
export async function* blockEntries(folder: string, file: Buffer): AsyncGenerator<CacheEntry> {
  const breathe = everyFewMs()
  const files = new Map<string, Promise<Buffer>>()
  for (let at = fileHeaderBytes; at + entryBytes <= file.length; at += entryBytes) {
    await breathe()
    const url = addressAt(file, at)
    if (!url) continue
    const headers = await dataAt(folder, files, file.readUInt32LE(at + 56), file.readInt32LE(at + 40))
    const body = await dataAt(folder, files, file.readUInt32LE(at + 60), file.readInt32LE(at + 44))
    if (body) yield { url, body, encoding: headers ? encodingIn(headers) : '' }
  }
}

function addressAt(file: Buffer, at: number): string | undefined {
  const length = file.readInt32LE(at + 32)
  if (length < 1 || length > mostKeyBytes || file.readUInt32LE(at + 36) !== 0) return undefined
  return addressIn(file.toString('latin1', at + keyAt, Math.min(at + keyAt + length, file.length)))
}

/** Reads the data at a cache address; undefined if it does not exist (any more). */
async function dataAt(
  folder: string,
  files: Map<string, Promise<Buffer>>,
  address: number,
  size: number,
): Promise<Buffer | undefined> {
  const isSet = address >>> 31 === 1
  if (!isSet || size <= 0 || size > maxOutputLength) return undefined
  const kind = (address >>> 28) & 7
  const block = blockBytes[kind]
  const name =
    kind === 0
      ? `f_${(address & 0x0fffffff).toString(16).padStart(6, '0')}`
      : `data_${(address >>> 16) & 0xff}`
  if (kind !== 0 && block === undefined) return undefined
  const start = block === undefined ? 0 : fileHeaderBytes + (address & 0xffff) * block
  // Block files are read once and shared; a file with a single body is read when needed.
  const read = files.get(name) ?? readForeignBytes(join(folder, name), { maxBytes: mostFileBytes })
  if (block !== undefined) files.set(name, read)
  const bytes = await read.catch(() => undefined)
  return bytes && start + size <= bytes.length ? bytes.subarray(start, start + size) : undefined
}

/**
 * Assigns channels to servers, with proof only: routes opened by the application, API replies about channels,
 * and the server named in a message's reference to its own channel. Links written in messages are not used.
 */
export class Routes {
  readonly #guilds: Map<string, string>
  readonly names = new Map<string, string>()

  constructor(kept: string | undefined) {
    const known = kept === undefined ? undefined : cacheRoutes.safeParse(JSON.parse(kept)).data
    this.#guilds = new Map(Object.entries(known ?? {}))
  }

  guildOf(channel: string): string | undefined {
    return this.#guilds.get(channel)
  }

  /** Serialised for the next pass. */
  toJSON(): Record<string, string> {
    return Object.fromEntries([...this.#guilds].sort())
  }

  /** Learns from routes in an address or in the application's state. */
  learnText(text: string): void {
    for (const [, guild = '', channel = ''] of text.matchAll(route)) this.#guilds.set(channel, guild)
  }

  /** Learns from a channel, or a list of channels, in an API reply. */
  learnChannels(reply: unknown): void {
    for (const one of Array.isArray(reply) ? reply : [reply]) {
      const { data: channel } = wireChannel.safeParse(one)
      if (!channel) continue
      if (channel.name) this.names.set(channel.id, channel.name)
      if (channel.guild_id) this.#guilds.set(channel.id, channel.guild_id)
      else if (directTypes.has(channel.type)) this.#guilds.set(channel.id, directMessages)
    }
  }

  /** Learns the server from a message's reference to its own channel. */
  learnMessage({ channel_id: channel, message_reference: reference }: WireMessage): void {
    if (reference?.guild_id && reference.channel_id === channel) this.#guilds.set(channel, reference.guild_id)
  }
}

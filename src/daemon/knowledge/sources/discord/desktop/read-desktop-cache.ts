import {
  type CacheState,
  cacheState,
  type DiscordSettings,
} from '../../../../../contract/knowledge/sources/discord.js'
import { type WireMessage, wireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { everyFewMs } from '../../../../../lib/concurrency/every-few-ms.js'
import { openForeign, readForeignBytes } from '../../../../../lib/files/open-foreign.js'
import { quoted } from '../../../../../lib/text/clip.js'
import { noLongerGiven, staysGiven } from '../../../../platform/auth/given-folders.js'
import { type KindDeps, type Pass, type Source, type SourceEvent, SourceFailure } from '../../core/kind.js'
import { messageArtifact } from '../servers/artifacts.js'
import { noNames } from '../servers/names.js'
import { directMessages } from '../servers/paths.js'
import { type CacheFile, cacheFiles, knownFolder, stateFiles } from './application-files.js'
import {
  addressIn,
  blockEntries,
  bodyText,
  type CacheEntry,
  encodingIn,
  isEntryFile,
  mostFileBytes,
  Routes,
} from './cache-entries.js'

/** Start of a gzip reply: deflate without optional header fields. */
const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08, 0x00])

const gzipHeader = 10

const listStart = Buffer.from('[{"')

/** Longest list searched for in plain text. */
const longestList = 4 * 1024 * 1024

/** Format of Chromium's "simple" cache: header, key, body, end of body, reply headers, end of headers. */
const headerMagic = 0xfcfb6d1ba7725c30n

const endMagic = 0xf4fa6f45970d41d8n

const headerBytes = 24

const endBytes = 24

const keyHashBytes = 32

const hasKeyHash = 2

const routesKey = 'routes'
export const cacheKey = 'cache'
/** File systems store times in steps of up to two seconds, and a file may change while it is read. */
const overlapMs = 3000
/** Bytes per chunk when a file is searched for routes. */
const stretchBytes = 256 * 1024
const longestRoute = 64

interface CacheScan {
  pass: Pass
  state: CacheState
  settings: DiscordSettings
  routes: Routes
}

/**
 * Makes one pass over the cache of Discord's application on this machine (sources.md#discord). Each message
 * is assigned to a server through its channel, or to direct messages if that is proven; others are left out.
 * A message missing from the cache does not count as deleted.
 * @throws SourceFailure if the folder is gone or is not the application's any more
 */
export async function* readDesktopCache(
  { environment, configuration }: Pick<KindDeps, 'environment' | 'configuration'>,
  { settings }: Source<DiscordSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const root = await knownFolder(settings.desktopCachePath ?? '', environment)
  if (!root)
    throw new SourceFailure(
      `${settings.desktopCachePath} is missing or not a data folder of the Discord app; remove the source, or restore the folder`,
    )
  const { auth } = configuration().settings
  if (!staysGiven(auth, { path: root, place: root, name: settings.givenTo }))
    throw new SourceFailure(`${quoted(root)}: ${noLongerGiven}`)
  const state = cacheStateOf(await pass.checkpoint(cacheKey))
  const reading = { pass, state, settings, routes: new Routes(await pass.checkpoint(routesKey)) }
  for (const file of await stateFiles(root))
    for await (const text of textsOf(file)) reading.routes.learnText(text)
  const files = (await cacheFiles(root)).filter(file => isDue(reading, file))
  yield { event: 'total', count: files.length }
  const unplaced = yield* readFiles(reading, files)
  // Later files may have shown where messages of earlier files belong.
  const again = files.filter(({ path }) => unplaced.has(path))
  const left = yield* readFiles(reading, again)
  yield { event: 'checkpoint', key: routesKey, value: JSON.stringify(reading.routes) }
  const next: CacheState = {
    changedAfterMs: Math.max(state.changedAfterMs, ...files.map(({ mtimeMs }) => mtimeMs)),
    unplacedFiles: again.filter(({ path }) => left.has(path)).map(({ name }) => name),
    unplacedMessages: [...left.values()].reduce((all, one) => all + one, 0),
  }
  yield { event: 'checkpoint', key: cacheKey, value: JSON.stringify(next) }
}

/** Parses the state of earlier passes; the initial state if there is none. */
export function cacheStateOf(kept: string | undefined): CacheState {
  const known = kept === undefined ? undefined : cacheState.safeParse(JSON.parse(kept)).data
  return known ?? { changedAfterMs: 0, unplacedFiles: [], unplacedMessages: 0 }
}

/** @returns the number of unassigned messages by file */
async function* readFiles(
  reading: CacheScan,
  files: readonly CacheFile[],
): AsyncGenerator<SourceEvent, Map<string, number>> {
  const unplaced = new Map<string, number>()
  for (const file of files) {
    reading.pass.signal.throwIfAborted()
    yield { event: 'scanned', count: 1 }
    const missing = yield* readFileOf(reading, file)
    if (missing > 0) unplaced.set(file.path, missing)
  }
  return unplaced
}

async function* readFileOf(reading: CacheScan, file: CacheFile): AsyncGenerator<SourceEvent, number> {
  let unplaced = 0
  const bytes = await readForeignBytes(file.path, { maxBytes: mostFileBytes }).catch(() => undefined)
  if (!bytes) return 0
  for await (const list of messageLists(reading, file, bytes)) {
    const messages = list.flatMap(one => wireMessage.safeParse(one).data ?? [])
    for (const message of messages) reading.routes.learnMessage(message)
    for (const message of messages) unplaced += yield* reportMessage(reading, message)
  }
  return unplaced
}

/**
 * Reads the lists of messages in one file: by the addresses of its replies, or with a full scan anywhere in
 * it.
 */
async function* messageLists(
  { routes, settings }: CacheScan,
  { folder }: CacheFile,
  bytes: Buffer,
): AsyncGenerator<unknown[]> {
  const isKnown = isSimpleEntry(bytes) || isEntryFile(bytes)
  for await (const { url, body, encoding } of entriesOf(folder, bytes)) {
    routes.learnText(url)
    const path = new URL(url).pathname.replace(/^\/api\/v\d+/u, '')
    if (!/^\/(?:channels\/\d+(?:\/messages)?|users\/@me\/channels|guilds\/\d+\/channels)$/u.test(path))
      continue
    const text = await bodyText(body, encoding)
    if (text === undefined) continue
    if (path.endsWith('/messages')) yield parseList(text) ?? []
    else routes.learnChannels(parseJson(text))
  }
  if (settings.desktopCacheFullScan && !isKnown) yield* carvedLists(bytes)
}

async function* entriesOf(folder: string, bytes: Buffer): AsyncGenerator<CacheEntry> {
  if (isSimpleEntry(bytes)) {
    const entry = simpleEntry(bytes)
    if (entry) yield entry
  } else if (isEntryFile(bytes)) yield* blockEntries(folder, bytes)
}

/**
 * Reports one message unless a newer version is known.
 * @returns 1 if the message cannot be assigned
 */
async function* reportMessage(
  { pass, settings, routes }: CacheScan,
  message: WireMessage,
): AsyncGenerator<SourceEvent, number> {
  const channel = message.channel_id
  const guild = routes.guildOf(channel)
  if (!guild) return 1
  if (settings.guildIds.length > 0 && !settings.guildIds.includes(guild)) return 0
  const name = routes.names.get(channel)
  const title =
    guild === directMessages ? `Direct messages${name ? ` > ${name}` : ''}` : `#${name ?? channel}`
  const place = { guild, channel, title }
  const artifact = messageArtifact(message, place, { included: settings, names: noNames })
  if (!artifact) return 0
  const known = await pass.known(artifact.path)
  const isOlder = (known?.source_updated_at ?? '') > (artifact.updatedAt ?? '')
  if (known && (isOlder || known.fingerprint === artifact.fingerprint))
    yield { event: 'same', path: artifact.path }
  else yield { event: 'artifact', artifact }
  return 0
}

/**
 * True if a file may contain something new. Block files are written in place, so their times are unreliable.
 */
function isDue({ pass, settings, state }: CacheScan, { name, mtimeMs }: CacheFile): boolean {
  if (pass.full || settings.desktopCacheFullScan || /^data_\d+$/u.test(name)) return true
  return mtimeMs > state.changedAfterMs - overlapMs || state.unplacedFiles.includes(name)
}

/**
 * Reads a file in overlapping chunks, so that no route is missed at a boundary. NULs are removed so that
 * two-byte text reads like the rest.
 */
async function* textsOf({ path }: CacheFile): AsyncGenerator<string> {
  try {
    let before = ''
    for await (const bytes of (await openForeign(path)).createReadStream({ highWaterMark: stretchBytes })) {
      const text = (bytes as Buffer).toString('latin1').replaceAll('\0', '')
      yield before + text
      before = text.slice(-longestRoute)
    }
  } catch {
    // A deleted or unreadable file proves nothing.
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True if the file is an entry of the simple cache. */
function isSimpleEntry(file: Buffer): boolean {
  return file.length > headerBytes && file.readBigUInt64LE(0) === headerMagic
}

/**
 * Parses the reply of an entry.
 * @returns undefined if it is incomplete or from another site
 */
function simpleEntry(file: Buffer): CacheEntry | undefined {
  const keyEnd = headerBytes + file.readUInt32LE(12)
  const url = keyEnd <= file.length ? addressIn(file.toString('latin1', headerBytes, keyEnd)) : undefined
  if (!url) return undefined
  const headersEnd = file.length - endBytes
  if (headersEnd < keyEnd || file.readBigUInt64LE(headersEnd) !== endMagic) return undefined
  const flags = file.readUInt32LE(headersEnd + 8)
  const size = file.readUInt32LE(headersEnd + 16)
  const start = headersEnd - (flags & hasKeyHash ? keyHashBytes : 0) - size
  const bodyEnd = start - endBytes
  if (bodyEnd < keyEnd || file.readBigUInt64LE(bodyEnd) !== endMagic) return undefined
  return {
    url,
    body: file.subarray(keyEnd, bodyEnd),
    encoding: encodingIn(file.subarray(start, start + size)),
  }
}

/** Searches unknown bytes for JSON lists, compressed and plain, at any offset. */
async function* carvedLists(file: Buffer): AsyncGenerator<unknown[]> {
  const breathe = everyFewMs()
  for (let at = file.indexOf(gzipMagic); at !== -1; at = file.indexOf(gzipMagic, at + 1)) {
    await breathe()
    const text = await bodyText(file.subarray(at + gzipHeader), 'raw')
    const list = text === undefined ? undefined : parseList(text)
    if (list) yield list
  }
  for (let at = file.indexOf(listStart); at !== -1; ) {
    await breathe()
    const text = balancedPrefix(file.toString('utf8', at, Math.min(file.length, at + longestList)))
    const list = text === undefined ? undefined : parseList(text)
    if (list) yield list
    at = file.indexOf(listStart, at + (list && text ? Buffer.byteLength(text) : 1))
  }
}

/** Parses a JSON list; undefined for anything else. */
function parseList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the text up to the bracket that closes the first one; undefined if there is none. */
function balancedPrefix(text: string): string | undefined {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]
    if (isInText && unit === '\\') at++
    else if (unit === '"') isInText = !isInText
    else if (isInText) continue
    else if (unit === '[' || unit === '{') depth++
    else if ((unit === ']' || unit === '}') && --depth === 0) return text.slice(0, at + 1)
  }
  return undefined
}

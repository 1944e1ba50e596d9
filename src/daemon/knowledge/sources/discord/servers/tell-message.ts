import { createHash } from 'node:crypto'
import type { WireAttachment, WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { inSlices } from '../../../../../lib/concurrency/every-few-ms.js'
import { isBinary } from '../../../../../lib/files/is-binary.js'
import { charsetOf, decodeText } from '../../../../ground/extraction/decode-text.js'
import { ApiFault } from '../../../../ground/fetch/api-faults.js'
import type { ReadArtifact, SourceEvent } from '../../core/kind.js'
import { attachmentArtifact, type MessagePlace, messageArtifact } from './artifacts.js'
import { artifactsBelow, removePath } from './known-paths.js'
import type { Names } from './names.js'
import { attachmentPath, messagePath } from './paths.js'
import type { GuildPass } from './reading.js'
import { isBlank } from './render-message.js'

/** Text types, including those that do not begin with "text/". */
const textTypes =
  /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|toml|javascript|typescript|sql|graphql|x-sh|x-python|x-ndjson)\b))/u
/** File endings of text, for attachments without a type. */
const textNames =
  /\.(?:txt|text|log|md|markdown|rst|adoc|csv|tsv|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|diff|patch|sql|sh|bash|zsh|ps1|bat|[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|lua|pl|r|scala|ex|exs|erl|hs|vue|svelte)$/iu

/**
 * Reports the text of a message's attachments as artifacts below it. Attachments never change, so known ones
 * are not fetched again. Images, audio and other binary files are never fetched.
 */
async function* reportAttachments(
  reading: GuildPass,
  message: WireMessage,
  told: ReadArtifact,
): AsyncGenerator<SourceEvent> {
  const { pass, settings } = reading
  const texts = (settings.includeAttachments ? (message.attachments ?? []) : []).filter(isText)
  const paths = new Set<string>()
  for (const one of texts) {
    const path = attachmentPath(told.path, one.id)
    paths.add(path)
    const fingerprint = fingerprintOf(one, settings.maxAttachmentTextBytes)
    if ((await pass.known(path))?.fingerprint === fingerprint) yield { event: 'same', path }
    else yield* fetchText(reading, one, { told, path, fingerprint })
  }
  for await (const { path } of artifactsBelow(pass, told.path))
    if (!paths.has(path)) yield { event: 'removed', path }
}

/** True if the type, or without one the file name, indicates text. */
export function isText({ content_type: type, filename }: WireAttachment): boolean {
  return type ? textTypes.test(type) : textNames.test(filename)
}

async function* fetchText(
  { rest, pass, told: toldPaths, settings: { maxAttachmentTextBytes: maxBytes } }: GuildPass,
  { url, filename, content_type: type }: WireAttachment,
  { told, path, fingerprint }: { told: ReadArtifact; path: string; fingerprint: string },
): AsyncGenerator<SourceEvent> {
  try {
    const { bytes, isCut } = await rest.file(url, maxBytes)
    if (isBinary(bytes)) return
    const whole = isCut ? wholeCharacters(bytes) : bytes
    const text = await inSlices(decodeText(whole, charsetOf(type ?? undefined)))
    const end = isCut ? `\n\n(only the first ${maxBytes} bytes were read)` : ''
    const artifact = attachmentArtifact(told, { path, filename, text: `${filename}\n\n${text}${end}` })
    toldPaths.note(path)
    yield { event: 'artifact', artifact: { ...artifact, fingerprint } }
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof ApiFault)) throw error
    yield {
      event: 'fault',
      path,
      message: `the attachment ${filename} was not read: ${error.message}`,
      isRecoverable: error.kind === 'unreachable',
    }
  }
}

/** Drops the UTF-8 character that the limit cut in two. */
function wholeCharacters(bytes: Buffer): Buffer {
  const last = bytes.findLastIndex(byte => (byte & 0xc0) !== 0x80)
  return last >= bytes.length - 4 && (bytes[last] ?? 0) >= 0xc0 ? bytes.subarray(0, last) : bytes
}

function fingerprintOf({ id, size, filename }: WireAttachment, maxBytes: number): string {
  const kept = JSON.stringify([id, filename, size, maxBytes])
  return createHash('sha256').update(kept).digest('base64url')
}

/**
 * Types of messages written by people: plain ones and replies. Discord writes the others, such as joins and
 * pins.
 */
const writtenTypes = new Set([0, 19])

/** Reports one message as new, changed, unchanged, or removed because it has no content any more. */
export async function* reportMessage(
  reading: GuildPass,
  message: WireMessage,
  { place, names }: { place: MessagePlace; names: Names },
): AsyncGenerator<SourceEvent> {
  const { pass, settings, seen } = reading
  const path = messagePath(place.guild, place.channel, message.id)
  if (isOthers(reading, message)) {
    const blank = isBlank(message)
    seen.note({ isBlank: blank })
    // Without the intent, a known message comes back without content: treat it as unchanged.
    if (blank) {
      if (await pass.known(path)) yield { event: 'same', path }
      return
    }
  }
  const artifact = messageArtifact(message, place, { included: settings, names })
  if (!artifact) {
    yield* removePath(reading, path)
    return
  }
  yield* reportArtifact(reading, artifact)
  if (settings.includeAttachmentText) yield* reportAttachments(reading, message, artifact)
}

/** Reports an artifact, or that it is unchanged. */
export async function* reportArtifact(
  { pass, told }: Pick<GuildPass, 'pass' | 'told'>,
  artifact: ReadArtifact,
): AsyncGenerator<SourceEvent> {
  const { path, fingerprint } = artifact
  const isSame = !told.has(path) && (await pass.known(path))?.fingerprint === fingerprint
  if (isSame) yield { event: 'same', path }
  else {
    told.note(path)
    yield { event: 'artifact', artifact }
  }
}

/**
 * True if the message's content requires the intent: not for the bot's own messages, nor for mentions of it.
 */
function isOthers({ self }: GuildPass, { type, author, mentions = [] }: WireMessage): boolean {
  return writtenTypes.has(type) && author?.id !== self && !mentions.some(({ id }) => id === self)
}

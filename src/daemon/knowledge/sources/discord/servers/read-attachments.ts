import { createHash } from 'node:crypto'
import type { WireAttachment, WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import { inSlices } from '../../../../../lib/concurrency/every-few-ms.js'
import { charsetOf, decodeText } from '../../../../ground/extraction/decode-text.js'
import { ApiFault } from '../../../../ground/fetch/api-fault.js'
import type { ReadArtifact, SourceEvent } from '../../core/kind.js'
import { attachmentArtifact } from './artifacts.js'
import { knownBelow } from './known-paths.js'
import { attachmentPath } from './paths.js'
import type { Reading } from './reading.js'

/** Types that are text although their name does not begin so. */
const textTypes =
  /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|toml|javascript|typescript|sql|graphql|x-sh|x-python|x-ndjson)\b))/u
/** Where Discord names no type it goes by the ending. */
const textNames =
  /\.(?:txt|text|log|md|markdown|rst|adoc|csv|tsv|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|diff|patch|sql|sh|bash|zsh|ps1|bat|[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|lua|pl|r|scala|ex|exs|erl|hs|vue|svelte)$/iu

/**
 * Tells the text of a message's attachments, each as an artifact below it. Attachments never change: what is known is
 * not fetched again. Pictures, sounds and other bytes are not fetched at all.
 */
export async function* tellAttachments(
  reading: Reading,
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
  for await (const { path } of knownBelow(pass, told.path))
    if (!paths.has(path)) yield { event: 'removed', path }
}

/** Whether it is text by its type, or by its name where it has none. */
export function isText({ content_type: type, filename }: WireAttachment): boolean {
  return type ? textTypes.test(type) : textNames.test(filename)
}

async function* fetchText(
  { rest, pass, told: toldPaths, settings: { maxAttachmentTextBytes: maxBytes } }: Reading,
  { url, filename, content_type: type }: WireAttachment,
  { told, path, fingerprint }: { told: ReadArtifact; path: string; fingerprint: string },
): AsyncGenerator<SourceEvent> {
  try {
    const { bytes, isCut } = await rest.file(url, maxBytes)
    if (bytes.length < 2 || isBinary(bytes)) return
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

/** Bytes with a NUL are no text, but for UTF-16, which says so in its first two. */
function isBinary(bytes: Buffer): boolean {
  const mark = bytes.readUInt16BE(0)
  return mark !== 0xfffe && mark !== 0xfeff && bytes.includes(0)
}

/** Without the character of UTF-8 that the limit cut through. */
function wholeCharacters(bytes: Buffer): Buffer {
  const last = bytes.findLastIndex(byte => (byte & 0xc0) !== 0x80)
  return last >= bytes.length - 4 && (bytes[last] ?? 0) >= 0xc0 ? bytes.subarray(0, last) : bytes
}

function fingerprintOf({ id, size, filename }: WireAttachment, maxBytes: number): string {
  const kept = JSON.stringify([id, filename, size, maxBytes])
  return createHash('sha256').update(kept).digest('base64url')
}

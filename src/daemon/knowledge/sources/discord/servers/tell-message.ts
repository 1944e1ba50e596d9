import type { WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { ReadArtifact, SourceEvent } from '../../core/kind.js'
import { type MessagePlace, messageArtifact } from './artifacts.js'
import { removePath } from './known-paths.js'
import type { Names } from './names.js'
import { messagePath } from './paths.js'
import { reportAttachments } from './read-attachments.js'
import type { GuildPass } from './reading.js'
import { isBlank } from './render-message.js'

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

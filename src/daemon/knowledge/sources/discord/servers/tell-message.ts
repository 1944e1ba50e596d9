import type { WireMessage } from '../../../../../contract/knowledge/sources/discord-wire.js'
import type { ReadArtifact, SourceEvent } from '../../core/kind.js'
import { messageArtifact, type Place } from './artifacts.js'
import { goneWhole } from './known-paths.js'
import type { Names } from './names.js'
import { messagePath } from './paths.js'
import { tellAttachments } from './read-attachments.js'
import type { Reading } from './reading.js'
import { isBlank } from './render-message.js'

/** What people write themselves, and answers to it; all else is said by Discord: somebody joined, or pinned something. */
const written = new Set([0, 19])

/** Tells of one message: that it is new, changed, unchanged, or says nothing any more. */
export async function* tellMessage(
  reading: Reading,
  message: WireMessage,
  { place, names }: { place: Place; names: Names },
): AsyncGenerator<SourceEvent> {
  const { pass, settings, seen } = reading
  const path = messagePath(place.guild, place.channel, message.id)
  if (isOthers(reading, message)) {
    const blank = isBlank(message)
    seen.note({ isBlank: blank })
    // Without the intent for it, what is known of a message comes back without its content: that is no change.
    if (blank) {
      if (await pass.known(path)) yield { event: 'same', path }
      return
    }
  }
  const artifact = messageArtifact(message, place, { included: settings, names })
  if (!artifact) {
    yield* goneWhole(reading, path)
    return
  }
  yield* tellIfChanged(reading, artifact)
  if (settings.includeAttachmentText) yield* tellAttachments(reading, message, artifact)
}

/** Tells of an artifact, or that it is the same. */
export async function* tellIfChanged(
  { pass, told }: Pick<Reading, 'pass' | 'told'>,
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

/** Whether its content is shown by the intent alone: not to the one who wrote it, nor to whom it mentions. */
function isOthers({ self }: Reading, { type, author, mentions = [] }: WireMessage): boolean {
  return written.has(type) && author?.id !== self && !mentions.some(({ id }) => id === self)
}

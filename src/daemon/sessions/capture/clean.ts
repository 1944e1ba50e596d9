import { noCut, withoutPrivate } from '../../ground/text/private-spans.js'
import { withoutRecalled } from '../../ground/text/tag-spans.js'
import type { TranscriptMessage } from '../transcripts/transcript-message.js'

/**
 * Removes private parts and text that the service itself added to a conversation. Cleaning clean text changes
 * nothing.
 * @param lost is increased by the private parts that were removed.
 */
export async function* cleanMessages(
  messages: AsyncIterable<TranscriptMessage>,
  lost = noCut(),
): AsyncGenerator<TranscriptMessage> {
  for await (const message of messages) {
    const text = withoutRecalled(withoutPrivate(message.text, lost))
    if (text.trim() !== '') yield { ...message, text }
  }
}

/** Longest conversation kept, in UTF-16 units and in messages; of a longer one, the end is kept. */
export const maxTranscriptLength = 64 * 1024 * 1024
export const maxTranscriptMessages = 200_000

/** Returns the newest messages that fit; a single last message that is too long loses its beginning. */
export async function collectNewest(
  messages: AsyncIterable<TranscriptMessage>,
  { maxLength = maxTranscriptLength, maxMessages = maxTranscriptMessages } = {},
): Promise<TranscriptMessage[]> {
  const kept: TranscriptMessage[] = []
  let first = 0
  let length = 0
  for await (const message of messages) {
    kept.push(message)
    length += message.text.length
    for (; kept.length - first > 1 && (length > maxLength || kept.length - first > maxMessages); first++) {
      length -= kept[first]?.text.length ?? 0
      // Frees the text of dropped messages.
      kept[first] = message
    }
    if (first < 10_000) continue
    kept.splice(0, first)
    first = 0
  }
  const last = kept.at(-1)
  if (last && last.text.length > maxLength)
    kept[kept.length - 1] = { ...last, text: last.text.slice(-maxLength) }
  return kept.slice(first)
}

import { netPrivateTags, withoutPrivate } from '../../../ground/text/private-spans.js'
import { roleOf, type TranscriptMessage } from '../transcript-message.js'

const roleLine =
  /^[ \t]{0,3}(?:#{1,6}[ \t]*)?(?:\*\*|\[)?(user|human|assistant|ai|model|gemini|system|developer|tool)(?:\]|\*\*)?:(?:\*\*)?[ \t]?(.*)$/isu

/** Ends the private span of a message that is split inside it. */
const closing = '</private>'

/** A message longer than this many UTF-16 units is split. */
const maxMessageLength = 1024 * 1024

/**
 * Reads text of the form `role: message`, over several lines. Text before the first role has the role
 * unknown. A private span hides role lines: it belongs to one message, however long. A span without an end
 * hides none.
 */
export async function* plainMessages(lines: AsyncIterable<string>): AsyncGenerator<TranscriptMessage> {
  const left: string[] = []
  yield* messagesOf(lines, true, left)
  yield* messagesOf(withoutPrivate(left.join('\n')).split('\n'), false, [])
}

/** @param left receives the lines of a last message whose private span has no end. */
async function* messagesOf(
  lines: AsyncIterable<string> | Iterable<string>,
  hides: boolean,
  left: string[],
): AsyncGenerator<TranscriptMessage> {
  const state = { word: undefined as string | undefined, head: '', text: '', depth: 0 }
  const message = (): TranscriptMessage[] => {
    const role = state.word === undefined ? 'unknown' : roleOf(state.word)
    const text = state.text.replace(/(?<!\n)\n+$/u, '')
    return role === undefined || text.trim() === '' ? [] : [{ role, text, at: null }]
  }
  for await (const line of lines) {
    const [, word, rest = ''] = (state.depth === 0 && roleLine.exec(line)) || []
    if (word !== undefined) {
      yield* message()
      Object.assign(state, { word, text: rest, head: line.slice(0, line.length - rest.length) })
    } else {
      state.text += state.text === '' ? line : `\n${line}`
    }
    if (hides) state.depth = Math.max(0, state.depth + netPrivateTags(word === undefined ? line : rest))
    if (state.text.length < maxMessageLength) continue
    if (state.depth > 0) state.text += closing
    yield* message()
    state.text = state.depth > 0 ? '<private>' : ''
  }
  if (state.depth > 0) left.push(...`${state.head}${state.text}`.split('\n'))
  else yield* message()
}

/** True when a text contains role lines. */
export function hasRoles(text: string): boolean {
  return text.split('\n').some(line => roleLine.test(line))
}

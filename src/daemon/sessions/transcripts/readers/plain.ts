import { netPrivateTags } from '../../../ground/text/private-spans.js'
import { roleOf, type TranscriptMessage } from '../transcript-message.js'

const roleLine =
  /^[ \t]{0,3}(?:#{1,6}[ \t]*)?(?:\*\*|\[)?(user|human|assistant|ai|model|gemini|system|developer|tool)(?:\]|\*\*)?:(?:\*\*)?[ \t]?(.*)$/isu

/** A message longer than this many UTF-16 units is split. */
const maxMessageLength = 1024 * 1024

/**
 * Reads text of the form `role: message`, over several lines. Text before the first role has the role
 * unknown. A private span hides role lines: it belongs to one message, however long.
 */
export async function* plainMessages(lines: AsyncIterable<string>): AsyncGenerator<TranscriptMessage> {
  const state = { word: undefined as string | undefined, text: '', depth: 0 }
  const message = (): TranscriptMessage[] => {
    const role = state.word === undefined ? 'unknown' : roleOf(state.word)
    const text = state.text.replace(/(?<!\n)\n+$/u, '')
    return role === undefined || text.trim() === '' ? [] : [{ role, text, at: null }]
  }
  for await (const line of lines) {
    const [, word, rest = ''] = (state.depth === 0 && roleLine.exec(line)) || []
    if (word !== undefined) {
      yield* message()
      Object.assign(state, { word, text: rest })
    } else {
      state.text += state.text === '' ? line : `\n${line}`
    }
    state.depth = Math.max(0, state.depth + netPrivateTags(word === undefined ? line : rest))
    if (state.text.length < maxMessageLength) continue
    yield* message()
    state.text = state.depth > 0 ? '<private>' : ''
  }
  yield* message()
}

/** True when a text contains role lines. */
export function hasRoles(text: string): boolean {
  return text.split('\n').some(line => roleLine.test(line))
}

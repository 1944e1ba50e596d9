import { isRecord } from '../../../../lib/text/json-of.js'

/** Tags around what a person wrote: Cline's, and Cursor's. */
const wrapper =
  /^\s*<(task|feedback|user_message|answer|user_input|user_query)(?: [^<>]*)?>([\s\S]*)<\/\1>\s*$/u
/** Results of tools that Cline sends as text. */
const toolResult = /^\[[a-z_]+(?: for '[^\n]*')?\] Result:/u

/**
 * Returns the content of a person's message without what the program added: its description of the
 * environment, results of tools, and tags around the words.
 */
export function spokenContent(content: unknown): unknown {
  if (typeof content === 'string') return unwrapped(content)
  if (!Array.isArray(content)) return content
  const texts = content.map(part => (isRecord(part) && typeof part.text === 'string' ? part.text : undefined))
  const isOfTools = texts.some(text => text !== undefined && toolResult.test(text))
  return content.flatMap((part: unknown, at) => {
    const text = texts[at]
    if (text === undefined) return [part]
    if (text.startsWith('<environment_details>') || (isOfTools && !wrapper.test(text))) return []
    return [{ ...(part as object), text: unwrapped(text) }]
  })
}

function unwrapped(text: string): string {
  return wrapper.exec(text)?.[2]?.trim() ?? text
}

import { clip } from '../../../lib/text/clip.js'

/** Characters of a message that are read for a title. */
export const openingLength = 2000

/** Maximum length of a title in UTF-16 units. */
const maxTitle = 80

/** Blocks that harnesses add to a prompt; the person did not write them. */
const addedBlocks =
  /<(system-reminder|environment_context|user_instructions|local-command-[a-z]+|command-(?:name|message|args|contents)|task-notification|ide_[a-z_]+|INSTRUCTIONS)\b[^>]*>[\s\S]*?(?:<\/\1>|$)/giu
/** Beginnings of messages that a harness writes in the name of the person. */
const notAPrompt =
  /^(?:caveat: the messages below|this session is being continued|\[request interrupted|# agents\.md instructions|<\/?[a-z][\w-]*>\s*$|\/(?:clear|compact|resume|model|login|help|exit|quit|init)\b)/iu

/**
 * Returns the title of a session: the first real prompt of the person in one line, without what the harness
 * added. A custom command is the title only if no other prompt follows.
 * @param messages from the beginning of the conversation
 * @returns undefined when the person wrote nothing
 */
export function titleOf(messages: readonly { role: string; text: string }[]): string | undefined {
  const prompts = messages.flatMap(({ role, text }) => {
    if (role !== 'user' && role !== 'unknown') return []
    const line = text
      .replace(addedBlocks, ' ')
      .replace(/^[\s#>*-]+/u, '')
      .replace(/\s+/gu, ' ')
      .trim()
    return line === '' || notAPrompt.test(line) ? [] : [line]
  })
  const title = prompts.find(line => !line.startsWith('/')) ?? prompts[0]
  return title === undefined ? undefined : clip(title, maxTitle)
}

import { isRecord } from '../../../../lib/text/json-of.js'
import { type TranscriptMessage, textOf, timeOf } from '../transcript-message.js'

interface GrokLine {
  timestamp?: unknown
  method?: unknown
  params?: {
    update?: {
      sessionUpdate?: unknown
      content?: { type?: unknown; text?: unknown } | null
      _meta?: { promptIndex?: unknown } | null
      checkpoint_file?: unknown
      created_at?: unknown
    } | null
  } | null
}

/** True for a line of Grok Build's `updates.jsonl`: its messages over ACP, and own ones. */
export function isGrokLine(line: object): boolean {
  const { method, params } = line as GrokLine
  return typeof method === 'string' && /^(?:_x\.ai\/)?session\/update$/u.test(method) && !!params?.update
}

/** The log of a session; a message ends where something else begins. */
export interface GrokLog {
  /** @returns the message that ended before this line */
  take(line: object): TranscriptMessage | undefined
  rest(): TranscriptMessage[]
}

const speakers = { user_message_chunk: 'user', agent_message_chunk: 'assistant' } as const

/** Joins the pieces of a message; thoughts, tools and hooks are left out. */
export function createGrokLog(): GrokLog {
  let open: TranscriptMessage | undefined
  let prompt: unknown
  const close = (next?: TranscriptMessage) => {
    const ended = open
    open = next
    return ended?.text.trim() ? ended : undefined
  }
  return {
    take(line) {
      const { timestamp, method, params } = line as GrokLine
      // Hooks and progress are reported in the middle of a message.
      if (method !== 'session/update') return undefined
      const { sessionUpdate, content, _meta } = params?.update ?? {}
      const role = speakers[sessionUpdate as keyof typeof speakers]
      if (role === undefined) return close()
      const text = content?.type === 'text' && typeof content.text === 'string' ? content.text : ''
      const before = prompt
      prompt = _meta?.promptIndex ?? before
      if (open?.role === role && prompt === before) {
        open.text += text
        return undefined
      }
      const seconds = typeof timestamp === 'number' ? timestamp * 1000 : undefined
      return close({ role, text, at: timeOf(seconds) })
    },
    rest: () => [close()].filter(message => message !== undefined),
  }
}

/** The file beside the log with the history after a compaction, as a line of the log names it. */
export function checkpointOfGrok(line: object): { file: string; at: string | null } | undefined {
  const { sessionUpdate, checkpoint_file: file, created_at } = (line as GrokLine).params?.update ?? {}
  if (sessionUpdate !== 'compaction_checkpoint' || typeof file !== 'string') return undefined
  return /^compaction_checkpoints\/[\w-]+\.json$/u.test(file) ? { file, at: timeOf(created_at) } : undefined
}

const introduction = /^This session is being continued from a previous conversation[^\n]*\n\s*/u
const pointer = '\n\nFull verbatim rollouts of previous segments are available at '

/** The summary in a history after a compaction, without what Grok Build writes around it. */
export function summaryOfGrok(checkpoint: unknown): string | undefined {
  const history = isRecord(checkpoint) ? checkpoint.compacted_history : undefined
  const texts = (Array.isArray(history) ? history : []).map(item =>
    textOf(isRecord(item) ? item.content : ''),
  )
  const told = texts.findLast(text => introduction.test(text))?.replace(introduction, '')
  const [summary = ''] = told?.split(pointer) ?? []
  return summary.trim() || undefined
}

import { isRecord } from './json-of.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * Renders a line of an agent's output for a person: its messages and the tools it used. A line that is not an
 * event is returned unchanged; undefined for events without content for a person.
 */
export function agentLine(line: string): string | undefined {
  const event = eventIn(line)
  if (!event) return line
  const texts = [...claudeTexts(event), ...codexTexts(event), ...openCodeTexts(event)].filter(Boolean)
  return texts.length > 0 ? texts.join('\n') : undefined
}

function eventIn(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) && typeof value.type === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function claudeTexts({ type, message, is_error, result }: Fields): string[] {
  if (type === 'result' && is_error === true) return [textIn(result)]
  if (type !== 'assistant' || !isRecord(message) || !Array.isArray(message.content)) return []
  return message.content.filter(isRecord).map(part => textIn(part.text) || toolText(part.name, part.input))
}

function codexTexts({ type, item, error, message }: Fields): string[] {
  if (type === 'turn.failed' && isRecord(error)) return [textIn(error.message)]
  if (type === 'error') return [textIn(message)]
  if (type !== 'item.completed' || !isRecord(item)) return []
  return [item.type === 'agent_message' ? textIn(item.text) : toolText(item.type, item)]
}

function openCodeTexts({ type, part }: Fields): string[] {
  if (!isRecord(part)) return []
  if (type === 'text') return [textIn(part.text)]
  return type === 'tool_use' ? [toolText(part.tool, isRecord(part.state) ? part.state.input : undefined)] : []
}

/** Shows a tool with the most informative field of its input. */
function toolText(name: unknown, input: unknown): string {
  if (typeof name !== 'string') return ''
  const fields = isRecord(input) ? input : {}
  const told = [fields.command, fields.file_path, fields.filePath, fields.path, fields.query, fields.url]
  const [first] = told.map(textIn).filter(Boolean)
  return first ? `> ${name}: ${first.replaceAll(/\s+/gu, ' ').slice(0, 200)}` : `> ${name}`
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns a folder that Cursor names; on Windows it writes `/c:/Users/ada/shop`. */
export function folderOfCursor(root: string | undefined): string | undefined {
  return root?.replace(/^\/(?=[a-z]:[\\/])/iu, '')
}

const hermesDelimiter = '[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]'
const hermesBefore = /^\[PRIOR CONTEXT [^\n]*\]\n/u
/** The first line says how to use the summary. */
const hermesHead = /^(?:\[CONTEXT COMPACTION[^\n]*\n?|\[CONTEXT SUMMARY\]:)/u
const hermesEnd = '\n--- END OF CONTEXT SUMMARY'

/**
 * The summary in a message of Hermes Agent, which puts it in the place of what it compacted, or behind the
 * text of the message that follows. @returns undefined for any other message
 */
export function hermesSummary(text: string): { before: string; summary: string } | undefined {
  const [first = '', second] = text.split(hermesDelimiter, 2)
  const told = (second ?? first).trimStart()
  if (!hermesHead.test(told)) return undefined
  const [summary = ''] = told.replace(hermesHead, '').split(hermesEnd)
  return {
    before: second === undefined ? '' : first.replace(hermesBefore, '').trim(),
    summary: summary.trim(),
  }
}

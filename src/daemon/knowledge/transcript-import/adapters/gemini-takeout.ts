import { isRecord, jsonOf } from '../../../../lib/text/json-of.js'
import { htmlAsMarkdown } from '../../../ground/extraction/read-html.js'
import { type LeftOut, leaveOut } from '../../../sessions/transcripts/transcript-message.js'
import type {
  Conversation,
  ImportedMessage,
  RawRecord,
  RecordAdapter,
  RecordOffset,
} from '../forms/adapter.js'
import { elementRecords } from '../forms/elements.js'
import {
  fieldsOf,
  type JsonObject,
  keyOr,
  maxMessageBytes,
  RejectedRecord,
  readJson,
  timeIn,
} from '../forms/json-record.js'

/**
 * Google's export of Gemini (Takeout): `My Activity/Gemini Apps/MyActivity.json`. It lists prompts with their
 * answers, newest first, and names no conversations; prompts that follow each other are one.
 */
export const geminiTakeout: RecordAdapter = {
  name: 'gemini-takeout',
  version: 1,
  framing: conversationRecords,
  read: bytes => readJson(bytes, conversationIn),
}

/** After a longer pause a prompt begins a conversation. */
const longestPauseMs = 60 * 60_000
/** A longer conversation is read in parts. */
const mostBytes = 1024 * 1024

/** Elements that belong together, as one record `{"activities":[...]}`. */
interface Group {
  elements: Buffer[]
  bytes: number
  number: number
  end: number
  /** Milliseconds since the epoch of the element read last. */
  at: number
}

/** Splits the list into conversations. Any other element is a record of its own. */
async function* conversationRecords(
  source: AsyncIterable<Buffer>,
  place: RecordOffset,
): AsyncGenerator<RawRecord> {
  let group: Group | undefined
  for await (const element of elementRecords(source, place)) {
    const at = element.bytes && timeOfActivity(element.bytes)
    if (group && !(at !== undefined && continues(group, at))) {
      yield recordOf(group)
      group = undefined
    }
    if (element.bytes === undefined || at === undefined) {
      yield element
      continue
    }
    const { bytes, number, end } = element
    group ??= { elements: [], bytes: 0, number, end, at }
    group.elements.push(bytes)
    Object.assign(group, { bytes: group.bytes + bytes.length, number, end, at })
  }
  if (group) yield recordOf(group)
}

function continues({ at: before, bytes }: Group, at: number): boolean {
  return bytes < mostBytes && Math.abs(before - at) <= longestPauseMs
}

/** Milliseconds since the epoch; undefined for anything but an activity of Gemini with a time. */
function timeOfActivity(bytes: Buffer): number | undefined {
  const activity = jsonOf(bytes.toString('utf8'))
  if (!isRecord(activity) || !isOfGemini(activity)) return undefined
  const time = Date.parse(String(activity.time))
  return Number.isNaN(time) ? undefined : time
}

/** The header is "Gemini Apps" in English, and was "Bard" at first. */
function isOfGemini({ header }: JsonObject): boolean {
  return typeof header === 'string' && /^(?:Gemini|Bard)/u.test(header)
}

function recordOf({ elements, number, end }: Group): RawRecord {
  const pieces = elements.flatMap((element, at) => (at === 0 ? [element] : [Buffer.from(','), element]))
  return { number, end, bytes: Buffer.concat([Buffer.from('{"activities":['), ...pieces, Buffer.from(']}')]) }
}

function conversationIn(record: JsonObject, leftOut: LeftOut): Conversation {
  const activities = isOfGemini(record) ? [record] : record.activities
  if (!Array.isArray(activities))
    throw new RejectedRecord(
      'unknown_shape',
      `an activity has the header "Gemini Apps"; seen are ${fieldsOf(record)}`,
    )
  const messages = activities
    .filter(isRecord)
    .map(activity => ({ activity, at: timeIn(activity.time, leftOut) }))
    .sort((one, other) => (one.at ?? '').localeCompare(other.at ?? ''))
    .flatMap(({ activity, at }) => turnIn(activity, at, leftOut))
  return {
    sessionKey: `gemini-takeout-${keyOr(messages[0]?.at, messages)}`,
    harness: 'gemini-app',
    project: null,
    capturedAt: messages.at(-1)?.at ?? null,
    messages,
  }
}

/** In English the title of a prompt begins so; titles of other activities do not. */
const prompted = /^Prompted\s+/u

/** A prompt and its answer. An activity without both, such as feedback, is left out. */
function turnIn(activity: JsonObject, at: string | null, leftOut: LeftOut): ImportedMessage[] {
  const title = typeof activity.title === 'string' ? activity.title : ''
  const answer = answerIn(activity, leftOut)
  const prompt = title.replace(prompted, '').trim()
  if (prompt === '' || (answer === '' && !prompted.test(title))) {
    leaveOut(leftOut, 'odd_messages')
    return []
  }
  const asked: ImportedMessage = { role: 'user', text: prompt, at }
  return answer === '' ? [asked] : [asked, { role: 'assistant', text: answer, at }]
}

function answerIn({ safeHtmlItem: items }: JsonObject, leftOut: LeftOut): string {
  if (!Array.isArray(items)) return ''
  const parts = items.map(item => {
    const html = isRecord(item) ? item.html : undefined
    if (typeof html === 'string' && html.length <= maxMessageBytes) return htmlAsMarkdown(html).trim()
    leaveOut(leftOut, 'odd_parts')
    return ''
  })
  return parts.filter(part => part !== '').join('\n\n')
}

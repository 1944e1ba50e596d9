import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { shortNameOf } from '../../lib/text/names.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatShortAge } from '../../lib/time/age.js'
import { exitCodes } from '../shell/exit-codes.js'
import { type Colors, colorsFor, formatTable, print } from '../terminal/output.js'
import { plainLine, plainLines } from '../terminal/text.js'

export type ShownMessage = Reply<'GET /api/cross-agent/messages'>['items'][number]

/** Formats one message with its whole text below a head line. */
export function messageText(message: ShownMessage, { colors, now }: { colors: Colors; now: number }): string {
  const from = message.fromSessionKey
    ? `${message.fromAgentId} (session ${message.fromSessionKey})`
    : message.fromAgentId
  const state = message.acknowledgedAt === null ? '' : ', read'
  const head = `${plainLine(from)} to ${plainLine(targetOf(message))}, ${message.type}, ${formatShortAge(message.createdAt, now)}${state}${relayText(message)}`
  const text = plainLines(message.content)
    .split('\n')
    .map(line => `  ${line}`)
  return [`${colors.bold(head)}  ${colors.dim(shortId(message.id))}`, ...text].join('\n')
}

/** Formats one message for pipes: id, time, sender, target, type, read or unread, delivery, text. */
export function messageTabs(message: ShownMessage): string {
  return [
    message.id,
    message.createdAt,
    message.fromAgentId,
    targetOf(message),
    message.type,
    message.acknowledgedAt === null ? 'unread' : 'read',
    message.deliveryState ?? message.deliveryStatus,
    message.content,
  ]
    .map(plainLine)
    .join('\t')
}

/** Describes the delivery of a sent message. */
export function sentText(message: ShownMessage): string {
  const { id, relay, deliveryState, toAgentId, toSessionKey } = message
  const target = plainLine(targetOf(message))
  if (relay) {
    const why = relay.error === null ? '' : `: ${plainLine(relay.error)}`
    return `${labelOf('deliveryState', deliveryState ?? '')} to ${target}${why} (${id})`
  }
  const note = toAgentId !== null && toSessionKey === null ? '; it waits until it is read' : ''
  return `sent to ${target}${note} (${id})`
}

function targetOf({ broadcast, toAgentId, toSessionKey, relay }: ShownMessage): string {
  if (relay) return `${relay.targetAgentName} at ${relay.baseUrl}`
  if (broadcast) return 'all'
  return toSessionKey === null ? (toAgentId ?? '-') : `${toAgentId ?? '-'} (session ${toSessionKey})`
}

function relayText({ relay, deliveryState }: ShownMessage): string {
  if (!relay) return ''
  const error = relay.error === null ? '' : ` (${plainLine(relay.error)})`
  return `, ${labelOf('deliveryState', deliveryState ?? '')}${error}`
}

/**
 * Formats the live sessions of other agents; `tabs` gives tab-separated fields for pipes: agent, session,
 * harness, last seen, project.
 */
export function presenceTable(
  sessions: Reply<'GET /api/cross-agent/presence'>['sessions'],
  { colors, now, tabs }: { colors: Colors; now: number; tabs: boolean },
): string {
  const rows = sessions.map(({ agentId, key, harness, seenAt, project }) => [
    plainLine(agentId),
    plainLine(key),
    plainLine(harness),
    tabs ? seenAt : formatShortAge(seenAt, now),
    plainLine(tabs ? (project ?? '-') : shortNameOf(project ?? '-')),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['AGENT', 'SESSION', 'HARNESS', 'LAST SEEN', 'PROJECT'], rows, colors)
}

/**
 * Prints the delivery of a sent message. Sets exit code 1 if it did not arrive or its delivery is unknown.
 */
export function showSent(message: ShownMessage, { json }: { json: boolean }): void {
  const arrived = message.deliveryStatus === 'delivered'
  if (!arrived) process.exitCode = exitCodes.failure.code
  if (!json) print(`${arrived ? colorsFor().green('✓') : colorsFor().red('✗')} ${sentText(message)}`)
}

import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { CapturedMessage } from './transcript-message.js'

const maxSegmentLength = 64
/** Names that some systems reserve for devices. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u

/**
 * The file with the messages of a harness's sessions (rules.md 4.10): one JSON line per message, in the order
 * of capture. Lines of a session with a higher `capture` that start again at position 0 replace earlier ones.
 */
export function recordFile({ paths }: Pick<Daemon, 'paths'>, harness: string): string {
  return recordIn(paths, pathSegment(harness))
}

/** Paths of the records of all harnesses, one in each folder of `memory/`; they may not exist. */
export async function recordFiles({ paths }: Pick<Daemon, 'paths'>): Promise<string[]> {
  const entries = await readdir(paths.memoryDir, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => recordIn(paths, name))
}

function recordIn({ memoryDir }: Daemon['paths'], folder: string): string {
  return join(memoryDir, folder, 'transcripts', 'transcript.jsonl')
}

/** Returns a safe and unique folder name, since a harness may have any name. */
export function pathSegment(harness: string): string {
  const plain = harness
    .toLowerCase()
    .replace(/[^a-z0-9-]+/gu, '-')
    .replace(/^-+|-+$/gu, '')
    .slice(0, maxSegmentLength)
  if (plain === harness && plain !== '' && !reserved.test(plain)) return plain
  const hash = createHash('sha256').update(harness).digest('hex').slice(0, 8)
  return `${plain || 'harness'}-${hash}`
}

/** The lines of one capture. @param from position of the first message in its session. */
export function* recordLines(
  capture: CaptureRow,
  messages: readonly CapturedMessage[],
  from: number,
): Generator<string> {
  for (const [offset, { role, text, at }] of messages.entries())
    yield JSON.stringify({
      sessionKey: capture.session_key,
      agentId: capture.agent_id,
      harness: capture.harness,
      project: capture.project,
      capturedAt: capture.captured_at,
      capture: capture.id,
      position: from + offset,
      role,
      at,
      text,
    })
}

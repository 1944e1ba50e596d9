import { createHash } from 'node:crypto'
import type { SessionName } from '../../../store/tables/sessions/sessions.js'

/** What the head of a compaction's file says. */
export interface CompactionHead {
  agent: string
  session: string | null
  harness: string
  project: string | null
  capturedAt: string
  memoryId: string
}

/** Of the file, below the workspace (rules.md 4.10); a session's key may hold anything, so its hash stands for it. */
export function compactionPath({ agentId, sessionKey }: SessionName, capturedAt: string): string {
  const token = createHash('sha256')
    .update(JSON.stringify([agentId, sessionKey]))
    .digest('hex')
    .slice(0, 16)
  return `memory/${capturedAt.replaceAll(':', '-')}--${token}--compaction.md`
}

/** The summary as it came, below a head of YAML whose values are JSON. */
export function compactionDocument(summary: string, head: CompactionHead): string {
  const lines = Object.entries(head).map(([field, value]) => `${field}: ${JSON.stringify(value)}`)
  return `---\nkind: compaction\n${lines.join('\n')}\n---\n\n${summary}\n`
}

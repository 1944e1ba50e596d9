import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentAges } from '../../../../store/tables/operations/survey-counts.js'
import type { Tables } from '../../../../store/tables/tables.js'

/** Compaction files that are looked for on disk. */
const maxFiles = 2000

/** Counts of captured conversations, by agent. */
export interface CaptureFacts {
  captures: (AgentAges & { status: string })[]
  transcripts: (AgentAges & { harness: string })[]
  compactions: { agent_id: string; count: number; open: number }[]
  /** Expected files of the newest compactions, and how many are missing. */
  files: { agent_id: string; expected: number; missing: number }[]
  nodes: { agent_id: string; count: number }[]
}

/** @param root folder of the workspace */
export async function captureFacts({ surveyCounts }: Tables, root: string): Promise<CaptureFacts> {
  const files = new Map<string, { agent_id: string; expected: number; missing: number }>()
  for (const { agent_id, path } of await surveyCounts.compactionFiles(maxFiles)) {
    const known = files.get(agent_id) ?? { agent_id, expected: 0, missing: 0 }
    known.expected++
    if (!existsSync(join(root, path))) known.missing++
    files.set(agent_id, known)
  }
  return {
    captures: await surveyCounts.captures(),
    transcripts: await surveyCounts.transcripts(),
    compactions: await surveyCounts.compactions(),
    files: [...files.values()],
    nodes: await surveyCounts.nodes(),
  }
}

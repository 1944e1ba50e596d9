import type { AgentText } from '../evidence/evidence.js'
import type { ReadingRequest, ReadingResult } from '../reader.js'
import { knownNames } from './known-names.js'
import { breathe, type DreamingPass, stopReasonOf } from './pass.js'
import { performExtracted } from './write-found.js'

/**
 * Reads texts and performs the extracted operations, grouped by agent and project.
 * @returns the number of operations
 */
export async function readTexts(pass: DreamingPass, pieces: readonly AgentText[]): Promise<number> {
  let operations = 0
  for (const group of groupsOf(pieces)) {
    await breathe(pass)
    const { agentId, project } = group
    const known = await knownNames(pass.deps, pass.caller, group)
    const texts = group.pieces.map(({ piece }) => piece)
    const result = await read(pass, { agentId, project, pieces: texts, known })
    operations += result.operations.length
    await performExtracted(pass, group, result.operations)
    pass.counts.add('pieces.failed', result.failed.length)
    pass.counts.add('pieces.left', result.left.length)
  }
  return operations
}

/** @throws PassStopped if the pass was stopped in the meantime */
async function read(
  { reader, budget, signal }: DreamingPass,
  texts: Omit<ReadingRequest, 'budget' | 'signal'>,
): Promise<ReadingResult> {
  try {
    return await reader.read({ ...texts, budget, signal })
  } catch (error) {
    throw signal.aborted ? stopReasonOf(signal) : error
  }
}

interface TextGroup {
  agentId: string
  project: string | null
  pieces: AgentText[]
}

function groupsOf(pieces: readonly AgentText[]): TextGroup[] {
  const groups = new Map<string, TextGroup>()
  for (const one of pieces) {
    const { agentId, piece } = one
    const key = JSON.stringify([agentId, piece.project])
    const group = groups.get(key) ?? { agentId, project: piece.project, pieces: [] }
    group.pieces.push(one)
    groups.set(key, group)
  }
  return [...groups.values()]
}

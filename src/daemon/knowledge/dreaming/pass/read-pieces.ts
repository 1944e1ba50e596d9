import type { AgentPiece } from '../evidence/evidence.js'
import type { Reading, ReadingResult } from '../reader.js'
import { knownNames } from './known-names.js'
import { breathe, type Pass, stoppedBy } from './pass.js'
import { writeFound } from './write-found.js'

/**
 * Has pieces read and what they say written, those of one agent and project together.
 * @returns how many operations were found.
 */
export async function readPieces(pass: Pass, pieces: readonly AgentPiece[]): Promise<number> {
  let operations = 0
  for (const group of groupsOf(pieces)) {
    await breathe(pass)
    const { agentId, project } = group
    const known = await knownNames(pass.deps, pass.caller, group)
    const texts = group.pieces.map(({ piece }) => piece)
    const result = await read(pass, { agentId, project, pieces: texts, known })
    operations += result.operations.length
    await writeFound(pass, group, result.operations)
    pass.counts.add('pieces.failed', result.failed.length)
    pass.counts.add('pieces.left', result.left.length)
  }
  return operations
}

/** @throws PassStopped where the pass was stopped meanwhile */
async function read(
  { reader, budget, signal }: Pass,
  texts: Omit<Reading, 'budget' | 'signal'>,
): Promise<ReadingResult> {
  try {
    return await reader.read({ ...texts, budget, signal })
  } catch (error) {
    throw signal.aborted ? stoppedBy(signal) : error
  }
}

interface Group {
  agentId: string
  project: string | null
  pieces: AgentPiece[]
}

function groupsOf(pieces: readonly AgentPiece[]): Group[] {
  const groups = new Map<string, Group>()
  for (const one of pieces) {
    const { agentId, piece } = one
    const key = JSON.stringify([agentId, piece.project])
    const group = groups.get(key) ?? { agentId, project: piece.project, pieces: [] }
    group.pieces.push(one)
    groups.set(key, group)
  }
  return [...groups.values()]
}

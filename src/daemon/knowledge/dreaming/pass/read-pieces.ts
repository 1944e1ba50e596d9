import type { AgentPiece } from '../evidence/evidence.js'
import type { EvidencePiece } from '../reader.js'
import { knownNames } from './known-names.js'
import { breathe, type Pass } from './pass.js'
import { writeFound } from './write-found.js'

/**
 * Has pieces read and what they say written, those of one agent and project together. Pieces that could not be read, or
 * that no budget was left for, are noted as attentions, so that a pass goes on behind them.
 * @returns how many operations were found.
 */
export async function readPieces(pass: Pass, pieces: readonly AgentPiece[]): Promise<number> {
  const found = { operations: 0 }
  for (const group of groupsOf(pieces)) {
    await breathe(pass)
    const { agentId, project } = group
    const { reader, budget, signal } = pass
    const known = await knownNames(pass.deps, pass.caller, group)
    const texts = group.pieces.map(({ piece }) => piece)
    const result = await reader.read({ agentId, project, pieces: texts, known, budget, signal })
    found.operations += result.operations.length
    await writeFound(pass, group, result.operations)
    const unread = [...result.failed.map(({ piece }) => piece), ...result.left]
    pass.counts.add('pieces.failed', result.failed.length)
    pass.counts.add('pieces.left', result.left.length)
    await noteUnread(pass, agentId, unread)
  }
  return found.operations
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

async function noteUnread(
  { deps: { store, newId, clock } }: Pass,
  agentId: string,
  pieces: readonly EvidencePiece[],
): Promise<void> {
  if (pieces.length === 0) return
  await store.transaction(async ({ attentions }) => {
    for (const { sourceKind, sourceId } of pieces)
      await attentions.add({
        id: newId(),
        agent_id: agentId,
        subject_kind: sourceKind,
        subject: sourceId,
        kind: 'new_evidence',
        detail: null,
        created_at: clock().toISOString(),
      })
  })
}

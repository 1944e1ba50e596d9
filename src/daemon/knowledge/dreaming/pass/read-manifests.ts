import { operationsOf, ruleReasons } from '../deterministic/fact-operations.js'
import type { ManifestText } from '../evidence/evidence.js'
import type { EvidenceText, ExtractedOperation } from '../reader.js'
import { AskedOperations } from './asked-operations.js'
import { endFact, undrawn } from './end-facts.js'
import { breathe, type DreamingPass } from './pass.js'
import { performExtracted } from './read-pieces.js'
import { always } from './successor.js'

/**
 * Reads manifests of projects, whatever brought them. New values replace the earlier ones, and facts that
 * left a file end (sources.md#manifests-of-projects).
 */
export async function readManifests(
  pass: DreamingPass,
  manifests: readonly ManifestText[],
  { isAgain = false }: { isAgain?: boolean } = {},
): Promise<void> {
  for (const manifest of manifests) {
    await breathe(pass)
    pass.counts.add('manifests')
    const { agentId, project } = manifest
    const pieces = manifest.parts.map(part => ({ piece: pieceOf(manifest, part) }))
    const asked = await AskedOperations.of(pass, agentId, pieces)
    const found = await operationsIn(manifest)
    const { drawn } = await performExtracted(pass, asked, { agentId, project, isAgain }, found)
    if (pass.isShadow) continue
    for (const kind of new Set(manifest.parts.map(part => part.sourceKind))) {
      const ids = manifest.parts.map(part => part.sourceId)
      for (const one of await undrawn(pass, agentId, { kind, ids, reasons: [ruleReasons.manifest], drawn }))
        await endFact(pass, { ...one, agentId, kind, misread: false })
    }
  }
}

function pieceOf(
  { project }: Pick<ManifestText, 'project'>,
  part: ManifestText['parts'][number],
): EvidenceText {
  return { ...part, speaker: null, at: always, project, sessionKey: null }
}

/** Returns the operations of a manifest, each with a quote of the part that has its line. */
async function operationsIn(manifest: ManifestText): Promise<ExtractedOperation[]> {
  const { manifestFacts } = await import('../deterministic/manifest-facts.js')
  return manifestFacts(manifest).flatMap(fact => {
    const part = manifest.parts.find(({ text }) => text.includes(fact.quote))
    if (!part) return []
    const piece = pieceOf(manifest, part)
    return operationsOf(fact, { piece, project: null, isStory: false, known: new Map() })
  })
}

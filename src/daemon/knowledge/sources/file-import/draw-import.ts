import type { NewOperation, Operation } from '../../../../contract/knowledge/ontology-operations.js'
import type { ImportExtraction } from '../../../../contract/knowledge/sources/source-import.js'
import { ownCaller } from '../../../ground/visibility/own-caller.js'
import type { OntologyDeps, Performed } from '../../ontology/model/operation.js'
import { performOperations } from '../../ontology/perform-operations.js'
import { statementsOf, wordsOf } from './file-statements.js'

/** An artifact of an import that stands. */
export interface DrawnFile {
  artifactId: string
  agentId: string
  fileName: string
  sha256: string
  kind: string
  title: string | null
  text: string
  /** What an earlier reading of the same bytes made. */
  before: ImportExtraction
}

/** Read by rules, from words that stand there. */
const confidence = 0.9
const reason = 'an imported file says so'

/**
 * Makes an entity of a file, and claims of what it says of itself (sources.md#what-a-file-says-of-itself).
 * @returns what is there now of it; unsafe or unquotable things are left out.
 */
export async function drawImport(deps: OntologyDeps, file: DrawnFile): Promise<ImportExtraction> {
  const { agentId, fileName, before, sha256 } = file
  const words = wordsOf(file)
  if (words === undefined) return before
  const perform = (operations: readonly Operation[]): Promise<Performed[]> =>
    performOperations(deps, ownCaller(deps, 'source-import'), { agentId, operations, mode: 'apply' })
  const evidenceOf = (quote: string) => ({
    reason,
    confidence,
    evidence: [{ sourceKind: 'artifact' as const, sourceId: file.artifactId, quote }],
  })
  const entity = async (name: string): Promise<Performed | undefined> => {
    const operation = 'create_entity' as const
    return (await perform([{ operation, payload: { name, type: 'document' }, ...evidenceOf(words) }]))[0]
  }
  const named = await entity(fileName.slice(0, 240))
  // Another file, or something else altogether, has the name.
  const isOwn = named?.status !== 'deduplicated' || named.id === before.documentEntityId
  const drawn = isOwn ? named : await entity(`${fileName.slice(0, 240)} (${sha256.slice(0, 8)})`)
  if (drawn?.id === undefined) return before
  const claims = statementsOf(file).map(({ aspect, claim, value, quote }): NewOperation & Operation => {
    const slot = { entity: drawn.id ?? '', aspect, group: 'general', claim, kind: 'attribute' as const }
    return { operation: 'assert_claim', payload: { ...slot, value }, ...evidenceOf(quote) }
  })
  const made = (await perform(claims)).flatMap(one => one.made)
  const isKnown = drawn.id === before.documentEntityId
  const count = (what: Performed['made'][number]): number => made.filter(one => one === what).length
  return {
    documentEntityId: drawn.id,
    aspectsCreated: count('aspect') + (isKnown ? before.aspectsCreated : 0),
    attributesCreated: count('claim') + (isKnown ? before.attributesCreated : 0),
  }
}

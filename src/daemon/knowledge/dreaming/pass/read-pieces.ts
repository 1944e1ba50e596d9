import { type Operation, operation as schema } from '../../../../contract/knowledge/ontology-operations.js'
import { storageContent } from '../../../memory/records/normalise-content.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { refusedSenses, senseOf } from '../../ontology/proposals.js'
import type { AgentText } from '../evidence/evidence.js'
import type { ExtractedOperation, ReadingRequest, ReadingResult } from '../reader.js'
import { knownNames } from './known-names.js'
import { breathe, type DreamingPass, modeOf, scopeOf, stopReasonOf } from './pass.js'
import { asSuccessor } from './successor.js'

/**
 * Reads texts and performs the extracted operations, grouped by agent and project.
 * @returns the number of operations
 */
export async function readTexts(pass: DreamingPass, pieces: readonly AgentText[]): Promise<number> {
  let operations = 0
  await pass.deps.projects.ready()
  for (const group of groupsOf(pieces)) {
    await breathe(pass)
    const { agentId, pieces } = group
    // A key may be a path, a remote or a commit, which nobody would ask for.
    const project = group.project === null ? null : pass.deps.projects.nameOf(group.project)
    const known = await knownNames(pass.deps, pass.caller, { agentId, project, pieces })
    const texts = pieces.map(({ piece }) => piece)
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

/** The names of applied operations in the statistics of a pass. */
const effects: Partial<Record<Operation['operation'], string>> = {
  create_entity: 'entitiesCreated',
  assert_claim: 'claimsChanged',
  supersede_claim: 'claimsChanged',
  retract_claim: 'claimsChanged',
  link: 'relationshipsChanged',
  unlink: 'relationshipsChanged',
  add_memory: 'memoriesCreated',
  supersede_memory: 'memoriesSuperseded',
  forget_memory: 'memoriesRetired',
}

/**
 * Performs the extracted operations one by one. An operation already requested on the same evidence is
 * skipped, whatever a person decided, so that a killed pass can simply be repeated.
 */
async function performExtracted(
  pass: DreamingPass,
  { agentId, project }: { agentId: string; project: string | null },
  found: readonly ExtractedOperation[],
): Promise<void> {
  const asked = createRequestLog(pass, agentId)
  const refused = found.length > 0 ? await refusedSenses(pass.deps, agentId) : new Set<string>()
  const scope = scopeOf(pass, agentId, project)
  for (const { operation: given, isSure, by, saidAt } of found) {
    await breathe(pass)
    const parsed = schema.safeParse({ ...given, evidence: given.evidence?.map(asStored) })
    if (!parsed.success) {
      pass.counts.add('operations.invalid')
      continue
    }
    const { data: operation } = parsed
    if (await asked(operation)) {
      pass.counts.add('operations.known')
      continue
    }
    const performed =
      saidAt === undefined ? operation : await asSuccessor(pass.deps, agentId, operation, { saidAt, project })
    if (isRefused(refused, performed, project)) {
      pass.counts.add('operations.known')
      continue
    }
    const { status, blockedReason } = await performOperation(
      pass.deps,
      scope,
      performed,
      modeOf(pass, isSure),
    )
    pass.counts.add(`operations.${status}`)
    pass.counts.add(`by.${by}`)
    if (status === 'applied') pass.counts.add(effects[performed.operation] ?? 'otherChanges')
    if (status === 'applied' || status === 'deduplicated')
      pass.counts.add('provenanceLinksChanged', operation.evidence.length)
    if (blockedReason !== undefined && status === 'rejected') pass.counts.add(`rejected.${blockedReason}`)
  }
}

/** A memory is stored with one space for each run of white space, and so are its quotes (rules.md 1.1.1). */
function asStored<Quoted extends { sourceKind: string; quote: string }>(evidence: Quoted): Quoted {
  return evidence.sourceKind === 'memory' ? { ...evidence, quote: storageContent(evidence.quote) } : evidence
}

/** True for a fact of another text that a person rejected as misread (knowledge.md#review). */
function isRefused(refused: ReadonlySet<string>, operation: Operation, project: string | null): boolean {
  if (refused.size === 0) return false
  const payload = JSON.stringify(operation.payload)
  return refused.has(senseOf({ operation: operation.operation, payload, project }))
}

/**
 * Returns a check whether an operation was already requested on its evidence; each source is queried once.
 */
function createRequestLog(
  { deps, isShadow }: DreamingPass,
  agentId: string,
): (operation: Operation) => Promise<boolean> {
  const bySource = new Map<string, Set<string>>()
  return async ({ operation, payload, evidence }) => {
    const key = `${operation} ${JSON.stringify(payload)}`
    const seen = await Promise.all(
      evidence.map(async ({ sourceKind: kind, sourceId: id }) => {
        const source = `${kind}:${id}`
        const known = bySource.get(source) ?? (await load(kind, id))
        bySource.set(source, known)
        const isKnown = known.has(key)
        known.add(key)
        return isKnown
      }),
    )
    return seen.length > 0 && seen.every(Boolean)
  }

  async function load(kind: string, id: string): Promise<Set<string>> {
    const rows = await deps.store.tables.ontologyRecords.askedOf(agentId, { kind, id })
    // Operations of the shadow mode still have to be performed for real.
    const counted = rows.filter(({ mode }) => isShadow || mode !== 'shadow')
    return new Set(counted.map(row => `${row.operation} ${row.payload}`))
  }
}

import { type Operation, operation as schema } from '../../../../contract/knowledge/ontology-operations.js'
import { findNamedEntities } from '../../../ground/entities/find-named-entities.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { storageContent } from '../../../memory/records/normalise-content.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { OperationResult } from '../../ontology/model/operation.js'
import { readerOf } from '../../ontology/model/reader.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { refusedSenses, senseOf } from '../../ontology/proposals.js'
import type { AgentText } from '../evidence/evidence.js'
import type { ExtractedOperation, KnownName, ReadingRequest, ReadingResult } from '../reader.js'
import { AskedOperations, keyOf, setOf } from './asked-operations.js'
import { endHidden, endUndrawn, isSettled, sourceKey, type TextReading } from './end-facts.js'
import { breathe, type DreamingPass, modeOf, scopeOf, stopReasonOf } from './pass.js'
import { always, asSuccessor } from './successor.js'

type Deps = Pick<Daemon, 'store'>

const maxEntities = 200
const maxClaims = 50

/**
 * Reads texts and performs the extracted operations, grouped by agent and project.
 * @param isAgain true if the rules changed since the texts were last read
 * @returns the number of operations
 */
export async function readTexts(
  pass: DreamingPass,
  pieces: readonly AgentText[],
  { isAgain = false }: { isAgain?: boolean } = {},
): Promise<number> {
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
    const asked = await AskedOperations.of(pass, agentId, pieces)
    const results = await performExtracted(
      pass,
      asked,
      { ...group, isAgain },
      result.operations.map(asStored),
    )
    await endUndrawn(pass, asked, { agentId, pieces, isAgain, ...results })
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
export async function performExtracted(
  pass: DreamingPass,
  asked: AskedOperations,
  { agentId, project, isAgain }: Pick<TextGroup, 'agentId' | 'project'> & { isAgain: boolean },
  found: readonly ExtractedOperation[],
): Promise<Pick<TextReading, 'drawn' | 'keys'>> {
  const refused = found.length > 0 ? await refusedSenses(pass.deps, agentId) : new Set<string>()
  const scope = scopeOf(pass, agentId, project)
  const results = new DrawnResults(asked)
  for (const { operation: given, isSure, by, saidAt } of found) {
    await breathe(pass)
    const parsed = schema.safeParse(given)
    if (!parsed.success) {
      pass.counts.add('operations.invalid')
      continue
    }
    const { data: operation } = parsed
    results.note(operation)
    const performed =
      asked.note(operation) || asked.isRefused(operation)
        ? undefined
        : await nextOperation(pass, agentId, operation, { saidAt, project, isAgain })
    if (performed && performed !== operation) results.note(performed)
    const isKnown =
      !performed ||
      (performed !== operation && asked.note(performed)) ||
      isRefused(refused, performed, project)
    if (isKnown) {
      pass.counts.add('operations.known')
      continue
    }
    const result = await performOperation(pass.deps, scope, performed, modeOf(pass, isSure))
    results.add(performed, result.id)
    countResult(pass, performed, result, by)
  }
  return results
}

/** @returns the operation as it fits its slot; undefined for a text of before a person settled the slot */
async function nextOperation(
  pass: DreamingPass,
  agentId: string,
  operation: Operation,
  { saidAt, project, isAgain }: { saidAt: string | undefined; project: string | null; isAgain: boolean },
): Promise<Operation | undefined> {
  if (isAgain && (await isSettled(pass, agentId, operation, project))) return undefined
  if (saidAt === undefined) return operation
  if (saidAt === always) await endHidden(pass, agentId, operation, project)
  return asSuccessor(pass.deps, agentId, operation, { saidAt, project })
}

/** Collects what texts said: their operations, and the ids of versions and links by source. */
class DrawnResults {
  readonly drawn = new Map<string, Set<string>>()
  readonly keys = new Set<string>()
  readonly #known = new Map<string, string[]>()

  constructor({ rows }: AskedOperations) {
    for (const { operation, payload, result_id } of rows) {
      const key = keyOf(operation, payload)
      if (result_id !== null) this.#known.set(key, [...(this.#known.get(key) ?? []), result_id])
    }
  }

  note(operation: Operation): void {
    const key = keyOf(operation.operation, JSON.stringify(operation.payload))
    this.keys.add(key)
    for (const id of this.#known.get(key) ?? []) this.add(operation, id)
  }

  add({ evidence }: Operation, id: string | undefined): void {
    if (id === undefined) return
    for (const one of evidence) setOf(this.drawn, sourceKey(one)).add(id)
  }
}

function countResult(
  { counts }: DreamingPass,
  { operation, evidence }: Operation,
  { status, blockedReason }: OperationResult,
  by: string,
): void {
  counts.add(`operations.${status}`)
  counts.add(`by.${by}`)
  if (status === 'applied') counts.add(effects[operation] ?? 'otherChanges')
  if (status === 'applied' || status === 'deduplicated') counts.add('provenanceLinksChanged', evidence.length)
  if (blockedReason !== undefined && status === 'rejected') counts.add(`rejected.${blockedReason}`)
}

/** A memory is stored with one space for each run of white space, and so are its quotes (rules.md 1.1.1). */
function asStored({ operation, ...extracted }: ExtractedOperation): ExtractedOperation {
  const evidence = operation.evidence?.map(one =>
    one.sourceKind === 'memory' ? { ...one, quote: storageContent(one.quote) } : one,
  )
  return { ...extracted, operation: { ...operation, evidence } }
}

/** True for a fact of another text that a person rejected as misread (knowledge.md#review). */
function isRefused(refused: ReadonlySet<string>, operation: Operation, project: string | null): boolean {
  if (refused.size === 0) return false
  const payload = JSON.stringify(operation.payload)
  return refused.has(senseOf({ operation: operation.operation, payload, project }))
}

/**
 * Collects the known names in texts: entities by name and alias, agents, the project, and names given along
 * with the texts (tags, structured entities). A name refers to one of them, entities first.
 */
async function knownNames(
  deps: Deps,
  caller: Caller,
  {
    agentId,
    project,
    pieces,
  }: Pick<ReadingRequest, 'agentId' | 'project'> & { pieces: readonly AgentText[] },
): Promise<KnownName[]> {
  const texts = pieces.map(({ piece }) => piece.text).join('\n')
  const all = await knownEntities(deps, caller, agentId, `${project ? `${project}\n` : ''}user\n${texts}`)
  const keys = new Set(all.flatMap(({ name, aliases }) => [name, ...aliases].map(nameKey)))
  const add = (name: string, type: string): void => {
    const key = nameKey(name)
    if (key === '' || keys.has(key)) return
    keys.add(key)
    all.push({ name, aliases: [], type, entityId: undefined, claims: [] })
  }
  if (project !== null) add(project, 'project')
  for (const { id } of await deps.store.tables.agents.roster()) if (id !== 'default') add(id, 'agent')
  for (const { named } of pieces) for (const name of named) add(name, 'topic')
  return all
}

async function knownEntities(
  deps: Deps,
  caller: Caller,
  agentId: string,
  text: string,
): Promise<KnownName[]> {
  const { entities, claims } = deps.store.tables
  const { boundary } = readerOf(caller, { agentId })
  const found = await findNamedEntities(deps, agentId, text, maxEntities)
  if (found.length === 0) return []
  const names = await entities.namesOf(found.map(({ id }) => id))
  const known: KnownName[] = []
  for (const { id, name, entity_type: type } of found) {
    const held = (await claims.heldOf(id, boundary, maxClaims)).filter(({ status }) => status === 'current')
    known.push({
      name,
      type,
      entityId: id,
      aliases: names
        .filter(one => one.entity_id === id && one.active === 1 && one.name !== name)
        .map(one => one.name),
      claims: held.map(({ id: version, aspect, group_name: group, claim, value }) => ({
        version,
        aspect,
        group,
        claim,
        value,
      })),
    })
  }
  return known
}

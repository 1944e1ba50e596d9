import type { NewOperation } from '../../src/contract/knowledge/ontology-operations.js'
import { deterministicReader } from '../../src/daemon/knowledge/dreaming/deterministic/deterministic-reader.js'
import type {
  EvidenceText,
  ExtractedOperation,
  KnownName,
} from '../../src/daemon/knowledge/dreaming/reader.js'

/** A known project, as readers of its memories receive it. */
export const shop: KnownName = {
  name: 'shop',
  aliases: [],
  type: 'project',
  entityId: 'p1',
  claims: [{ version: 'v1', aspect: 'tools', group: 'general', claim: 'tests', value: 'Jest' }],
}

const free = { tokensLeft: () => 0, callsLeft: () => 0, spend: async () => undefined }

/**
 * Results of the rules for one text of the project `shop`, in short: `claim shop port = 4010`, with ` ?`
 * where unsure.
 */
export async function readText(
  text: string,
  fields: Partial<EvidenceText> = {},
  known: readonly KnownName[] = [shop],
): Promise<string[]> {
  return (await read(text, fields, known)).flatMap(({ operation, isSure }) => {
    if (!(operation.evidence ?? []).every(({ quote }) => text.includes(quote)))
      throw new Error(`the quote is not in the text: ${JSON.stringify(operation.evidence)}`)
    const told = shortOf(operation)
    return told === undefined ? [] : [`${told}${isSure ? '' : ' ?'}`]
  })
}

/** Known entities that a text mentions without a fact about them, in the order of `known`. */
export async function namedIn(text: string, known: readonly KnownName[]): Promise<string[]> {
  const mentions = (await read(text, {}, known)).filter(({ by }) => by === 'mention')
  return mentions.map(({ operation: { payload } }) => (payload as { name: string }).name)
}

async function read(
  text: string,
  fields: Partial<EvidenceText>,
  known: readonly KnownName[],
): Promise<readonly ExtractedOperation[]> {
  const piece: EvidenceText = {
    sourceKind: 'memory',
    sourceId: 'm1',
    text,
    speaker: null,
    // A Monday.
    at: '2026-01-05T10:00:00.000Z',
    project: 'shop',
    sessionKey: null,
    ...fields,
  }
  const { signal } = new AbortController()
  const reading = { agentId: 'default', project: piece.project, pieces: [piece], known, budget: free, signal }
  return (await deterministicReader.read(reading)).operations
}

/** Undefined for entities, since all other operations name them. */
function shortOf({ operation, payload }: NewOperation): string | undefined {
  const told = payload as Readonly<Record<string, string | undefined>>
  const { validFrom, validUntil } = told
  const from = validFrom ? ` from ${validFrom.slice(0, 10)}` : ''
  const time = `${from}${validUntil ? ` until ${validUntil.slice(0, 10)}` : ''}`
  if (operation === 'assert_claim') return `${told.entity} ${told.claim} = ${told.value}${time}`
  if (operation === 'link') return `${told.from} ${told.relation} ${told.to}${time}`
  if (operation === 'add_alias') return `${told.alias} is ${told.entity}`
  return operation === 'supersede_claim' ? `${told.version} becomes ${told.value}` : undefined
}

import type {
  EndpointShape,
  IdField as IdFieldName,
  ShortIdKind,
} from '../../../../contract/ground/endpoint.js'
import { AppError } from '../../../../contract/ground/errors.js'
import { clip, quoted } from '../../../../lib/text/clip.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { isIdPart, shortIdLength } from '../../../../lib/text/uuid.js'
import { readBoundary } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../daemon/daemon.js'

type Deps = Pick<Daemon, 'store'>
type Values = Record<string, unknown>
/** The rows that a field may name. */
type Kind = 'memory' | ShortIdKind

interface ParsedRequest {
  caller: Caller
  params?: unknown
  query?: unknown
  body?: unknown
}

const shownCandidates = 5
const shownText = 40

/**
 * Replaces the beginnings and ends of ids by the whole ids (rules.md 4.4). A part that no row has stays, so
 * that the use case says that it is not found.
 * @throws AppError `validation_failed` for a part that several ids have
 */
export async function resolveShortIds(
  deps: Deps,
  { memoryIds = [], shortIds = {} }: Pick<EndpointShape, 'memoryIds' | 'shortIds'>,
  request: ParsedRequest,
): Promise<void> {
  const kindsOf = new Map<IdFieldName, Kind[]>(memoryIds.map(field => [field, ['memory']]))
  for (const [field, kinds] of Object.entries(shortIds) as [IdFieldName, readonly ShortIdKind[]][])
    kindsOf.set(field, [...(kindsOf.get(field) ?? []), ...kinds])
  for (const [field, kinds] of kindsOf)
    for (const { ids, replace } of placesOf(request, field)) {
      const parts = new Set(ids.filter(isIdPart))
      if (parts.size === 0) continue
      const wholeIds = new Map<string, string>()
      for (const part of parts) wholeIds.set(part, await wholeIdOf(deps, request, kinds, part))
      replace(id => wholeIds.get(id) ?? id)
    }
}

/** Ids in one field, and how to replace them. */
interface IdPlace {
  ids: readonly string[]
  replace(idOf: (id: string) => string): void
}

function placesOf(request: ParsedRequest, field: IdFieldName): IdPlace[] {
  const [part, name] = field.split('.') as ['params' | 'query' | 'body', string]
  const values = request[part] as Values | undefined
  const value = values?.[name]
  if (values === undefined || value === undefined || value === null) return []
  return placesIn(values, name, value)
}

function placesIn(values: Values, name: string, value: unknown): IdPlace[] {
  const set = (next: unknown): void => {
    values[name] = next
  }
  if (typeof value === 'string') return [{ ids: [value], replace: idOf => set(idOf(value)) }]
  if (!Array.isArray(value)) {
    const entries = Object.entries(value as Values)
    return [
      {
        ids: entries.map(([id]) => id),
        replace: idOf => set(Object.fromEntries(entries.map(([id, rating]) => [idOf(id), rating]))),
      },
    ]
  }
  if (value.every(one => typeof one === 'string'))
    return [{ ids: value, replace: idOf => set(value.map(idOf)) }]
  return value.flatMap(one => {
    const id = (one as { id?: unknown } | null)?.id
    return typeof id === 'string' ? placesIn(one as Values, 'id', id) : []
  })
}

/** A row that a part of an id may mean. */
interface Candidate {
  id: string
  /** Type and start of the text, where the caller may read them. */
  label?: string | undefined
}

async function wholeIdOf(
  deps: Deps,
  request: ParsedRequest,
  kinds: readonly Kind[],
  part: string,
): Promise<string> {
  const isConfined = Object.values(request.caller.access.scope).some(value => value !== undefined)
  const found: Candidate[] = []
  for (const kind of kinds) {
    if (kind === 'memory') found.push(...(await readableMemories(deps, request, part)))
    // Other rows have no boundary here, so a confined credential names them by their whole ids.
    else if (!isConfined)
      found.push(...(await deps.store.tables.idParts.matching(kind, part.toLowerCase())).map(id => ({ id })))
    const exact = found.find(({ id }) => id === part)
    if (exact) return part
  }
  if (found.length > 1) throw severalHave(part, kinds[0] as Kind, found)
  return found[0]?.id ?? part
}

async function readableMemories(
  { store }: Deps,
  { caller, query, body }: ParsedRequest,
  part: string,
): Promise<Candidate[]> {
  const { memories, idParts } = store.tables
  const boundary = await readBoundary({ store }, caller, { ...(query as object), ...(body as object) })
  const found: Candidate[] = []
  for (const id of new Set([part, ...(await idParts.matching('memory', part.toLowerCase()))])) {
    const row = await memories.find(id, boundary)
    if (!row) continue
    const text = row.safety_status === 'clean' ? ` "${clip(oneLine(row.content, 200), shownText)}"` : ''
    found.push({ id, label: `${row.type}${text}` })
  }
  return found
}

function severalHave(part: string, kind: Kind, candidates: readonly Candidate[]): AppError {
  const ids = candidates.map(({ id }) => id)
  const shown = candidates
    .slice(0, shownCandidates)
    .map(({ id, label }) => `${shortestEnd(id, ids)}${label === undefined ? '' : ` (${label})`}`)
  const more = ids.length > shown.length ? `, and ${ids.length - shown.length} more` : ''
  const message = `${quoted(part)} is part of ${countOf(ids.length, `${kind} id`)}; use one of them: ${shown.join(', ')}${more}`
  return new AppError('validation_failed', message, [{ path: 'id', message: 'is ambiguous' }])
}

/** Returns the end of an id, of at least 8 characters, that no other candidate has. */
function shortestEnd(id: string, ids: readonly string[]): string {
  const others = ids.filter(other => other !== id)
  for (let length = shortIdLength; length < id.length; length += 1) {
    const end = id.slice(-length)
    if (isIdPart(end) && others.every(other => !other.endsWith(end))) return end
  }
  return id
}

import type { MemoryIdField } from '../../../../contract/ground/endpoint.js'
import { AppError } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'
import { shortIdLength } from '../../../../lib/text/uuid.js'
import { readBoundary } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../daemon/daemon.js'

type Deps = Pick<Daemon, 'store'>
type Values = Record<string, unknown>

interface ParsedRequest {
  caller: Caller
  params?: unknown
  query?: unknown
  body?: unknown
}

const short = new RegExp(`^[0-9a-f]{${shortIdLength}}$`, 'iu')
const shownCandidates = 5

/**
 * Replaces the ends of memory ids, as texts show them, by the whole ids (rules.md 4.4). An end that no memory
 * has stays, so that the use case says that it is not found.
 * @throws AppError `validation_failed` for an end that several memories have
 */
export async function resolveShortIds(
  deps: Deps,
  fields: readonly MemoryIdField[],
  request: ParsedRequest,
): Promise<void> {
  const places = fields.flatMap(field => placesOf(request, field))
  const given = places.flatMap(({ ids }) => ids).filter(id => short.test(id))
  if (given.length === 0) return
  const wholeIds = await wholeIdsOf(deps, request, new Set(given))
  for (const { replace } of places) replace(id => wholeIds.get(id) ?? id)
}

/** Ids in one field, and how to replace them. */
interface IdField {
  ids: readonly string[]
  replace(idOf: (id: string) => string): void
}

function placesOf(request: ParsedRequest, field: MemoryIdField): IdField[] {
  const [part, name] = field.split('.') as ['params' | 'query' | 'body', string]
  const values = request[part] as Values | undefined
  const value = values?.[name]
  if (values === undefined || value === undefined || value === null) return []
  return placesIn(values, name, value)
}

function placesIn(values: Values, name: string, value: unknown): IdField[] {
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

async function wholeIdsOf(
  deps: Deps,
  request: ParsedRequest,
  given: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const { memories } = deps.store.tables
  const named = { ...(request.query as object), ...(request.body as object) }
  const boundary = await readBoundary(deps, request.caller, named)
  const isSeen = async (id: string) => (await memories.find(id, boundary)) !== undefined
  const found = new Map<string, string[]>()
  for (const id of given) if (await isSeen(id)) found.set(id, [id])
  const wanted = [...given].filter(id => !found.has(id)).map(id => id.toLowerCase())
  const ending = wanted.length > 0 ? await memories.endingIn(wanted) : []
  for (const id of ending) {
    const end = id.slice(-shortIdLength)
    if (await isSeen(id)) found.set(end, [...(found.get(end) ?? []), id])
  }
  return new Map(
    [...given].flatMap(id => {
      const [whole, ...others] = found.get(id) ?? found.get(id.toLowerCase()) ?? []
      if (others.length > 0) throw severalHave(id, [whole as string, ...others])
      return whole === undefined ? [] : [[id, whole] as const]
    }),
  )
}

function severalHave(id: string, candidates: readonly string[]): AppError {
  const shown = candidates.slice(0, shownCandidates).join(', ')
  const message = `${quoted(id)} is the end of ${candidates.length} memory ids; use one of the whole ids: ${shown}`
  return new AppError('validation_failed', message, [{ path: 'id', message: 'is ambiguous' }])
}

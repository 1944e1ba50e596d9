import type { ClaimVersionRow } from '../../../store/tables/knowledge/claims.js'

type VersionChange = Partial<Pick<ClaimVersionRow, 'status' | 'expired_at' | 'replaced_by' | 'valid_until'>>

/** A version with what changes about it. */
export interface SettledVersion {
  version: ClaimVersionRow
  change: VersionChange
  /** True if it holds again, false if it does not hold any more. */
  holds: boolean
}

/**
 * Returns how a version ends when another replaces it: its period ends where the new one's begins. Until a
 * planned version begins, the one before it stays current (knowledge.md#contradictions).
 * @param now ISO 8601
 */
export function endOfReplaced(
  { valid_from, valid_until }: ClaimVersionRow,
  by: Pick<ClaimVersionRow, 'id' | 'valid_from'>,
  now: string,
): VersionChange {
  const isCut =
    by.valid_from !== null &&
    (valid_from === null || valid_from < by.valid_from) &&
    (valid_until === null || valid_until > by.valid_from)
  const cut = isCut ? { valid_until: by.valid_from } : {}
  if (isCut && by.valid_from !== null && by.valid_from > now)
    return { status: 'current', expired_at: null, replaced_by: by.id, ...cut }
  return { status: 'superseded', expired_at: now, replaced_by: by.id, ...cut }
}

/**
 * Decides which values of a slot hold after the sources of some were lost or came back
 * (knowledge.md#forgetting). Each version that replaced others is the root of a tree: the uppermost versions
 * with a source hold, those above them are `unsupported`, those below `superseded`. A tree without any source
 * stays as it is, hidden.
 * @param versions all of the slot that hold, were replaced or are unsupported
 * @param believed ids of those with a source
 */
export function settledVersions(
  versions: readonly ClaimVersionRow[],
  believed: ReadonlySet<string>,
  now: string,
): SettledVersion[] {
  const known = new Map(versions.map(version => [version.id, version]))
  const under = new Map<string, ClaimVersionRow[]>()
  for (const version of versions) {
    if (version.replaced_by === null) continue
    const siblings = under.get(version.replaced_by)
    if (siblings) siblings.push(version)
    else under.set(version.replaced_by, [version])
  }
  const below = (version: ClaimVersionRow): readonly ClaimVersionRow[] => under.get(version.id) ?? []
  const holding = (version: ClaimVersionRow): ClaimVersionRow[] =>
    believed.has(version.id) ? [version] : below(version).flatMap(holding)
  const settle = (version: ClaimVersionRow, by: ClaimVersionRow | undefined): SettledVersion[] => {
    const isBelow = by !== undefined
    const change = isBelow ? endUnder(version, by, now) : changeOf(version, known, believed, now)
    const next = isBelow || believed.has(version.id) ? version : undefined
    return [
      { version, change, holds: (change.status ?? version.status) === 'current' },
      ...below(version).flatMap(one => settle(one, next)),
    ]
  }
  return versions
    .filter(version => isTop(version, known))
    .flatMap(top => {
      if (holding(top).length === 0) return []
      return settle(top, rivalOf(top, versions, believed))
    })
    .filter(isChanged)
}

/** True for a version that holds, or would if it had a source. */
function isTop(
  { status, replaced_by }: ClaimVersionRow,
  known: ReadonlyMap<string, ClaimVersionRow>,
): boolean {
  if (status === 'superseded') return false
  const by = replaced_by === null ? undefined : known.get(replaced_by)
  return by === undefined || by.status === 'superseded'
}

/** A value that held until a planned one began needs no further end. */
function endUnder(version: ClaimVersionRow, by: ClaimVersionRow, now: string): VersionChange {
  const hasEnded = version.valid_until !== null && version.valid_until === by.valid_from
  return version.status === 'current' && hasEnded ? { status: 'current' } : endOfReplaced(version, by, now)
}

/** A value that was given while the source of another was lost holds when that source comes back. */
function rivalOf(
  top: ClaimVersionRow,
  versions: readonly ClaimVersionRow[],
  believed: ReadonlySet<string>,
): ClaimVersionRow | undefined {
  if (top.status !== 'unsupported' || !believed.has(top.id)) return undefined
  return versions.find(
    ({ id, status, project, replaced_by }) =>
      id !== top.id && status === 'current' && project === top.project && replaced_by === null,
  )
}

/** The change of a version that nothing holds in place of. */
function changeOf(
  version: ClaimVersionRow,
  known: ReadonlyMap<string, ClaimVersionRow>,
  believed: ReadonlySet<string>,
  now: string,
): VersionChange {
  if (!believed.has(version.id)) return { status: 'unsupported', expired_at: version.expired_at ?? now }
  const by = version.replaced_by === null ? undefined : known.get(version.replaced_by)
  const isCut = by !== undefined && by.valid_from !== null && version.valid_until === by.valid_from
  return { status: 'current', expired_at: null, ...(isCut && { valid_until: null }) }
}

function isChanged({ version, change }: SettledVersion): boolean {
  const hasOtherEnd = change.valid_until !== undefined && change.valid_until !== version.valid_until
  return change.status !== version.status || hasOtherEnd
}

import type { CodeLookups, KnownEdge } from '../../../../../store/tables/knowledge/code-lookups.js'
import type { UnboundUse } from '../../../../../store/tables/knowledge/code-unbound.js'
import type { CodeWrites } from '../../../../../store/tables/knowledge/code-writes.js'
import { bindEdge } from './bind-edge.js'
import type { KnownCode, KnownFile } from './known-code.js'

interface Asked {
  /** Names that matter; all of them where none are told. */
  names: ReadonlySet<string> | undefined
  /** What types inherit is bound before all else. */
  isInherit: boolean
}

interface Tables {
  lookups: CodeLookups
  writes: CodeWrites
  code: KnownCode
}

/**
 * Binds what a file uses: what leads somewhere now becomes an edge, an edge that leads nowhere any more goes back to the
 * uses that nothing binds. @returns how many were looked at.
 */
export function settleFile(file: KnownFile, asked: Asked, tables: Tables): number {
  const { lookups, code, writes } = tables
  const isAsked = ({ name, kind }: Pick<KnownEdge, 'name' | 'kind'>): boolean =>
    (kind === 'inherit') === asked.isInherit && (!asked.names || asked.names.has(name))
  // Where the scopes of the file itself say what is meant, nothing is asked.
  const edges = lookups.edgesOfFile(file.id).filter(edge => edge.target_file !== file.id && isAsked(edge))
  const loosened = edges.filter(edge => rebind(edge, file, code, writes))
  if (asked.isInherit) return edges.length
  const unbound = lookups.unboundIn(file.id)
  const left = unbound.filter(use => !isAsked(use) || !bindUse(use, file, code, writes))
  if (left.length < unbound.length || loosened.length > 0 || !writes.isSettled(file.id))
    writes.settleUnbound(file.id, [...left, ...loosened.map(useOf)])
  return edges.length + unbound.length
}

/** @returns whether the edge leads nowhere any more, and is gone. */
function rebind(edge: KnownEdge, file: KnownFile, code: KnownCode, writes: CodeWrites): boolean {
  const binding = bindEdge(edge, file, code)
  if (binding.confidence === 'unresolved' && edge.kind !== 'inherit') {
    writes.dropEdge(edge.id)
    return true
  }
  writes.bindEdge({ ...binding, id: edge.id })
  return false
}

/** @returns whether it became an edge. */
function bindUse(use: UnboundUse, file: KnownFile, code: KnownCode, writes: CodeWrites): boolean {
  const open = { ...use, file: file.id }
  const binding = bindEdge(open, file, code)
  if (binding.confidence === 'unresolved') return false
  writes.addEdge({ ...open, ...binding })
  return true
}

function useOf({ kind, name, qualifier, receiver, line, count, source }: KnownEdge): UnboundUse {
  return { kind, name, qualifier, receiver, line, count, source }
}

import type { CodeLookups, ResolvedEdge } from '../../../../../store/tables/knowledge/code-lookups.js'
import type { UnboundUse } from '../../../../../store/tables/knowledge/code-unbound.js'
import type { CodeWrites } from '../../../../../store/tables/knowledge/code-writes.js'
import { bindEdge } from './bind-edge.js'
import type { KnownCode, KnownFile } from './known-code.js'

interface UseFilter {
  /** Names to resolve; undefined for all. */
  names: ReadonlySet<string> | undefined
  /** Inheritance is bound before everything else. */
  isInherit: boolean
}

interface BindContext {
  lookups: CodeLookups
  writes: CodeWrites
  code: KnownCode
}

/**
 * Binds the uses of a file: newly resolved uses become edges, and edges without a target become unbound uses
 * again.
 * @returns the number of uses checked
 */
export function bindUsesOfFile(file: KnownFile, asked: UseFilter, tables: BindContext): number {
  const { lookups, code, writes } = tables
  const isAsked = ({ name, kind }: Pick<ResolvedEdge, 'name' | 'kind'>): boolean =>
    (kind === 'inherit') === asked.isInherit && (!asked.names || asked.names.has(name))
  // Edges bound by the file's own scopes are final.
  const edges = lookups.edgesOfFile(file.id).filter(edge => edge.target_file !== file.id && isAsked(edge))
  const loosened = edges.filter(edge => rebind(edge, file, code, writes))
  if (asked.isInherit) return edges.length
  const unbound = lookups.unboundIn(file.id)
  const left = unbound.filter(use => !isAsked(use) || !bindUse(use, file, code, writes))
  if (left.length < unbound.length || loosened.length > 0 || !writes.isSettled(file.id))
    writes.settleUnbound(file.id, [...left, ...loosened.map(useOf)])
  return edges.length + unbound.length
}

/** @returns whether the edge lost its target and was removed */
function rebind(edge: ResolvedEdge, file: KnownFile, code: KnownCode, writes: CodeWrites): boolean {
  const binding = bindEdge(edge, file, code)
  if (binding.confidence === 'unresolved' && edge.kind !== 'inherit') {
    writes.dropEdge(edge.id)
    return true
  }
  writes.bindEdge({ ...binding, id: edge.id })
  return false
}

/** @returns whether the use became an edge */
function bindUse(use: UnboundUse, file: KnownFile, code: KnownCode, writes: CodeWrites): boolean {
  const open = { ...use, file: file.id }
  const binding = bindEdge(open, file, code)
  if (binding.confidence === 'unresolved') return false
  writes.addEdge({ ...open, ...binding })
  return true
}

function useOf({ kind, name, qualifier, receiver, line, count, source }: ResolvedEdge): UnboundUse {
  return { kind, name, qualifier, receiver, line, count, source }
}

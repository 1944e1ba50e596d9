import type {
  CodeLookups,
  ResolvedEdge,
  UnboundUse,
} from '../../../../../store/tables/knowledge/code-lookups.js'
import type { CodeWrites } from '../../../../../store/tables/knowledge/code-writes.js'
import { bindEdge } from './bind-edge.js'
import { KnownCode, type KnownFile, type Manifests } from './known-code.js'
import { targetOf } from './modules.js'

/** The changes of a run. */
export interface Changes {
  /** Ids of parsed files. */
  files: ReadonlySet<number>
  /** Names of symbols that were added, removed or changed in visibility. */
  names: ReadonlySet<string>
  /** Files with changed inheritance, and their previous base types. */
  inheriting: ReadonlySet<number>
  parentsBefore: ReadonlySet<number>
  /** True if files were added or removed, because imports may then resolve differently. */
  isMoved: boolean
}

/** Names to resolve for each file; undefined means all uses of the file. */
type NamesByFile = Map<number, Set<string> | undefined>

/** Uses resolved per transaction. */
const slice = 2000
/** Maximum number of base types followed. */
const maxAncestors = 200

interface ResolveContext {
  lookups: CodeLookups
  writes: CodeWrites
  code: KnownCode
  manifests: Manifests
}

/**
 * Resolves names among all files after their symbols are stored: first imports, then inheritance, then
 * everything else. Each slice is a transaction; the generator yields the progress in files, and other work
 * may run in between.
 * @param changes undefined resolves every use
 */
export function* resolve(
  lookups: CodeLookups,
  writes: CodeWrites,
  manifests: Manifests,
  changes: Changes | undefined,
): Generator<{ done: number; total: number }> {
  const code = new KnownCode(lookups, manifests, !changes || changes.isMoved)
  const resolving = { lookups, writes, code, manifests }
  const led = new Set(changes?.files)
  yield* resolveImports(resolving, changes && !changes.isMoved ? changes.files : undefined, led)
  code.forgetLinks()
  const first = changes ? workOf(lookups, led, changes.names) : allOf(code)
  yield* inSlices(resolving, first, true)
  code.forgetLinks()
  const names = changes ? inheritedNames(lookups, changes) : undefined
  yield* inSlices(resolving, names?.size ? workOf(lookups, led, names, first) : first, false)
}

function* inSlices({ writes, lookups, code }: ResolveContext, work: NamesByFile, isInherit: boolean) {
  let [done, uses] = [0, 0]
  writes.begin()
  for (const [id, names] of work) {
    const file = code.file(id)
    if (file) uses += bindUsesOfFile(file, { names, isInherit }, { lookups, writes, code })
    done++
    if (uses < slice) continue
    writes.commit()
    yield { done, total: work.size }
    writes.begin()
    uses = 0
  }
  writes.commit()
}

function allOf(code: KnownCode): NamesByFile {
  return new Map([...code.files()].map(({ id }) => [id, undefined]))
}

/**
 * Collects all uses of some files, and the uses of some names in other files.
 * @param known receives the result
 */
function workOf(
  lookups: CodeLookups,
  files: ReadonlySet<number>,
  names: ReadonlySet<string>,
  known: NamesByFile = new Map(),
): NamesByFile {
  for (const file of files) known.set(file, undefined)
  for (const name of names)
    for (const file of [...lookups.filesNaming(name), ...lookups.filesUsing(name, Number.MAX_SAFE_INTEGER)]) {
      const wanted = known.get(file)
      if (wanted) wanted.add(name)
      else if (!known.has(file)) known.set(file, new Set([name]))
    }
  return known
}

/** Returns the member names that changed inheritance affects, before and after. */
function inheritedNames(lookups: CodeLookups, { inheriting, parentsBefore }: Changes): Set<string> {
  const ancestors = new Set([...parentsBefore, ...[...inheriting].flatMap(lookups.parentsIn)])
  const names = new Set<string>()
  // The set grows while it is iterated.
  for (const id of ancestors) {
    const symbol = lookups.symbol(id)
    for (const name of symbol ? lookups.membersOf(symbol) : []) names.add(name)
    for (const above of ancestors.size < maxAncestors ? lookups.inherited(id) : [])
      if (above !== null) ancestors.add(above)
  }
  return names
}

/** @param led receives the files with a changed import target */
function* resolveImports(
  resolving: ResolveContext,
  files: ReadonlySet<number> | undefined,
  led: Set<number>,
): Generator<{ done: number; total: number }> {
  const { writes, code, lookups } = resolving
  const all = files ? [...files].flatMap(id => code.file(id) ?? []) : [...code.files()]
  writes.begin()
  for (const [done, file] of all.entries()) {
    for (const exported of resolveImportsOf(file, resolving)) {
      led.add(file.id)
      // Importers of this file may resolve re-exports differently.
      if (exported === 1) for (const importer of lookups.importersOf(file.path)) led.add(importer)
    }
    if ((done + 1) % 500 !== 0) continue
    writes.commit()
    yield { done: done + 1, total: all.length }
    writes.begin()
  }
  writes.commit()
}

/** @returns for each import with a changed target whether it is re-exported */
function resolveImportsOf(file: KnownFile, { code, manifests, writes }: ResolveContext): (0 | 1)[] {
  return code.imports(file.id).flatMap(row => {
    const target = targetOf(row.specifier, file, code, manifests)
    const own = row.specifier === '.' && row.exported === 1 && file.language?.family === 'javascript'
    const lead = own ? file.path : target
    if (lead === row.target) return []
    writes.leadImport(row.id, lead)
    return [row.exported]
  })
}

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
function bindUsesOfFile(file: KnownFile, asked: UseFilter, tables: BindContext): number {
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

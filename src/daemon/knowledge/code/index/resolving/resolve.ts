import type { CodeLookups } from '../../../../../store/tables/knowledge/code-lookups.js'
import type { CodeWrites } from '../../../../../store/tables/knowledge/code-writes.js'
import { KnownCode, type KnownFile } from './known-code.js'
import { targetOf } from './modules.js'
import type { Manifests } from './package-names.js'
import { settleFile } from './settle-file.js'

/** What a run changed. */
export interface Changes {
  /** Files that were read. */
  files: ReadonlySet<number>
  /** Names of symbols that came, went or look otherwise from outside. */
  names: ReadonlySet<string>
  /** Files whose types inherit otherwise than before, and what they inherited from. */
  inheriting: ReadonlySet<number>
  parentsBefore: ReadonlySet<number>
  /** Files came or went: what is imported may be found elsewhere. */
  isMoved: boolean
}

/** Files whose uses are looked at, with the names that matter; undefined stands for all of a file. */
type Work = Map<number, Set<string> | undefined>

/** Uses that are looked at in one transaction. */
const slice = 2000
/** Types that a type inherits from are followed so far. */
const maxAncestors = 200

interface Resolving {
  lookups: CodeLookups
  writes: CodeWrites
  code: KnownCode
  manifests: Manifests
}

/**
 * Finds what names mean among all files, once their symbols are there: first what is imported, then what inherits, then all
 * else. Each slice is a transaction; a generator of how many files of how many are done, between which others may have
 * their turn.
 * @param changes undefined looks at every use
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
  yield* leadImports(resolving, changes && !changes.isMoved ? changes.files : undefined, led)
  code.forgetLinks()
  const first = changes ? workOf(lookups, led, changes.names) : allOf(code)
  yield* inSlices(resolving, first, true)
  code.forgetLinks()
  const names = changes ? inheritedNames(lookups, changes) : undefined
  yield* inSlices(resolving, names?.size ? workOf(lookups, led, names, first) : first, false)
}

function* inSlices({ writes, lookups, code }: Resolving, work: Work, isInherit: boolean) {
  let [done, uses] = [0, 0]
  writes.begin()
  for (const [id, names] of work) {
    const file = code.file(id)
    if (file) uses += settleFile(file, { names, isInherit }, { lookups, writes, code })
    done++
    if (uses < slice) continue
    writes.commit()
    yield { done, total: work.size }
    writes.begin()
    uses = 0
  }
  writes.commit()
}

function allOf(code: KnownCode): Work {
  return new Map([...code.files()].map(({ id }) => [id, undefined]))
}

/** All of some files, and uses of some names elsewhere. @param known is added to */
function workOf(
  lookups: CodeLookups,
  files: ReadonlySet<number>,
  names: ReadonlySet<string>,
  known: Work = new Map(),
): Work {
  for (const file of files) known.set(file, undefined)
  for (const name of names)
    for (const file of [...lookups.filesNaming(name), ...lookups.filesUsing(name, Number.MAX_SAFE_INTEGER)]) {
      const wanted = known.get(file)
      if (wanted) wanted.add(name)
      else if (!known.has(file)) known.set(file, new Set([name]))
    }
  return known
}

/** What types that inherit otherwise than before had, or have now, by that. */
function inheritedNames(lookups: CodeLookups, { inheriting, parentsBefore }: Changes): Set<string> {
  const ancestors = new Set([...parentsBefore, ...[...inheriting].flatMap(lookups.parentsIn)])
  const names = new Set<string>()
  // What is added on the way is walked, too.
  for (const id of ancestors) {
    const symbol = lookups.symbol(id)
    for (const name of symbol ? lookups.membersOf(symbol) : []) names.add(name)
    for (const above of ancestors.size < maxAncestors ? lookups.inherited(id) : [])
      if (above !== null) ancestors.add(above)
  }
  return names
}

/** @param led files of which an import leads elsewhere than before are added to it. */
function* leadImports(
  resolving: Resolving,
  files: ReadonlySet<number> | undefined,
  led: Set<number>,
): Generator<{ done: number; total: number }> {
  const { writes, code, lookups } = resolving
  const all = files ? [...files].flatMap(id => code.file(id) ?? []) : [...code.files()]
  writes.begin()
  for (const [done, file] of all.entries()) {
    for (const exported of leadFile(file, resolving)) {
      led.add(file.id)
      // What it hands on is imported from it by others.
      if (exported === 1) for (const importer of lookups.importersOf(file.path)) led.add(importer)
    }
    if ((done + 1) % 500 !== 0) continue
    writes.commit()
    yield { done: done + 1, total: all.length }
    writes.begin()
  }
  writes.commit()
}

/** @returns of each import that leads elsewhere than before whether it is handed on. */
function leadFile(file: KnownFile, { code, manifests, writes }: Resolving): (0 | 1)[] {
  return code.imports(file.id).flatMap(row => {
    const target = targetOf(row.specifier, file, code, manifests)
    const own = row.specifier === '.' && row.exported === 1 && file.language?.family === 'javascript'
    const lead = own ? file.path : target
    if (lead === row.target) return []
    writes.leadImport(row.id, lead)
    return [row.exported]
  })
}

import type { CodeLookups, OpenEdge } from '../../../../store/tables/knowledge/code-lookups.js'
import type { CodeWrites } from '../../../../store/tables/knowledge/code-writes.js'
import { bindEdge, unresolved } from './bind-edge.js'
import { KnownCode } from './known-code.js'
import { targetOf } from './modules.js'
import type { Manifests } from './package-names.js'

/** What a run changed: files that were read, and names of symbols that came, went or look otherwise from outside. */
export interface Changes {
  files: ReadonlySet<number>
  names: ReadonlySet<string>
  /** Files came or went: what is imported may be found elsewhere. */
  isMoved: boolean
}

const slice = 2000

/**
 * Finds what names mean among all files, once their symbols are there: first what is imported, then what inherits, then all
 * else. Each slice is a transaction; a generator of what was done, between which others may have their turn.
 * @param changes undefined looks at every edge
 */
export function* resolve(
  lookups: CodeLookups,
  writes: CodeWrites,
  manifests: Manifests,
  changes: Changes | undefined,
): Generator<number> {
  const code = new KnownCode(lookups, manifests)
  const files = changes && !changes.isMoved ? changes.files : undefined
  yield* leadImports(lookups, writes, code, manifests, files)
  // Where modules lead is read anew.
  const settled = new KnownCode(lookups, manifests)
  for (const isInherit of [true, false]) {
    for (const edges of openEdges(lookups, changes)) {
      writes.begin()
      for (const edge of edges)
        if ((edge.kind === 'inherit') === isInherit) bind(edge, settled, writes, manifests)
      writes.commit()
      yield edges.length
    }
  }
}

function* leadImports(
  lookups: CodeLookups,
  writes: CodeWrites,
  code: KnownCode,
  manifests: Manifests,
  files: ReadonlySet<number> | undefined,
): Generator<number> {
  let done = 0
  writes.begin()
  for (const { id } of lookups.indexedFiles()) {
    const file = files && !files.has(id) ? undefined : code.file(id)
    if (!file) continue
    for (const row of code.imports(id)) {
      const target = targetOf(row.specifier, file, code, manifests)
      const own = row.specifier === '.' && row.exported === 1 && file.language?.family === 'javascript'
      const lead = own ? file.path : target
      if (lead !== row.target) writes.leadImport(row.id, lead)
    }
    if (++done % 500 !== 0) continue
    writes.commit()
    yield 500
    writes.begin()
  }
  writes.commit()
}

function* openEdges(lookups: CodeLookups, changes: Changes | undefined): Generator<OpenEdge[]> {
  if (!changes) {
    for (let edges = lookups.edgesAfter(0, slice); edges.length > 0; ) {
      yield edges
      edges = lookups.edgesAfter(edges.at(-1)?.id ?? 0, slice)
    }
    return
  }
  for (const file of changes.files) yield lookups.edgesOfFile(file)
  for (const name of changes.names) {
    const edges = lookups.edgesNamed(name).filter(({ file }) => !changes.files.has(file))
    for (let at = 0; at < edges.length; at += slice) yield edges.slice(at, at + slice)
  }
}

function bind(edge: OpenEdge, code: KnownCode, writes: CodeWrites, manifests: Manifests): void {
  const file = code.file(edge.file)
  if (!file) return
  if (edge.kind === 'import') {
    const path = targetOf(edge.name, file, code, manifests)
    const target = path === null || path.endsWith('/') ? undefined : code.at(path)
    writes.bindEdge({
      ...unresolved,
      id: edge.id,
      target_file: target?.id ?? null,
      confidence: target ? 'certain' : 'unresolved',
    })
    return
  }
  // The scopes of the file itself said what is meant.
  if (edge.target_file === edge.file) return
  writes.bindEdge({ ...bindEdge(edge, file, code), id: edge.id })
}

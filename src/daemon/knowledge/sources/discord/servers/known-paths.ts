import type { KnownArtifact } from '../../../../../store/tables/knowledge/source-artifacts.js'
import type { Pass, SourceEvent } from '../../core/kind.js'
import type { Reading } from './reading.js'
import { compareIds, textRange } from './snowflake.js'

type Knowing = Pick<Pass, 'knownAfter'>

const pageRows = 500

/** Everything that is known below a path, in the order of paths. */
export async function* knownBelow(pass: Knowing, path: string): AsyncGenerator<KnownArtifact> {
  const prefix = `${path}/`
  for (let after = prefix; ; ) {
    const rows = await pass.knownAfter({ after, limit: pageRows, prefix })
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    after = last.path
  }
}

/** The ids right below a path of which anything is known: channels of a server. One look-up each. */
export async function* knownChildren(pass: Knowing, path: string): AsyncGenerator<string> {
  const prefix = `${path}/`
  for (let after = prefix; ; ) {
    const [row] = await pass.knownAfter({ after, limit: 1, prefix })
    if (!row) return
    const child = row.path.slice(prefix.length).split('/', 1)[0] ?? ''
    yield child
    // Behind everything below this child.
    after = `${prefix}${child}0`
  }
}

/** Tells that a path and everything below it is gone, also what was told just now. */
export async function* goneWhole(
  { pass, told }: Pick<Reading, 'pass' | 'told'>,
  path: string,
): AsyncGenerator<SourceEvent> {
  const inner = new Set(told.below(path))
  for await (const known of knownBelow(pass, path)) inner.add(known.path)
  if (told.has(path) || (await pass.known(path))) inner.add(path)
  for (const gone of inner) yield { event: 'removed', path: gone }
}

export interface ListedRange {
  /** The ids between these were all listed, the two themselves not meant. */
  after: string
  /** Undefined for no end. */
  before: string | undefined
  listed: ReadonlySet<string>
}

/** Tells what is known below a path and was not in a listing of that range, with what hangs on it. */
export async function* goneBetween(
  pass: Knowing,
  path: string,
  { after: from, before: to, listed }: ListedRange,
): AsyncGenerator<SourceEvent> {
  const prefix = `${path}/`
  const range = textRange(from, to)
  const before = `${prefix}${range.to}`
  for (let after = `${prefix}${range.from}`; ; ) {
    const rows = await pass.knownAfter({ after, before, limit: pageRows })
    for (const { path: known } of rows) {
      const id = known.slice(prefix.length).split('/', 1)[0] ?? ''
      const isInside = compareIds(id, from) > 0 && (to === undefined || compareIds(id, to) < 0)
      if (isInside && !listed.has(id)) yield { event: 'removed', path: known }
    }
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    after = last.path
  }
}

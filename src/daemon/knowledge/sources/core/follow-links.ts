import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { SourceKind } from './kind.js'

type Deps = Pick<Daemon, 'store'>

/** Rows that are read, and changed in one transaction. */
const pageSize = 500

/**
 * Finds where the links of a source lead now, and which artifacts they join in groups; only when artifacts have changed
 * since it was last done.
 */
export async function followLinks(
  { store }: Deps,
  kind: SourceKind<unknown>,
  sourceId: string,
  signal: AbortSignal,
): Promise<void> {
  const source = await store.tables.sources.load(sourceId)
  if (source?.links_due !== 1) return
  // What changes from here on is due again.
  await store.write({ until: 'committed' }, ({ sources }) => sources.change(sourceId, { links_due: 0 }))
  const lead = kind.resolveLinks?.(await pathsOf({ store }, sourceId, signal))
  const groups = new Groups()
  let links = 0
  for (let after = { artifactId: '', position: -1 }; ; ) {
    signal.throwIfAborted()
    const page = await store.tables.sourceNotes.linksAfter(sourceId, after, pageSize)
    const moved = page
      .map(link => ({ link, to: lead ? (lead(link.from_path, link.target) ?? null) : link.to_path }))
      .filter(({ link, to }) => {
        if (to !== null) {
          links++
          groups.join(link.from_path, to)
        }
        return to !== link.to_path
      })
    if (moved.length > 0)
      await store.write({ until: 'committed', shared: true, rows: moved.length }, async ({ sourceNotes }) => {
        for (const { link, to } of moved) await sourceNotes.leadTo(link, to)
      })
    const last = page.at(-1)
    if (!last || page.length < pageSize) break
    after = { artifactId: last.artifact_id, position: last.position }
    await nextTurn()
  }
  await store.write({ until: 'committed' }, ({ sources }) =>
    sources.change(sourceId, { links, communities: groups.count() }),
  )
}

async function pathsOf({ store }: Deps, sourceId: string, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = []
  for (let after = ''; ; ) {
    signal.throwIfAborted()
    const page = await store.tables.sourceArtifacts.knownAfter(sourceId, { after, limit: pageSize })
    for (const { path } of page) paths.push(path)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return paths
    after = last.path
    await nextTurn()
  }
}

/** Which paths are joined with each other, however many links lead from one to the next. */
class Groups {
  readonly #parents = new Map<string, string>()

  join(a: string, b: string): void {
    const [one, other] = [this.#rootOf(a), this.#rootOf(b)]
    if (one !== other) this.#parents.set(one, other)
  }

  /** Groups of at least two. */
  count(): number {
    const sizes = new Map<string, number>()
    for (const path of this.#parents.keys()) {
      const root = this.#rootOf(path)
      sizes.set(root, (sizes.get(root) ?? 0) + 1)
    }
    return [...sizes.values()].filter(size => size > 1).length
  }

  /** Shortens the way of everything that it passes: otherwise a chain of links would be walked again and again. */
  #rootOf(path: string): string {
    const passed: string[] = []
    let root = path
    for (let parent = this.#parents.get(root); parent !== undefined && parent !== root; ) {
      passed.push(root)
      root = parent
      parent = this.#parents.get(root)
    }
    for (const one of [path, ...passed]) this.#parents.set(one, root)
    return root
  }
}

import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { SourceKind } from './kind.js'

/** Kinds stand above what works with them: `kinds.ts` hands them over once a daemon. */
const kindsByStore = new WeakMap<Daemon['store'], readonly SourceKind<unknown>[]>()

export function knowKinds({ store }: Pick<Daemon, 'store'>, kinds: readonly SourceKind<unknown>[]): void {
  kindsByStore.set(store, kinds)
}

export function kindsOf({ store }: Pick<Daemon, 'store'>): readonly SourceKind<unknown>[] {
  return kindsByStore.get(store) ?? []
}

/** The kind of a registered source; undefined for one that this release cannot read. */
export function kindOf(deps: Pick<Daemon, 'store'>, name: string): SourceKind<unknown> | undefined {
  return kindsOf(deps).find(({ kind }) => kind === name)
}

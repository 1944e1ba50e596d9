import { z } from 'zod'
import type { SourceKind } from './kind.js'

/** Two ways to be one kind: the settings of a source say which of them it is. */
export function eitherKind<One, Other>(
  one: SourceKind<One>,
  other: SourceKind<Other>,
): SourceKind<One | Other> {
  const of = (settings: One | Other) =>
    (one.settings.safeParse(settings).success ? one : other) as SourceKind<One | Other>
  return {
    kind: one.kind,
    settings: z.union([one.settings, other.settings]),
    identityOf: settings => of(settings).identityOf(settings),
    describe: settings => of(settings).describe(settings),
    read: (deps, source, pass) => of(source.settings).read(deps, source, pass),
    searchedOf: async (deps, artifact) =>
      (await one.searchedOf?.(deps, artifact)) ?? other.searchedOf?.(deps, artifact),
    health: async (deps, source) => (await of(source.settings).health?.(deps, source)) ?? {},
    onBury: async (deps, tables, source) => of(source.settings).onBury?.(deps, tables, source),
    cleanUp: async (deps, source) => of(source.settings).cleanUp?.(deps, source),
  }
}

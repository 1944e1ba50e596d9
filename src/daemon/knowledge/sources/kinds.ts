import { z } from 'zod'
import { transcriptImports } from '../transcript-import/removal/remove-imported.js'
import type { SourceKind } from './core/kind.js'
import { discord } from './discord/discord.js'
import { importedFiles } from './file-import/import.js'
import { github } from './github/github.js'
import { obsidian } from './obsidian/obsidian.js'

/** All kinds of sources. */
export const kinds: readonly SourceKind<unknown>[] = [
  obsidian,
  github,
  discord,
  eitherKind(importedFiles, transcriptImports),
]

/** Combines two implementations under one kind name; the settings of a source decide which one applies. */
function eitherKind<One, Other>(one: SourceKind<One>, other: SourceKind<Other>): SourceKind<One | Other> {
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

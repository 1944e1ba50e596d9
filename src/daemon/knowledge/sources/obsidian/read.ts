import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ObsidianSettings } from '../../../../contract/knowledge/sources/source-kinds.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { ListedFile } from '../../files/list-files.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { listVault, type VaultListing } from './list-vault.js'
import { fingerprintOf, isEvicted, readNote, stableFingerprint } from './read-note.js'

/** Known artifacts per page. */
const pageSize = 1000
/** Unchanged files per progress event. */
const countEvery = 500

/** Checkpoint key: `yes` once the folder had `.obsidian`. */
const settingsKey = 'settings'
/** Checkpoint key: the time of the last listing and its number of files. */
export const listingKey = 'listing'
/** Checkpoint value of an empty vault. */
export const noFiles = '0 files'

/**
 * Makes one pass over a vault: reads new and changed notes, and removes deleted ones after a complete
 * listing, as long as the folder is still a vault (sources.md#obsidian).
 */
export async function* readVault(
  deps: KindDeps,
  { settings }: Source<ObsidianSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const listing = await listVault(deps, settings, pass.signal)
  const known = await knownFingerprints(pass)
  yield { event: 'total', count: listing.files.length }
  yield* listing.faults
  for (const path of listing.evicted) known.delete(path)
  let evicted = listing.evicted.length
  let unchanged = 0
  const left = missingPaths(listing, known)
  for (const file of listing.files) {
    const before = known.get(file.id)
    known.delete(file.id)
    if (isEvicted(file)) evicted++
    else if (pass.full || before !== fingerprintOf(file, deps.clock().getTime())) {
      const event = await readNote(deps, file)
      const movedFrom = before === undefined ? left.get(stableFingerprint(file)) : undefined
      if (event?.event === 'artifact' && movedFrom !== undefined)
        yield { ...event, artifact: { ...event.artifact, movedFrom } }
      else if (event) yield event
      yield { event: 'frontier', path: file.id }
      continue
    }
    if (++unchanged % countEvery === 0) {
      yield { event: 'scanned', count: countEvery }
      await nextTurn()
    }
  }
  yield { event: 'scanned', count: unchanged % countEvery }
  yield* removalEvents(listing, known, await pass.checkpoint(settingsKey))
  if (evicted > 0) yield evictedFault(evicted)
  if (listing.hasSettings) yield { event: 'checkpoint', key: settingsKey, value: 'yes' }
  yield {
    event: 'checkpoint',
    key: listingKey,
    value: listing.files.length + listing.evicted.length === 0 ? noFiles : `${listing.files.length} files`,
    isPartial: !listing.isWhole,
  }
}

/** Loads the fingerprints of all known artifacts, by path. */
async function knownFingerprints(pass: Pass): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for (let after = ''; ; ) {
    pass.signal.throwIfAborted()
    const page = await pass.knownAfter({ after, limit: pageSize })
    for (const { path, fingerprint } of page) known.set(path, fingerprint)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return known
    after = last.path
  }
}

/** Maps the fingerprint of each known but unlisted file to its path, to recognise moved files. */
function missingPaths(
  { files }: VaultListing,
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const listed = new Set(files.map(({ id }) => id))
  const gone = [...known].filter(([path]) => !listed.has(path))
  return new Map(gone.map(([path, fingerprint]) => [fingerprint.replace(/~$/u, ''), path]))
}

/**
 * Removes artifacts missing from the listing. If they may still exist, reports a fault instead and removes
 * nothing.
 */
function* removalEvents(
  { files, isWhole, hasSettings }: VaultListing,
  gone: ReadonlyMap<string, string>,
  hadSettings: string | undefined,
): Generator<SourceEvent> {
  if (!isWhole) yield { event: 'partial' }
  if (gone.size === 0) return
  const doubt = doubtAboutListing({ files, isWhole, lostSettings: hadSettings === 'yes' && !hasSettings })
  if (doubt === undefined) {
    for (const path of gone.keys()) yield { event: 'removed', path }
    return
  }
  yield { event: 'partial' }
  yield {
    event: 'fault',
    path: '.',
    message: `${doubt}: ${countOf(gone.size, 'missing note')} not removed. If this is intended, remove the source and add it again`,
    isRecoverable: true,
  }
}

function doubtAboutListing(seen: {
  files: readonly ListedFile[]
  isWhole: boolean
  lostSettings: boolean
}): string | undefined {
  if (!seen.isWhole) return 'a part of the vault could not be read'
  if (seen.lostSettings) return 'the folder is no longer a vault: its .obsidian is gone'
  return seen.files.length === 0 ? 'no note is left in the vault' : undefined
}

function evictedFault(count: number): SourceEvent {
  return {
    event: 'fault',
    path: 'iCloud',
    message: `${countOf(count, 'note')} only in iCloud, not on this Mac: read once downloaded (Finder: Keep Downloaded)`,
    isRecoverable: true,
  }
}

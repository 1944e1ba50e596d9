import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ObsidianSettings } from '../../../../contract/knowledge/sources/source-kinds.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { ListedFile } from '../../files/list-files.js'
import type { KindDeps, Pass, Source, SourceEvent } from '../core/kind.js'
import { listVault, type VaultListing } from './list-vault.js'
import { fingerprintOf, isEvicted, readNote, settledPrint } from './read-note.js'

/** What is known is read a page at a time. */
const pageSize = 1000
/** Files that are counted together while nothing has changed. */
const countEvery = 500

/** Whether the folder was a vault of Obsidian when it was read last. */
const settingsKey = 'settings'
/** When the last listing was, and how many files it had. */
export const listingKey = 'listing'
/** What it says of a vault in which there is nothing to read. */
export const noFiles = '0 files'

/**
 * One pass over a vault: what is new or changed is read, and what is gone goes, once a complete listing of what still is
 * a vault does not have it any more (sources.md#obsidian).
 */
export async function* readVault(
  deps: KindDeps,
  { settings }: Source<ObsidianSettings>,
  pass: Pass,
): AsyncGenerator<SourceEvent> {
  const listing = await listVault(settings, pass.signal)
  const known = await knownOf(pass)
  yield { event: 'total', count: listing.files.length }
  yield* listing.faults
  for (const path of listing.evicted) known.delete(path)
  let evicted = listing.evicted.length
  let unchanged = 0
  const left = leftPlaces(listing, known)
  for (const file of listing.files) {
    const before = known.get(file.id)
    known.delete(file.id)
    if (isEvicted(file)) evicted++
    else if (pass.full || before !== fingerprintOf(file, deps.clock().getTime())) {
      const event = await readNote(deps, file)
      const movedFrom = before === undefined ? left.get(settledPrint(file)) : undefined
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
  yield* goneOf(listing, known, await pass.checkpoint(settingsKey))
  if (evicted > 0) yield evictedFault(evicted)
  yield { event: 'checkpoint', key: settingsKey, value: listing.hasSettings ? 'yes' : 'no' }
  yield {
    event: 'checkpoint',
    key: listingKey,
    value: listing.files.length + listing.evicted.length === 0 ? noFiles : `${listing.files.length} files`,
    isPartial: !listing.isWhole,
  }
}

/** Fingerprints of all that is known, by path. */
async function knownOf(pass: Pass): Promise<Map<string, string>> {
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

/** Places that are known and not listed any more, by the file that stood there: it may have been moved. */
function leftPlaces(
  { files }: VaultListing,
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const listed = new Set(files.map(({ id }) => id))
  const gone = [...known].filter(([path]) => !listed.has(path))
  return new Map(gone.map(([path, fingerprint]) => [fingerprint.replace(/~$/u, ''), path]))
}

/** What the listing has no more. Where it may be there still, that is said and nothing goes. */
function* goneOf(
  { files, isWhole, hasSettings }: VaultListing,
  gone: ReadonlyMap<string, string>,
  hadSettings: string | undefined,
): Generator<SourceEvent> {
  if (!isWhole) yield { event: 'partial' }
  if (gone.size === 0) return
  const doubt = doubtOf({ files, isWhole, lostSettings: hadSettings === 'yes' && !hasSettings })
  if (doubt === undefined) {
    for (const path of gone.keys()) yield { event: 'removed', path }
    return
  }
  yield { event: 'partial' }
  yield {
    event: 'fault',
    path: '.',
    message: `${doubt}: ${gone.size} notes that are missing were not removed`,
    isRecoverable: true,
  }
}

function doubtOf(seen: {
  files: readonly ListedFile[]
  isWhole: boolean
  lostSettings: boolean
}): string | undefined {
  if (!seen.isWhole) return 'a part of the vault could not be read'
  if (seen.lostSettings) return 'the folder is no vault any more: its .obsidian is gone'
  return seen.files.length === 0 ? 'no note is left in the vault' : undefined
}

function evictedFault(count: number): SourceEvent {
  return {
    event: 'fault',
    path: 'iCloud',
    message: `${countOf(count, 'note')} in iCloud and not on this Mac: read once downloaded (Finder: Keep Downloaded)`,
    isRecoverable: true,
  }
}

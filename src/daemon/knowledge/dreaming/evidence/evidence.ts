import type { CursorName, metaTable } from '../../../../store/tables/platform/meta.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { rulesVersion } from '../deterministic/late-reader.js'
import type { EvidenceText } from '../reader.js'

export type EvidenceDeps = Pick<Daemon, 'store'>

/** A text of one agent. */
export interface AgentText {
  agentId: string
  piece: EvidenceText
  /** Names given along with the text: its tags, and entities of its `structured` payload. */
  named: readonly string[]
}

/** A manifest of a project, with the parts by which it is stored. */
export interface ManifestText {
  agentId: string
  project: string | null
  fileName: string
  /** Its path. */
  root: string
  text: string
  /** Sources to quote. */
  parts: readonly Pick<EvidenceText, 'sourceKind' | 'sourceId' | 'text'>[]
}

/** New and changed texts after a position, and the next position. */
export interface EvidenceBatch {
  pieces: readonly AgentText[]
  /** Manifests of projects among them, which are read whole. */
  manifests?: readonly ManifestText[]
  place: string
}

/** One kind of text, in the order of arrival or change. */
export interface EvidenceStream {
  /** The name in the counts of a pass. */
  name: 'memories' | 'conversations' | 'artifacts'
  place: FrontierName
  /**
   * @param until texts after this position are not mixed with those before
   * @returns undefined if there is nothing after the position
   */
  next(deps: EvidenceDeps, place: number, until: number): Promise<EvidenceBatch | undefined>
}

/** Characters read of one text; the rest is ignored. */
export const maxTextCharacters = 20_000

type Meta = ReturnType<typeof metaTable>

/** Positions of the shadow mode, which never affect the real ones. */
const shadowPlaces = {
  'dream-memories': 'shadow-memories',
  'dream-conversations': 'shadow-conversations',
  'dream-artifacts': 'shadow-artifacts',
  'dream-seen': 'shadow-seen',
} as const satisfies Partial<Record<CursorName, CursorName>>

type FrontierName = keyof typeof shadowPlaces

/**
 * Returns the change up to which a stream was read, 0 at first. Texts read in shadow mode must still be read
 * for real (knowledge.md#modes), so the shadow has its own positions, which start at the real ones.
 */
export async function frontierOf(meta: Meta, name: FrontierName, isShadow: boolean): Promise<number> {
  const real = Number((await meta.placeOf(name)) ?? 0)
  return isShadow ? Math.max(real, Number((await meta.placeOf(shadowPlaces[name])) ?? 0)) : real
}

/** Stores how far a stream was read, inside the caller's transaction. */
export function noteFrontier(
  meta: Meta,
  name: FrontierName,
  isShadow: boolean,
  place: string,
): Promise<void> {
  return meta.notePlace(isShadow ? shadowPlaces[name] : name, place)
}

/** Positions up to which changed rules read texts once more. */
const againPlaces = {
  'dream-memories': 'dream-again-memories',
  'dream-conversations': 'dream-again-conversations',
  'dream-artifacts': 'dream-again-artifacts',
} as const satisfies Partial<Record<FrontierName, CursorName>>

const readAgain = Object.keys(againPlaces) as (keyof typeof againPlaces)[]

/** True if any texts were last read with other rules (knowledge.md#dreaming). */
export async function hasOtherRules(meta: Meta): Promise<boolean> {
  if ((await meta.placeOf('dream-rules')) === rulesVersion) return false
  for (const name of readAgain) if ((await meta.placeOf(name)) !== undefined) return true
  return false
}

/**
 * Begins to read all memories, conversations and files once more if the rules changed: they may read more, or
 * less. A model is paid for each text and reads none twice. Call it inside a transaction.
 */
export async function beginAgain(meta: Meta, { isByRules }: { isByRules: boolean }): Promise<void> {
  if (isByRules && (await hasOtherRules(meta)))
    for (const name of readAgain) {
      // A reading that other rules began is not finished.
      const until = [await meta.placeOf(name), await meta.placeOf(againPlaces[name])].map(place =>
        Number(place ?? 0),
      )
      await meta.notePlace(againPlaces[name], String(Math.max(...until)))
      await meta.notePlace(name, '0')
    }
  await meta.notePlace('dream-rules', rulesVersion)
}

/** Returns the position up to which texts are read once more after a change of the rules. */
export async function againUntil(meta: Meta, name: FrontierName): Promise<number> {
  return name in againPlaces
    ? Number((await meta.placeOf(againPlaces[name as keyof typeof againPlaces])) ?? 0)
    : 0
}

/** Leaves out the changes behind a limit, unless all are. */
export function upTo<Row extends { change: number }>(until: number, rows: readonly Row[]): readonly Row[] {
  const before = rows.filter(({ change }) => change <= until)
  return before.length > 0 ? before : rows
}

import type { CursorName, metaTable } from '../../../../store/tables/platform/meta.js'

type Meta = ReturnType<typeof metaTable>

/** Positions of the shadow mode, which never affect the real ones. */
const shadowPlaces = {
  'dream-memories': 'shadow-memories',
  'dream-conversations': 'shadow-conversations',
  'dream-artifacts': 'shadow-artifacts',
  'dream-seen': 'shadow-seen',
} as const satisfies Partial<Record<CursorName, CursorName>>

export type FrontierName = keyof typeof shadowPlaces

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

import type { metaTable, PlaceName } from '../../../../store/tables/platform/meta.js'

type Meta = ReturnType<typeof metaTable>

/** What has a place of its own in the shadow, which holds up no other. */
const shadowPlaces = {
  'dream-memories': 'shadow-memories',
  'dream-conversations': 'shadow-conversations',
  'dream-artifacts': 'shadow-artifacts',
  'dream-seen': 'shadow-seen',
} as const satisfies Partial<Record<PlaceName, PlaceName>>

export type FrontierName = keyof typeof shadowPlaces

/**
 * Up to which change something was read, 0 before the first. What was read in the shadow is still to be read for real
 * (knowledge.md#modes), so the shadow keeps places of its own: it begins where the real one is and goes ahead of it.
 */
export async function frontierOf(meta: Meta, name: FrontierName, isShadow: boolean): Promise<number> {
  const real = Number((await meta.placeOf(name)) ?? 0)
  return isShadow ? Math.max(real, Number((await meta.placeOf(shadowPlaces[name])) ?? 0)) : real
}

/** Notes up to where something was read, inside the transaction of the caller. */
export function noteFrontier(
  meta: Meta,
  name: FrontierName,
  isShadow: boolean,
  place: string,
): Promise<void> {
  return meta.notePlace(isShadow ? shadowPlaces[name] : name, place)
}

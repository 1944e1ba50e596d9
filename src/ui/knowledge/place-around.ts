interface Point {
  x: number
  y: number
}

const ring = 10
const perRing = 40

/**
 * Arranges points in rings around a centre. Each ring starts in the direction of its centre from the origin,
 * so that rings of different centres do not overlap.
 */
export function placeAround({ x, y }: Point, count: number): Point[] {
  return Array.from({ length: count }, (_, position) => {
    const before = Math.floor(position / perRing)
    const here = Math.min(perRing, count - before * perRing)
    const angle = Math.atan2(y, x) + (2 * Math.PI * ((position % perRing) + before / 2)) / here
    const radius = ring * (1 + before / 2)
    return { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle) }
  })
}

/** A piece of a long text. Neighbouring slices share `[start, coreStart)`, so a phrase on a cut is still seen whole. */
export interface Slice {
  start: number
  coreStart: number
  end: number
}

const sliceLength = 16_384
const overlap = 1024

/** Cuts a text into slices of about 16 Ki UTF-16 units, at white space where there is some near the cut. */
export function* slices(text: string): Generator<Slice> {
  let coreStart = 0
  while (coreStart < text.length || coreStart === 0) {
    const end = cutBefore(text, coreStart + sliceLength)
    yield { start: Math.max(0, cutBefore(text, coreStart - overlap)), coreStart, end }
    if (end >= text.length) return
    coreStart = end
  }
}

/** The last white space at or a little before `wanted`; without one, `wanted` itself, never inside a surrogate pair. */
function cutBefore(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length
  if (wanted <= 0) return 0
  for (let at = wanted; at > wanted - overlap && at > 0; at--) if (/\s/.test(text[at]!)) return at
  return /[\udc00-\udfff]/.test(text[wanted]!) ? wanted - 1 : wanted
}

/** Longest element that is kept, in UTF-16 units. */
const maxLength = 8 * 1024 * 1024

/**
 * The objects of the lists in a JSON document that comes in pieces: of the outermost list, or of lists that are fields
 * of the outermost object. Nothing else is kept, so that a document of any size can be read; what is cut off is left out.
 */
export async function* jsonElements(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const open: string[] = []
  const state = { inString: false, escaped: false, element: '', collecting: 0, dropped: false }
  for await (const piece of pieces) {
    let from = 0
    for (let at = nextSign(piece, 0, state); at < piece.length; at = nextSign(piece, at + 1, state)) {
      const sign = piece[at] as string
      if (sign === '{' || sign === '[') {
        if (sign === '{' && state.collecting === 0 && isList(open)) {
          state.collecting = open.length + 1
          from = at
        }
        open.push(sign)
      } else if (sign === '}' || sign === ']') {
        open.pop()
        if (state.collecting !== open.length + 1) continue
        state.element += piece.slice(from, at + 1)
        if (!state.dropped && state.element.length <= maxLength) yield state.element
        Object.assign(state, { element: '', collecting: 0, dropped: false })
      }
    }
    if (state.collecting === 0) continue
    state.element += piece.slice(from)
    if (state.element.length > maxLength) Object.assign(state, { element: '', dropped: true })
  }
}

function isList(open: readonly string[]): boolean {
  return open.at(-1) === '[' && (open.length === 1 || (open.length === 2 && open[0] === '{'))
}

/** Where the next bracket outside strings stands; the length of the piece when there is none. */
function nextSign(piece: string, from: number, state: { inString: boolean; escaped: boolean }): number {
  for (let at = from; at < piece.length; at++) {
    const code = piece.charCodeAt(at)
    if (state.escaped) state.escaped = false
    else if (state.inString) {
      if (code === 0x5c) state.escaped = true
      else if (code === 0x22) state.inString = false
    } else if (code === 0x22) state.inString = true
    else if (code === 0x7b || code === 0x7d || code === 0x5b || code === 0x5d) return at
  }
  return piece.length
}

/** Encoders break long texts into lines, so patterns match across line breaks. */
export const isLineBreak = (byte: number): boolean => byte === 10 || byte === 13

/**
 * Patterns as an Aho-Corasick automaton. A state is the longest suffix read so far that begins a pattern; 0
 * is the empty one. A state's first child has the next number, its other children follow by `sibling`.
 */
export interface PatternTrie {
  /** The byte that leads to each state. */
  label: Uint8Array
  hasChild: Uint8Array
  sibling: Int32Array
  /** The state to continue from when no child matches the next byte. */
  fail: Int32Array
  depth: Int32Array
  /** Length of the longest pattern that ends in each state, 0 for none. */
  match: Int32Array
  /** The state of each first byte. */
  root: Int32Array
  longest: number
}

/** States created between two pauses. */
const statesAtOnce = 8192

/**
 * Builds the automaton of the patterns without their line breaks.
 * @returns a generator that pauses regularly, because a text of many kilobytes has millions of states
 */
export function* buildTrie(patterns: readonly Buffer[]): Generator<undefined, PatternTrie> {
  const texts = patterns.map(pattern => pattern.filter(byte => !isLineBreak(byte)))
  // Longest first, so that prefixes come later and a first child always follows its parent.
  texts.sort((a, b) => b.length - a.length)
  const trie = emptyTrie(texts.reduce((sum, { length }) => sum + length, 1))
  const size = { states: 1 }
  let doneBytes = 0
  for (const text of texts) {
    insert(trie, text, size)
    doneBytes += text.length
    if (doneBytes < statesAtOnce) continue
    doneBytes = 0
    yield
  }
  yield* linkFailures(trie, size.states)
  return trie
}

function emptyTrie(states: number): PatternTrie {
  return {
    // One extra entry, because the entry after a state is read before its `hasChild` flag.
    label: new Uint8Array(states + 1),
    hasChild: new Uint8Array(states + 1),
    sibling: new Int32Array(states),
    fail: new Int32Array(states),
    depth: new Int32Array(states),
    match: new Int32Array(states),
    root: new Int32Array(256),
    longest: 0,
  }
}

function insert(trie: PatternTrie, text: Uint8Array, size: { states: number }): void {
  if (text.length === 0) return
  let state = 0
  for (const byte of text) state = childOf(trie, state, byte) || addChild(trie, state, byte, size)
  trie.match[state] = text.length
  trie.longest = Math.max(trie.longest, text.length)
}

/** Returns the child state, 0 for none. */
function childOf({ root, hasChild, label, sibling }: PatternTrie, state: number, byte: number): number {
  if (state === 0) return root[byte] as number
  if (!hasChild[state]) return 0
  let child = state + 1
  while (child !== 0 && label[child] !== byte) child = sibling[child] as number
  return child
}

function addChild(trie: PatternTrie, state: number, byte: number, size: { states: number }): number {
  const child = size.states++
  const { root, hasChild, label, sibling, depth } = trie
  if (state === 0) root[byte] = child
  else if (hasChild[state]) {
    sibling[child] = sibling[state + 1] as number
    sibling[state + 1] = child
  } else hasChild[state] = 1
  label[child] = byte
  depth[child] = (depth[state] as number) + 1
  return child
}

/** Returns the state after one more byte. */
export function nextState(trie: PatternTrie, state: number, byte: number): number {
  for (let from = state; from !== 0; from = trie.fail[from] as number) {
    const child = childOf(trie, from, byte)
    if (child !== 0) return child
  }
  return trie.root[byte] as number
}

/** Breadth first, because a state's failure link points to a shallower state. */
function* linkFailures(trie: PatternTrie, states: number): Generator<undefined, void> {
  const { root, hasChild, sibling, label, fail, match } = trie
  const queue = new Int32Array(states)
  let end = 0
  for (const first of root) if (first !== 0) queue[end++] = first
  for (let at = 0; at < end; at++) {
    const state = queue[at] as number
    if (match[state] === 0) match[state] = match[fail[state] as number] as number
    for (let child = hasChild[state] ? state + 1 : 0; child !== 0; child = sibling[child] as number) {
      fail[child] = nextState(trie, fail[state] as number, label[child] as number)
      queue[end++] = child
    }
    if (at % statesAtOnce === 0) yield
  }
}

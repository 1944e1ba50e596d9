const minOverlap = 2
const minTokenLength = 2

/** Apostrophes are dropped: don't and don’t both become the token dont. */
const apostrophes = /['’‘ʼ＇`´′]/gu

const negations = new Set(
  'not no never none nor neither cannot cant dont doesnt didnt wont wouldnt shouldnt couldnt mustnt neednt mightnt isnt arent wasnt werent hasnt havent hadnt aint'.split(
    ' ',
  ),
)

const antonyms = [
  ['enabled', 'disabled'],
  ['allow', 'deny'],
  ['accept', 'reject'],
  ['always', 'never'],
  ['on', 'off'],
  ['true', 'false'],
] as const

/** The flags of a proposal's audit record. */
export interface ContradictionAssessment {
  contradictionRisk: boolean
  /** True exactly when there is a risk: the proposal stays blocked. */
  reviewNeeded: boolean
}

/**
 * Assesses whether an update or delete proposal may contradict its memory. There is a risk when they share
 * two tokens and exactly one of them negates, or when they contain opposite words (rules.md 1.5). Symmetric.
 */
export function assessContradiction(memory: string, proposal: string): ContradictionAssessment {
  const [a, b] = [tokensOf(memory), tokensOf(proposal)]
  const shared = [...a].filter(token => b.has(token)).length
  const risk = shared >= minOverlap && (negates(a) !== negates(b) || opposes(a, b))
  return { contradictionRisk: risk, reviewNeeded: risk }
}

/** Lowercase, punctuation stripped, at least two characters (rules.md 1.5). */
function tokensOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .replace(apostrophes, '')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return new Set(words.filter(word => [...word].length >= minTokenLength))
}

function negates(tokens: ReadonlySet<string>): boolean {
  return [...tokens].some(token => negations.has(token))
}

/** Two texts that both contain both words of a pair (`true or false`) agree instead of contradicting. */
function opposes(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return antonyms.some(([one, other]) => {
    const there = a.has(one) && b.has(other)
    const back = a.has(other) && b.has(one)
    return there !== back
  })
}

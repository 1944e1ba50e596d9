/** One statement of a text, quoted literally. */
export interface Sentence {
  /** Literal text without list marks and full stop. */
  quote: string
  /** True if it is a line of its own. */
  isLine: boolean
}

/** Longer texts are documents, logs or programs rather than statements. */
const maxLines = 40
const maxSentence = 300

/** Openings without content. */
const leadIn =
  /^(?:hi|hello|hey|ok|okay|fyi|btw|well|also|so|yes|no|please note(?: that)?|remember(?: that)?|note that)\b[,:.!]?\s+/iu
/** Closing requests without content. */
const leadOut =
  /,? (?:and |so |but )?(?:please )?(?:keep|put|note|remember|add|mention|write|document|save) (?:that|it|this)\b.*$/iu
const please = /,? please$/iu
/** A log level in capitals after at most a timestamp: a log line describes a single past event. */
const logLine =
  /^[[(]?[\d\s:.,TZ+\-/\])]*[[(]?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b[\])]?(?::?\s|$)/u
const fence = /```[\s\S]*?(?:```|$)/gu
const listMark = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/u
const isCode =
  /[{}<>|]|=>|;\s*$|^\s*(?:const|let|var|import|export|def|class|SELECT|curl|npm|git|\$)\s|\s=\s/u
/** Questions, conditions, doubts, past states, incomplete sentences and hearsay state no facts. */
const isOpen =
  /^(?:if|when|whenever|should|could|would|can|may|what|which|why|how|who|where|is|are|was|does|did|do (?:you|we|i)|unless|suppose|after|before|once|while|although|except)\b|\?\s*$|(?:\.\.\.|…)\s*$|\b(?:maybe|perhaps|might|could|would|should|probably|possibly|apparently|supposedly|not sure|unsure|unclear|undecided|(?:not|never|n't) decided|i (?:think|guess|believe)|(?:said|says|heard|claims?) (?:that )?|used to|no longer|any ?more|for example|e\.g\.|as if)\b/iu

/** Returns the statements of a text in order, without code, questions, conditions, doubts and past states. */
export function sentencesOf(text: string): Sentence[] {
  const lines = text.replace(fence, '\n').split(/\r?\n/u)
  if (lines.length > maxLines) return []
  return lines.flatMap(line => {
    const bare = line.replace(listMark, '').trim()
    if (isCode.test(line) || logLine.test(bare)) return []
    const parts = bare.split(/(?<=[.!?])\s+(?=["'“(]?[\p{Lu}\p{N}])|;\s+/u)
    return parts.flatMap(part => {
      const quote = part
        .trim()
        .replace(leadIn, '')
        .replace(leadOut, '')
        .replace(/(?<![.!])[.!]+$/u, '')
        .replace(please, '')
      if (quote === '' || quote.length > maxSentence || isOpen.test(part.trim())) return []
      return [{ quote, isLine: parts.length === 1 }]
    })
  })
}

/** One statement of a text: a clause that stands word for word in it. */
export interface Sentence {
  /** As it stands in the text, without the marks of a list and the full stop. */
  quote: string
  /** Whether it is a line by itself. */
  isLine: boolean
}

/** A text of more lines is no statement but a document, a log or a program. */
const maxLines = 40
const maxSentence = 300

/** What people begin with before they say something. */
const leadIn =
  /^(?:hi|hello|hey|ok|okay|fyi|btw|well|also|so|yes|no|please note(?: that)?|remember(?: that)?|note that)\b[,:.!]?\s+/iu
/** What people end with when they have said it. */
const leadOut =
  /,? (?:and |so |but )?(?:please )?(?:keep|put|note|remember|add|mention|write|document|save) (?:that|it|this)\b.*$/iu
const please = /,? please$/iu
/** A level in capitals, behind no more than a time: a line of a log says what was, once. */
const logLine =
  /^[[(]?[\d\s:.,TZ+\-/\])]*[[(]?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b[\])]?(?::?\s|$)/u
const fence = /```[\s\S]*?(?:```|$)/gu
const listMark = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/u
const isCode =
  /[{}<>|]|=>|;\s*$|^\s*(?:const|let|var|import|export|def|class|SELECT|curl|npm|git|\$)\s|\s=\s/u
/** What is asked, supposed, doubted, over, cut off, or hearsay says nothing of what is. */
const isOpen =
  /^(?:if|when|whenever|should|could|would|can|may|what|which|why|how|who|where|is|are|was|does|did|do (?:you|we|i)|unless|suppose|after|before|once|while|although|except)\b|\?\s*$|(?:\.\.\.|…)\s*$|\b(?:maybe|perhaps|might|could|would|should|probably|possibly|apparently|supposedly|not sure|unsure|unclear|undecided|(?:not|never|n't) decided|i (?:think|guess|believe)|(?:said|says|heard|claims?) (?:that )?|used to|no longer|any ?more|for example|e\.g\.|as if)\b/iu

/**
 * The statements of a text, in their order. Code, questions, conditions, doubts and what is over are left out.
 */
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
        .replace(/[.!]+$/u, '')
        .replace(please, '')
      if (quote === '' || quote.length > maxSentence || isOpen.test(part.trim())) return []
      return [{ quote, isLine: parts.length === 1 }]
    })
  })
}

/** Characters that are not drawn, or are drawn above others, so a tag may contain them unseen. */
const undrawn = String.raw`\p{Cf}\p{Cc}\p{M}\p{Default_Ignorable_Code_Point}`
const blank = String.raw`[${undrawn}\s\u2800]`
/** A solidus in each form, plain or escaped. */
const slash = String.raw`(?:[/\\／＼⁄∕]|&(?:amp;?)*(?:sol|#0*47|#x0*2f);?|\\u002f)`
/** The first character of a name, or of a declaration such as `<!--` or `<|`. */
const first = String.raw`(?:[\p{L}\p{Nl}\p{No}_:!?|｜！？]|&(?:amp;?)*#|\\u\{?[\da-f]|\\x[\da-f])`
const sign = '[<＜﹤˂ᐸ]'
const escapedSign = String.raw`(?:&${blank}*(?:amp;?${blank}*)*(?:lt|#0*60|#x0*3c|#0*65308|#xff1c)(?![\da-z]);?|\\(?:u003c|u\{0*3c\}|x3c|uff1c))`
const end = String.raw`(?:[>＞﹥]|&(?:amp;?)*(?:gt|#0*62|#x0*3e)|\\(?:u003e|x3e))`

/**
 * The start of anything that a model may read as a tag. After a plain sign and blanks the tag must also have
 * an end before the next sign, so that comparisons such as `a < b` stay as they are. A replaced sign counts
 * as a sign, so a second pass changes nothing.
 */
const tagStart = new RegExp(
  [
    `${sign}(?=[${undrawn}]*${first}|${blank}*${slash}(?:${blank}|${slash})*${first}|${blank}+${first}[^<＜﹤˂ᐸ‹]*?${end})`,
    `${escapedSign}(?=(?:${blank}|${slash})*${first})`,
    String.raw`[[［](?=${blank}*(?:${slash}${blank}*)?(?:INST|SYS|SYSTEM|ASSISTANT|USER|TOOL)${blank}*[\]］])`,
  ].join('|'),
  'giu',
)

/** Neutralises foreign text: nothing in it begins or ends a tag of ours or of a harness (rules.md 2.4). */
export function harmless(text: string): string {
  return text.replace(tagStart, '‹')
}

/** Does the same to each text in a value of JSON; names of fields stay as they are. */
export function harmlessTexts(value: unknown): unknown {
  if (typeof value === 'string') return harmless(value)
  if (Array.isArray(value)) return value.map(harmlessTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, harmlessTexts(inner)]))
}

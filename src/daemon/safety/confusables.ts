/** Letters of other scripts that look like Latin ones: a practical part of Unicode TR39, lower case. */
const lookalikes: Record<string, string> = {
  a: 'аαɑᴀ',
  b: 'Ьвβʙ',
  c: 'сϲᴄ',
  d: 'ԁɗᴅ',
  e: 'еєεҽᴇ',
  f: 'ғƒ',
  g: 'ɡցɢ',
  h: 'һհнʜ',
  i: 'іїιɩıɪ',
  j: 'јϳᴊ',
  k: 'кκᴋ',
  l: 'ӏʟ',
  m: 'мᴍ',
  n: 'пηոɴ',
  o: 'оοօσᴏ',
  p: 'рρᴘ',
  q: 'ԛգ',
  r: 'гʀ',
  s: 'ѕʂꜱ',
  t: 'тτᴛ',
  u: 'υսцᴜ',
  v: 'νѵᴠ',
  w: 'ԝωшᴡ',
  x: 'хχ',
  y: 'уγүʏ',
  z: 'ʐᴢ',
}

const digitLookalikes: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

const latinOf = new Map(
  Object.entries(lookalikes).flatMap(([latin, others]) => [...others].map(other => [other, latin])),
)
const lookalike = new RegExp(`[${[...latinOf.keys()].join('')}]`, 'g')
const digitLetter = /[013457@$!](?:(?=[013457@$!]{0,3}[a-z])|(?<=[a-z][013457@$!]{1,4}))/g

/** Occurs in every word with a replacement; it avoids the slow long pattern elsewhere. */
const digitAtLetter = /[013457@$!][a-z]|[a-z][013457@$!]/

/** Replaces letters that only look Latin with Latin ones. @param text folded text */
export function latinSkeleton(text: string): string {
  return text.replace(lookalike, char => latinOf.get(char)!)
}

/** Replaces digits and signs that stand for letters inside words ("1gn0re"). @param text folded text */
export function withoutDigitLetters(text: string): string {
  if (!digitAtLetter.test(text)) return text
  return text.replace(digitLetter, char => digitLookalikes[char]!)
}

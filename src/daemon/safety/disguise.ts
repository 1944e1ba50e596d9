const shortestRun = 24
/** Lookup table by character code: 1 for characters of base64 and hexadecimal. */
const encodedCharacters = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(code))),
)
const base64Run = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}/g
const hexRun = /\b(?:[0-9a-fA-F]{2}){16,}\b/g
const characterEscape =
  /\\x([0-9a-f]{2})|\\u\{?0{0,4}([0-9a-f]{2})\}?|%([0-9a-f]{2})|&#x0{0,4}([0-9a-f]{2});|&#0{0,4}(\d{2,3});/gi
/** Occurs in every escape; most texts contain none. */
const escapeSign = /\\[xu]|%|&#/i
/** Occurs in every split word. */
const splitSign = /[-._*~|\\+^'"}>][a-z]/
const spacedLetters = /(?<![a-z0-9])[a-z](?:[^a-z0-9\n]{1,3}[a-z](?![a-z0-9])){9,}/g
const wordSplit =
  /(?:[-._*~|\\+^](?<=[a-z].)|''(?<=[a-z]'')|""(?<=[a-z]"")|\$\{ifs\}|<!---->|<\/?[bi]>)(?=[a-z])/g

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

/**
 * Decodes base64 and hexadecimal inside a text; empty when nothing readable was encoded.
 * @param text as stored: letter case matters to base64
 */
export function decodePayloads(text: string): string[] {
  if (!hasLongRun(text)) return []
  return [decodeRuns(text, base64Run, 'base64'), decodeRuns(text, hexRun, 'hex')].filter(Boolean)
}

/** A cheap check for long runs of base64 or hexadecimal characters, which most texts fail. */
function hasLongRun(text: string): boolean {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    if (encodedCharacters[text.charCodeAt(at)] !== 1) length = 0
    else if (++length === shortestRun) return true
  }
  return false
}

/**
 * Decodes \\x, \\u, percent and HTML escapes; empty unless the text has at least four. @param text as stored
 */
export function unescaped(text: string): string[] {
  if (!escapeSign.test(text)) return []
  let escapes = 0
  const plain = text.replace(characterEscape, (whole, ...groups: (string | undefined)[]) => {
    escapes++
    const [x, u, percent, hexEntity, entity] = groups
    const code = entity ? Number(entity) : Number.parseInt(x ?? u ?? percent ?? hexEntity ?? '', 16)
    return code >= 32 && code < 127 ? String.fromCharCode(code) : whole
  })
  return escapes >= 4 ? [plain] : []
}

/**
 * Variants of folded text: without marks inside words ("ig-nore", "cu''rl"), with digits read as letters
 * ("1gn0re"), and rot13 or reversed where a tell-tale word occurs.
 */
export function textVariants(folded: string): string[] {
  const readings = [
    splitSign.test(folded) ? folded.replace(wordSplit, '') : folded,
    withoutDigitLetters(folded),
  ]
  if (/vafgehpgvba|flfgrz cebzcg/.test(folded)) readings.push(rot13(folded))
  if (/snoitcurtsni|tpmorp metsys/.test(folded)) readings.push([...folded].reverse().join(''))
  return readings.filter(reading => reading !== folded)
}

/**
 * Letters written one by one ("i g n o r e"), joined without blanks; empty when there are none. @param folded
 * folded text
 */
export function joinSpelledLetters(folded: string): string {
  const runs = folded.match(spacedLetters) ?? []
  return runs.map(letters => letters.replace(/[^a-z]/g, '')).join(' ')
}

/** Joins runs on neighbouring lines, as in wrapped base64. */
function decodeRuns(text: string, runs: RegExp, encoding: 'base64' | 'hex'): string {
  let decodePayloads = ''
  let lastEnd = -1
  for (const hit of text.matchAll(runs)) {
    const plain = looksPacked(hit[0]) ? Buffer.from(hit[0], encoding).toString('utf8') : ''
    if (isReadable(plain)) decodePayloads += (hit.index - lastEnd <= 2 ? '' : '\n') + plain
    lastEnd = hit.index + hit[0].length
  }
  return decodePayloads
}

/** Identifiers and paths have letters of one case; encoded text mixes cases or contains digits. */
function looksPacked(run: string): boolean {
  return /\d/.test(run) || (/[A-Z]/.test(run) && /[a-z]/.test(run))
}

function isReadable(text: string): boolean {
  return text.length >= 12 && !/[^\P{Cc}\t\n\r]|\ufffd/u.test(text) && /[a-z]{3}/i.test(text)
}

function rot13(text: string): string {
  return text.replace(/[a-z]/g, letter => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97))
}

/** Replaces letters that only look Latin with Latin ones. @param text folded text */
export function latinSkeleton(text: string): string {
  return text.replace(lookalike, char => latinOf.get(char)!)
}

/** Replaces digits and signs that stand for letters inside words ("1gn0re"). @param text folded text */
export function withoutDigitLetters(text: string): string {
  if (!digitAtLetter.test(text)) return text
  return text.replace(digitLetter, char => digitLookalikes[char]!)
}

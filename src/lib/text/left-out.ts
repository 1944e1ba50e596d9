import { wordsOfName } from './split-name.js'

/** How many were left out by which reason, in words: `3 below cut off`. Reasons of none are not told. */
export function leftOutWords(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${wordsOfName(reason).join(' ')}`)
}

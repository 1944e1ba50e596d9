import { clip } from '../../../lib/text/clip.js'
import { scanContentInSlices } from '../../safety/scan.js'

interface Said {
  role: string
  text: string
}

/** Longest pieces of a head, in UTF-16 units. */
const maxRequest = 600
const maxAnswer = 700
const answers = 2
/** Messages that are read from the beginning, and from the end. */
export const headMessages = 20

/**
 * What a session was about, without a language model: what was asked first, and the last answers, each once. What the
 * content safety policy does not call clean is left out, since heads come back into contexts.
 * @param first messages from the beginning. @param last messages up to the end.
 * @returns '' when nothing may be shown.
 */
export async function sessionHead(first: readonly Said[], last: readonly Said[]): Promise<string> {
  const request = await firstClean(
    first.filter(({ role }) => role !== 'assistant'),
    maxRequest,
    1,
  )
  const results = await firstClean(
    last.filter(({ role }) => role === 'assistant').reverse(),
    maxAnswer,
    answers,
  )
  const parts = [
    ...request.map(text => `Asked: ${text}`),
    ...results.reverse().map(text => `Answered: ${text}`),
  ]
  const head = parts.join('\n\n')
  return (await isClean(head)) ? head : ''
}

async function firstClean(messages: readonly Said[], maxLength: number, count: number): Promise<string[]> {
  const found: string[] = []
  for (const { text } of messages) {
    if (found.length === count) break
    const piece = clip(text.replace(/\s+/gu, ' ').trim(), maxLength)
    if (!found.includes(piece) && (await isClean(piece))) found.push(piece)
  }
  return found
}

async function isClean(text: string): Promise<boolean> {
  return (await scanContentInSlices(text)).status === 'clean'
}

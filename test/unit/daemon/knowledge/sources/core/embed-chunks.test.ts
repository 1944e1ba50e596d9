import test from 'ava'
import { DoubtfulTexts } from '../../../../../../src/daemon/knowledge/sources/core/embed-chunks.js'

const keyOf = (text: string): string => text

/**
 * Embeds texts until none is left.
 * @returns the batches, and the texts without a vector
 */
function askAll(texts: readonly string[], answers: (batch: readonly string[]) => boolean, attempts = 100) {
  const doubtful = new DoubtfulTexts(4)
  const batches: string[] = []
  const without: string[] = []
  let waiting = [...texts]
  for (let attempt = 0; attempt < attempts && waiting.length > 0; attempt++) {
    const batch = doubtful.choose(waiting.slice(0, doubtful.toLookAt()), keyOf)
    batches.push(batch.join(''))
    const isAnswered = answers(batch)
    if (isAnswered) doubtful.passed(batch)
    const isBlamed = !isAnswered && doubtful.failed(batch)
    if (isBlamed) without.push(...batch)
    if (isAnswered || isBlamed) waiting = waiting.filter(text => !batch.includes(text))
  }
  return { batches, without, waiting }
}

test('without failures texts are embedded in order, in full batches', t => {
  t.deepEqual(askAll([...'abcdefghi'], () => true).batches, ['abcd', 'efgh', 'i'])
})

test('a text that breaks the provider is skipped after a try alone, and others continue', t => {
  const { batches, without, waiting } = askAll([...'aXbcdef'], batch => !batch.includes('X'))
  t.deepEqual(batches, ['aXbc', 'aX', 'a', 'Xb', 'X', 'b', 'cd', 'ef', 'X', 'X', 'X'])
  t.deepEqual(without, ['X'])
  t.deepEqual(waiting, [])
})

test('a text that succeeds on retry is not skipped', t => {
  let asked = 0
  const { without } = askAll(['X'], () => ++asked === 4)
  t.deepEqual(without, [])
})

import test from 'ava'
import { DoubtfulTexts } from '../../../../../../src/daemon/knowledge/sources/core/embed-chunks.js'

const keyOf = (text: string): string => text

/** Asks a provider for every text until none is left that waits. @returns the batches, and who went without a vector */
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

test('without failures texts are asked for in their order, as many as a batch holds', t => {
  t.deepEqual(askAll([...'abcdefghi'], () => true).batches, ['abcd', 'efgh', 'i'])
})

test('of a text at which the provider breaks the others do not wait; alone it is given up', t => {
  const { batches, without, waiting } = askAll([...'aXbcdef'], batch => !batch.includes('X'))
  t.deepEqual(batches, ['aXbc', 'aX', 'a', 'Xb', 'X', 'b', 'cd', 'ef', 'X', 'X', 'X'])
  t.deepEqual(without, ['X'])
  t.deepEqual(waiting, [])
})

test('a text that is answered in the end is not given up', t => {
  let asked = 0
  const { without } = askAll(['X'], () => ++asked === 4)
  t.deepEqual(without, [])
})

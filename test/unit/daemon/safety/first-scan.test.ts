// runs: alone, since a process prepares the rules once

import test from 'ava'
import { compile } from '../../../../src/daemon/safety/rules/rule.js'
import { allRules } from '../../../../src/daemon/safety/rules.js'
import { scanContentInSlices } from '../../../../src/daemon/safety/scan.js'
import { Vocabulary } from '../../../../src/daemon/safety/text/vocabulary.js'

/** Counts the steps of scanning a short text. */
async function stepsOfScan(): Promise<number> {
  let steps = 0
  await scanContentInSlices('Use pnpm, not npm.', () => {
    steps++
    return undefined
  })
  return steps
}

test('the first scan prepares the rules, one step each', async t => {
  const first = await stepsOfScan()
  const second = await stepsOfScan()
  t.true(first - second >= allRules.length, `${first} steps, then ${second}, for ${allRules.length} rules`)
})

test('the words of a rule are read on its first use, and only once', t => {
  const start = /crontab/
  let read = 0
  Object.defineProperty(start, 'source', {
    get: () => {
      read++
      return 'crontab'
    },
  })
  const example = {
    catches: 'crontab',
    passes: 'cron',
    reason: 'prompt_injection',
    status: 'tainted',
  } as const
  const [rule] = compile([{ id: 'an-example', ...example, start }], new Vocabulary())
  t.is(read, 0)
  t.deepEqual(rule?.needs, [[0]])
  t.deepEqual(rule?.needs, [[0]])
  t.is(read, 1)
})

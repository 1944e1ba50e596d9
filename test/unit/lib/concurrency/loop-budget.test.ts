// runs: alone

import test from 'ava'
import { type Breather, inStretches, LoopBudget } from '../../../../src/lib/concurrency/loop-budget.js'

/** Logs its name for each step, with a pause before each step. */
async function work(budget: Breather, steps: number, name: string, log: string[]): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await budget.breathe()
    log.push(name)
  }
}

test('of concurrent searches the first one finishes first', async t => {
  const budget = new LoopBudget(0)
  const log: string[] = []
  await Promise.all(['a', 'b', 'c'].map(name => work(budget.begin(), 3, name, log)))
  t.deepEqual(log, [...'aaabbbccc'])
})

test('background work neither waits for all searches nor blocks them', async t => {
  const budget = new LoopBudget(0)
  const log: string[] = []
  const save = work(budget, 4, 'save', log)
  const searches = Array.from({ length: 6 }, async (_, number) => {
    for (let turn = 0; turn < number * 2; turn++) await new Promise(setImmediate)
    await work(budget.begin(), 2, 'search', log)
  })
  await Promise.all([save, ...searches])
  t.true(log.lastIndexOf('save') < log.lastIndexOf('search'))
  t.true(log.indexOf('search') < log.lastIndexOf('save'))
})

test('the event loop gets a turn when the slice is used up', async t => {
  const budget = new LoopBudget(0)
  let turns = 0
  const count = () => {
    turns++
    if (turns < 100) setImmediate(count)
  }
  setImmediate(count)
  await work(budget.begin(), 20, 'search', [])
  t.true(turns >= 19, `${turns}`)
})

test('a new search does not overtake waiting ones', async t => {
  const budget = new LoopBudget(200)
  const log: string[] = []
  await budget.begin().breathe()
  holdLoop(205)
  const waiting = ['a', 'b', 'c'].map(name => work(budget.begin(), 1, name, log))
  // These start while `a` still has most of its slice.
  const late = (async () => {
    await waiting[0]
    await work(budget.begin(), 1, 'late', log)
  })()
  await Promise.all([...waiting, late])
  t.deepEqual(log, ['a', 'b', 'c', 'late'])
})

test('background work uses its whole slice even if others wait', async t => {
  const budget = new LoopBudget(200)
  const log: string[] = []
  await budget.begin().breathe()
  holdLoop(205)
  await Promise.all([work(budget, 3, 'save', log), work(budget.begin(), 1, 'search', log)])
  t.deepEqual(log, ['save', 'save', 'save', 'search'])
})

function holdLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a loop in stretches visits each number once and pauses between stretches', async t => {
  const log: string[] = []
  const budget: Breather = {
    breathe: async () => {
      log.push('breath')
    },
  }
  await inStretches(budget, { first: 1, end: 8, size: 3 }, (from, to) => log.push(`${from} to ${to}`))
  t.deepEqual(log, ['1 to 4', 'breath', '4 to 7', 'breath', '7 to 8'])
  await inStretches(budget, { first: 1, end: 1, size: 3 }, () => t.fail())
})

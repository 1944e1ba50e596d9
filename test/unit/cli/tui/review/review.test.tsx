// runs: in turn

import test, { type ExecutionContext } from 'ava'
import { render } from 'ink-testing-library'
import { ReviewScreen } from '../../../../../src/cli/tui/review.js'
import type { ReviewCard, ReviewDecision } from '../../../../../src/contract/knowledge/ontology-review.js'
import { pressKeys, untilTurn } from '../../../../helpers/ink-screen.js'

const card = (id: string, entity: string): ReviewCard => ({
  id,
  kind: 'contradiction',
  entity,
  title: 'network > port',
  current: { text: 'port: 6230', since: null, sources: [{ kind: 'memory', id: 'm1', quote: 'on 6230' }] },
  suggested: { text: `port: ${id}`, since: null, sources: [{ kind: 'memory', id: 'm2', quote: 'on 7421' }] },
  choices: ['keep', 'replace', 'both', 'not_a_fact'],
  project: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  alike: [],
})

function open(t: ExecutionContext, long = '') {
  const sent: string[] = []
  const decide = async (decisions: readonly { id: string; decision: ReviewDecision }[]) => {
    sent.push(decisions.map(({ id, decision }) => `${id} ${decision}`).join(', '))
    return `batch ${sent.length}`
  }
  const undo = async (batch: string) => {
    sent.push(`undo ${batch}`)
  }
  const cards = [card(`a${long}`, 'scheduler'), card('b', 'scheduler'), card('c', 'billing')]
  const counts: number[] = []
  const onCount = (count: number) => counts.push(count)
  const screen = render(
    <ReviewScreen cards={cards} color={false} decide={decide} undo={undo} onCount={onCount} />,
  )
  t.teardown(screen.unmount)
  return { sent, counts, screen, frame: () => screen.lastFrame() ?? '' }
}

function resize({ stdout }: ReturnType<typeof render>, size: { columns: number; rows: number }) {
  Object.defineProperties(stdout, {
    columns: { value: size.columns, configurable: true },
    rows: { value: size.rows, configurable: true },
  })
  stdout.emit('resize')
}

test('a card shows both values with their quotes, and its keys', t => {
  const { frame } = open(t)
  t.regex(frame(), /1 of 3 {2}scheduler: network > port/)
  t.regex(frame(), /port: 6230.* port: a/)
  t.regex(frame(), /"on 6230".*"on 7421"/)
  t.regex(frame(), /k keep the current one · r replace · b both are right · n not a fact · s skip · u undo/)
})

test('a key decides and shows the next card; u undoes the last step', async t => {
  const { sent, counts, screen, frame } = open(t)
  await pressKeys(screen, 'k', 's', 'r')
  await untilTurn(() => frame().includes('No more cards'))
  t.deepEqual(sent, ['a keep', 'c replace'])
  await pressKeys(screen, 'u')
  await untilTurn(() => frame().includes('3 of 3'))
  await pressKeys(screen, 'u', 'u')
  await untilTurn(() => frame().includes('1 of 3'))
  t.deepEqual(sent, ['a keep', 'c replace', 'undo batch 2', 'undo batch 1'])
  t.is(counts.at(-1), 0)
})

test('a key in upper case decides all cards of the entity in one step', async t => {
  const { sent, counts, screen, frame } = open(t)
  await pressKeys(screen, 'N')
  await untilTurn(() => frame().includes('3 of 3'))
  t.deepEqual(sent, ['a not_a_fact, b not_a_fact'])
  t.is(counts.at(-1), 2)
})

test('a card with long texts fits a terminal of 40 columns and 12 rows, and its cuts are marked', async t => {
  const { screen, frame } = open(t, 'the port of the scheduler '.repeat(20))
  await untilTurn(() => screen.stdout.listenerCount('resize') > 0)
  resize(screen, { columns: 40, rows: 12 })
  await untilTurn(() => frame().includes('Now\n'))
  const lines = frame().split('\n')
  t.deepEqual(
    lines.filter(line => line.length > 40),
    [],
  )
  t.true(lines.length < 12)
  t.regex(frame(), /…/u)
  t.regex(frame(), /b both are right.*n not a fact.*q quit$/su)
})

test('a screen is cleared before it is drawn narrower, and only then', async t => {
  const { screen } = open(t)
  const cleared = () => screen.frames.filter(frame => frame === '\u001B[H\u001B[2J').length
  await untilTurn(() => screen.stdout.listenerCount('resize') > 0)
  resize(screen, { columns: 120, rows: 12 })
  t.is(cleared(), 0)
  resize(screen, { columns: 60, rows: 12 })
  t.is(cleared(), 1)
})

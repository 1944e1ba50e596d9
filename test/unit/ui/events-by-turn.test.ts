import test from 'ava'
import { eventsByTurn } from '../../../src/ui/sessions/events-by-turn.js'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const event = (id: string, kind: string, second: number, surface?: string) => ({
  ...{ id, kind, at: at(second), payload: { surface } },
})

const turns = [
  { position: 0, role: 'user', at: at(10) },
  { position: 1, role: 'assistant', at: at(20) },
  { position: 2, role: 'user', at: at(30) },
]

function placed(list: readonly { position: number; role: string; at: string | null }[]) {
  const events = [
    event('start', 'context.recalled', 9, 'start'),
    event('early', 'context.recalled', 9, 'prompt'),
    event('recall', 'recall.result', 21),
    event('save', 'assertion.created', 25),
    event('late', 'context.recalled', 31, 'prompt'),
  ]
  const { start, of } = eventsByTurn(list, events)
  return [
    start.map(({ id }) => id),
    ...[0, 1, 2].map(position => (of.get(position) ?? []).map(({ id }) => id)),
  ]
}

test('context is beside its prompt, a save beside the turn before it, and a start before the first turn', t => {
  t.deepEqual(placed(turns), [['start'], ['early', 'recall'], ['save'], ['late']])
})

test('without times of turns all events are at the start', t => {
  const untimed = turns.map(turn => ({ ...turn, at: null }))
  t.deepEqual(placed(untimed), [['start', 'early', 'recall', 'save', 'late'], [], [], []])
})

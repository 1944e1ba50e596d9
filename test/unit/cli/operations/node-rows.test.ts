import test from 'ava'
import { nodeRows } from '../../../../src/cli/operations/status.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'

const now = Date.parse('2026-01-01T00:01:00Z')
const index = { change: 12 } as Parameters<typeof nodeRows>[0]['index']
const node = (name: string, secondsAgo: number, applied: number) => ({
  ...{ name, version: '1', url: `http://${name}`, startedAt: '2026-01-01T00:00:00Z', applied, jobs: 0 },
  ...{ seenAt: new Date(now - 1000 * secondsAgo).toISOString(), duties: [] },
})

test('a daemon of a team is listed with the age of its lag, with its silence, and while it stops', t => {
  const nodes = [
    ...[node('a', 4, 12), node('b', 8, 9), node('c', 34, 9)],
    { ...node('d', 4, 12), stoppingSince: '2026-01-01T00:00:50Z' },
  ]
  t.deepEqual(nodeRows({ nodes, index }, colorsFor({}), now), [
    ['node', 'a, 1, http://a'],
    ['node', 'b, 1, http://b, index 3 changes behind 8 s ago'],
    ['node', 'c, 1, http://c, last seen 34 s ago'],
    ['node', 'd, 1, http://d, stopping'],
  ])
})

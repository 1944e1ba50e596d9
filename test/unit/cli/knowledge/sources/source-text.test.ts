import test from 'ava'
import type { ShownSource } from '../../../../../src/cli/knowledge/sources/follow-source.js'
import { sourceLines, sourceTable } from '../../../../../src/cli/knowledge/sources/source-text.js'
import { colorsFor } from '../../../../../src/cli/terminal/output.js'
import { displayWidth } from '../../../../../src/cli/terminal/text.js'

const source = {
  id: `notevault:${'0'.repeat(24)}`,
  kind: 'notevault',
  name: 'A vault with a long name, longer than a terminal leaves room for',
  root: `/home/somebody/${'deeper/'.repeat(20)}`,
  agentId: 'default',
  lastIndexedAt: '2026-03-31T11:00:00Z',
  stats: { artifacts: 1, chunks: 2, indexed: 1 },
  health: { status: 'healthy' },
  indexJob: { status: 'complete' },
} as unknown as ShownSource

test('on a terminal each source takes two lines that fit the width', t => {
  const view = { colors: colorsFor({ isTTY: false }), now: Date.parse('2026-03-31T12:00:00Z') }
  for (const columns of [80, 60]) {
    const lines = sourceTable([source, source], { ...view, columns, withAgents: true }).split('\n')
    t.is(lines.length, 4)
    t.true(lines.every(line => displayWidth(line) <= columns))
    t.regex(lines[0] ?? '', /^A vault .*…? {2}Obsidian · of default · healthy/u)
    t.true(lines[1]?.includes(source.id))
  }
})

test('in a pipe each source is one line of fields', t => {
  t.deepEqual(sourceLines([source]).split('\t').slice(0, 5), [
    source.id,
    'notevault',
    'complete',
    'healthy',
    '1',
  ])
})

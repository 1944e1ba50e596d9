import test from 'ava'
import pico from 'picocolors'
import { type LineageItem, replacementsText } from '../../../../src/cli/memory/replacements.js'

const item: LineageItem = {
  id: 'old',
  content: 'we deploy by hand',
  type: 'procedural',
  importance: 0.8,
  version: 2,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-09T00:00:00.000Z',
  supersededBy: 'new',
  supersededAt: '2026-01-09T00:00:00.000Z',
  supersededReason: 'automated',
}

test('the chain tells what holds, and when and why the rest was replaced', t => {
  const head = {
    ...item,
    id: 'new',
    content: 'by pipeline',
    supersededBy: null,
    supersededAt: null,
    supersededReason: null,
  }
  const now = Date.parse('2026-01-10T00:00:00Z')
  t.is(
    replacementsText([head, item], { colors: pico.createColors(false), width: undefined, now }),
    [
      'new  procedural  9 d ago  current',
      '  by pipeline',
      'old  procedural  9 d ago  replaced 1 d ago  "automated"',
      '  we deploy by hand',
    ].join('\n'),
  )
})

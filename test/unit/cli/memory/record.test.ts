import test from 'ava'
import pico from 'picocolors'
import {
  type HistoryEvent,
  historyText,
  type LineageItem,
  type MemoryRecord,
  parseRatings,
  recordText,
  replacementsText,
} from '../../../../src/cli/memory/record.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'

const view = { colors: colorsFor({ isTTY: false }), width: 80, now: Date.parse('2026-03-31T12:00:00Z') }

const memory = {
  id: 'id-1',
  content: 'Use pnpm',
  type: 'rule',
  importance: 1,
  tags: 'tools',
  pinned: 1,
  version: 1,
  access_count: 0,
  created_at: '2026-03-28T11:00:00.000Z',
  updated_at: '2026-03-28T11:00:00.000Z',
  agent_id: 'default',
  visibility: 'global',
  hints: ['package manager'],
  contentSafety: { status: 'clean', contextEligible: true, reasons: [], policyVersion: '1', scannedAt: '' },
} as unknown as MemoryRecord

const nulls = Object.fromEntries(
  [
    'project',
    'scope',
    'who',
    'valid_from',
    'valid_until',
    'review_after',
    'source_type',
    'source_id',
    'source_path',
    'superseded_by',
    'superseded_reason',
    'embedding_model',
    'last_accessed',
  ].map(name => [name, null]),
)

test('a record shows its text and only the fields that have a value', t => {
  const text = recordText({ ...nulls, ...memory } as MemoryRecord, view)
  t.true(text.startsWith('Use pnpm\n\n'))
  t.regex(text, /importance +1\.00 \(pinned\)/)
  t.regex(text, /created +2026-03-28T11:00:00\.000Z \(3 d ago\)/)
  t.regex(text, /hints +package manager/)
  t.regex(text, /vector +none yet/)
  t.notRegex(text, /project|superseded|valid|updated|recalled/)
})

test('a record lists its further holders', t => {
  const holder = { agent_id: 'default', project: null, scope: null, visibility: 'global', held_at: '' }
  const holders = [holder, { ...holder, agent_id: 'codex', project: '/work/api', scope: 'lab' }, holder]
  const text = recordText({ ...nulls, ...memory, holders } as MemoryRecord, view)
  t.regex(text, /also saved by +codex in api \(lab\), default\n/)
})

test('a history shows event, time, author, reason and text', t => {
  const event: HistoryEvent = {
    id: 'e',
    memoryId: 'id-1',
    event: 'deleted',
    oldContent: 'Use pnpm',
    newContent: null,
    changedBy: 'maya',
    actorType: 'operator',
    reason: 'outdated',
    metadata: null,
    createdAt: '2026-03-31T09:00:00.000Z',
    sessionId: null,
    requestId: null,
  }
  t.deepEqual(historyText([event], view).split('\n'), [
    '2026-03-31T09:00:00.000Z  deleted  3 h ago  by maya  "outdated"',
    '  Use pnpm',
  ])
})

test('a rating is a number from -1 to 1, or a word', t => {
  t.deepEqual(parseRatings(['a=1', 'b=-0.5', 'c=harmful', 'd=neutral', 'e=helpful']), {
    a: 1,
    b: -0.5,
    c: -1,
    d: 0,
    e: 1,
  })
})

for (const text of ['a', 'a=', '=1', 'a=2', 'a=good', 'a=NaN'])
  test(`${text} is refused as a rating`, t => {
    t.throws(() => parseRatings([text]), { message: new RegExp(`"${text}" is not a rating`) })
  })

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

test('the replacement chain shows the current memory, and when and why others were replaced', t => {
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

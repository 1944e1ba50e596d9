import test from 'ava'
import type { NewSummaryNode } from '../../../../../src/store/tables/sessions/summary-nodes.js'
import { openTestStore } from '../../../../helpers/store.js'

const node = (id: string, day: number, fields: Partial<NewSummaryNode> = {}): NewSummaryNode => ({
  id,
  agent_id: 'ada',
  kind: 'session',
  source_type: 'transcript',
  source_ref: `session-${id}`,
  session_key: `session-${id}`,
  harness: 'claude-code',
  project: '/work',
  content: `head of ${id}`,
  meta: '{}',
  safety_status: 'clean',
  safety_policy: '1',
  starts_at: `2026-01-0${day}T00:00:00.000Z`,
  ends_at: `2026-01-0${day}T01:00:00.000Z`,
  created_at: '2026-01-09T00:00:00.000Z',
  ...fields,
})

const compaction = (id: string, day: number): NewSummaryNode =>
  node(id, day, { kind: 'compaction', source_type: 'compaction', source_ref: id, session_key: 's' })

const ids = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id)

test('a node stored again keeps its id and gets the new content', async t => {
  const { summaryNodes } = openTestStore(t).store.tables
  t.is(await summaryNodes.keep(node('a', 1)), 'a')
  t.is(await summaryNodes.keep({ ...node('b', 2), source_ref: 'session-a', content: 'more' }), 'a')
  const found = await summaryNodes.bySource('ada', { type: 'transcript', ref: 'session-a' })
  t.like(found, { id: 'a', content: 'more', depth: 0, starts_at: '2026-01-02T00:00:00.000Z' })
})

test('nodes are listed newest first, by agent, project, kind, safety and time', async t => {
  const { summaryNodes } = openTestStore(t).store.tables
  await summaryNodes.keep(node('a', 1))
  await summaryNodes.keep(node('b', 2, { project: '/other' }))
  await summaryNodes.keep(node('c', 3, { safety_status: 'tainted' }))
  await summaryNodes.keep(node('d', 4, { agent_id: 'bob' }))
  await summaryNodes.keep(compaction('e', 5))
  const newest = async (filter: object) => ids(await summaryNodes.newest({ agentId: 'ada', ...filter }, 10))
  t.deepEqual(await newest({}), ['e', 'c', 'b', 'a'])
  t.deepEqual(await newest({ project: '/work', kinds: ['session'] }), ['c', 'a'])
  t.deepEqual(await newest({ safety: 'clean', kinds: ['session'] }), ['b', 'a'])
  t.deepEqual(await newest({ since: '2026-01-02T01:00:00.000Z', until: '2026-01-03T01:00:00.000Z' }), [
    'c',
    'b',
  ])
  t.deepEqual(ids(await summaryNodes.newest({ agentId: 'ada' }, 1)), ['e'])
})

test('a compaction covers the head and the earlier compaction of its session, in any order', async t => {
  const { summaryNodes } = openTestStore(t).store.tables
  await summaryNodes.keep(compaction('first', 2))
  await summaryNodes.keep(compaction('second', 3))
  await summaryNodes.keep(node('head', 1, { source_ref: 's', session_key: 's' }))
  t.deepEqual(ids(await summaryNodes.children('second', 10)), ['head', 'first'])
  t.deepEqual(ids(await summaryNodes.children('first', 10)), ['head'])
  t.deepEqual(ids(await summaryNodes.parents('head', 10)), ['second', 'first'])
  t.deepEqual(
    (await summaryNodes.newest({ agentId: 'ada' }, 10)).map(({ depth }) => depth),
    [2, 1, 0],
  )
})

test('a node is found by its own agent only', async t => {
  const { summaryNodes } = openTestStore(t).store.tables
  await summaryNodes.keep(node('a', 1))
  t.is((await summaryNodes.find('ada', 'a'))?.id, 'a')
  t.is(await summaryNodes.find('bob', 'a'), undefined)
})

test('a node is linked to a memory only once', async t => {
  const { summaryNodes } = openTestStore(t).store.tables
  await summaryNodes.keep(node('a', 1))
  await summaryNodes.linkMemories('a', ['m2', 'm1'])
  await summaryNodes.linkMemories('a', ['m1', 'm3'])
  await summaryNodes.linkMemories('a', [])
  t.deepEqual(await summaryNodes.memoriesOf('a', 10), ['m1', 'm2', 'm3'])
})

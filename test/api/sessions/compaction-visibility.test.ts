import test from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'

const compact = ({ call }: TestDaemon, agentId: string) =>
  call('POST /api/hooks/compaction-complete', {
    body: { harness: 'claude-code', summary: 'The parser reads dates.', sessionKey: 's1', agentId } as never,
  })

const note = ({ call }: TestDaemon, agentId: string) =>
  call('POST /api/memory/harnessb-native-note', {
    body: { content: 'the linter runs before the tests' },
    headers: { 'x-service-agent-id': agentId },
  })

const found = (daemon: TestDaemon, query: string, agentId: string) =>
  daemon.recall(query, { agentId, readPolicy: 'shared' })

test('an agent’s summaries and native notes are global, like other saves (rules.md 4.10)', async t => {
  const daemon = await startDaemon(t)
  await compact(daemon, 'maya')
  await note(daemon, 'maya')
  t.is((await found(daemon, 'parser dates', 'lee')).length, 1)
  t.is((await found(daemon, 'linter tests', 'lee')).length, 1)
})

test('with hooks.compaction.visibility private, summaries and native notes are visible only to their agent (rules.md#settings)', async t => {
  const daemon = await startDaemon(t, { settings: { hooks: { compaction: { visibility: 'private' } } } })
  await compact(daemon, 'maya')
  await note(daemon, 'maya')
  for (const query of ['parser dates', 'linter tests']) {
    t.is((await found(daemon, query, 'maya')).length, 1, query)
    t.is((await found(daemon, query, 'lee')).length, 0, query)
  }
})

test('where notes are private, each agent keeps its own note of the same text (rules.md 4.3)', async t => {
  const daemon = await startDaemon(t, { settings: { hooks: { compaction: { visibility: 'private' } } } })
  await note(daemon, 'maya')
  await note(daemon, 'lee')
  t.is((await found(daemon, 'linter tests', 'maya')).length, 1)
  t.is((await found(daemon, 'linter tests', 'lee')).length, 1)
})

import test from 'ava'
import pico from 'picocolors'
import { type DaemonUse, daemonUseText } from '../../../../../src/cli/operations/daemon/daemon-text.js'

const plain = pico.createColors(false)
const now = Date.parse('2026-03-01T12:00:00Z')
const none = { count: 0, p50: null, p95: null, p99: null }

const quiet: DaemonUse = {
  usage: {
    since: '2026-03-01T11:00:00Z',
    requests: { total: 0, byStatus: { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 } },
    memory: { remembered: 0, recalled: 0, modified: 0, forgotten: 0, recovered: 0 },
    injected: { starts: 0, prompts: 0, tokens: 0, today: { since: '', byHarness: [] } },
    endpoints: [],
  },
  latency: { remember: none, recall: none, mutate: none },
  errors: { errors: [], summary: { total: 0, byStage: {} } },
  memorySafety: {
    mutation: { ...none, errors: 0 },
    recentErrors: [],
    errorSummary: { total: 0, byStage: {} },
  },
  continuity: { scores: [], summary: { count: 0, average: null, trend: null, latest: null } },
  projects: [],
}

test('values never requested or measured show as none, not as 0 ms', t => {
  t.is(
    daemonUseText(quiet, { colors: plain, now, endpoints: true }),
    `since       daemon start, 1 h ago
requests    0, none refused, none failed
memories    0 saved, 0 recalls, 0 changed, 0 forgotten, 0 recovered
context     nothing injected into sessions yet
changes     none yet
continuity  no scored session yet

latency   requests  p50  p95  p99
remember  0         -    -    -
recall    0         -    -    -
mutate    0         -    -    -

no warnings, no errors`,
  )
})

test('usage, latencies, errors by stage and continuity by project are shown', t => {
  const { usage } = quiet
  const busy: DaemonUse = {
    usage: {
      ...usage,
      requests: { total: 12, byStatus: { '2xx': 9, '3xx': 0, '4xx': 2, '5xx': 1 } },
      injected: { ...usage.injected, starts: 1, prompts: 2, tokens: 840 },
    },
    latency: { ...quiet.latency, recall: { count: 3, p50: 4.2, p95: 12.4, p99: 1500 } },
    errors: {
      errors: [{ stage: 'git', message: 'not synced\u001b[31m (EACCES)', at: '2026-03-01T11:55:00Z' }],
      summary: { total: 3, byStage: { memory: 1, git: 2 } },
    },
    memorySafety: {
      ...quiet.memorySafety,
      mutation: { count: 4, p50: 1, p95: 1, p99: 1, errors: 1 },
      errorSummary: { total: 1, byStage: { memory: 1 } },
    },
    continuity: { scores: [], summary: { count: 5, average: 0.5, trend: -0.125, latest: 0.25 } },
    projects: [{ project: null, score: 0.25, created_at: '2026-02-27T12:00:00Z' }],
  }
  const text = daemonUseText(busy, { colors: plain, now, endpoints: false })
  for (const line of [
    'requests    12, 2 refused, 1 failed',
    'context     1 session start and 2 prompts: about 840 tokens injected',
    'changes     4, 1 failed; 1 warning from memory, storage or index',
    'continuity  sessions used 50 % of the memories they were shown (5 sessions, latest 25 %, trend -12 %)',
    'recall    3         4.2 ms  12 ms  1.5 s',
    '3 warnings and errors: git 2, memory 1',
    '  5 min  git  not synced[31m (EACCES)',
    '25 %  2 d  no project',
  ])
    t.true(text.split('\n').includes(line), line)
})

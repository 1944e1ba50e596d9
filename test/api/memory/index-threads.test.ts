import test from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'

const environment = { SERVICE_INDEX_THREAD: 'always' }
const subjects = ['release branch', 'staging database', 'login page', 'message queue', 'search index']
const events = ['was cut on Monday', 'fails at night', 'has a new owner', 'needs a review', 'moved to Berlin']
const queries = [
  'which branch is released',
  'database at night',
  'who owns the queue',
  'berlin',
  'revew index',
]

test('one, two and three threads give the same rows and scores, after changes and restarts too', async t => {
  const clock = () => new Date('2026-01-01T12:00:00Z')
  const settings = { embedding: { provider: 'static' } }
  const answers = async (threads: number) => {
    const workspace = temporaryWorkspace(t)
    const start = () =>
      startDaemon(t, { workspace, environment, clock, settings: { ...settings, index: { threads } } })
    const seen: unknown[] = []
    const look = async ({ call }: Awaited<ReturnType<typeof start>>): Promise<void> => {
      for (const query of queries) {
        const { body } = await call('POST /api/memory/recall', { body: { query, limit: 20, explain: true } })
        const rows = body.results.map(({ content, score }) => ({ content, score }))
        seen.push({ query, method: body.method, complete: body.meta.vectorCompleteness, rows })
      }
    }
    const first = await start()
    const ids: string[] = []
    for (let number = 0; number < 75; number++) {
      const text = `The ${subjects[number % 5]} ${events[Math.floor(number / 5) % 5]}`
      // Each has another length, so that no two have the same score, whose order is not defined.
      const details = Array.from({ length: 20 + number }, (_, at) => `detail${(number * 7 + at * 3) % 40}`)
      ids.push(
        await first.remember(`${text}, case ${number} ${details.join(' ')}`, {
          sessionId: `s${number % 11}`,
        }),
      )
    }
    await look(first)
    const reason = 'it was wrong'
    for (const id of ids.filter((_, at) => at % 9 === 1))
      await first.call('PATCH /api/memory/:id', { params: { id }, body: { tags: ['edited'], reason } })
    for (const id of ids.filter((_, at) => at % 9 === 4))
      await first.call('DELETE /api/memory/:id', { params: { id }, query: { reason } })
    await look(first)
    t.like((await first.call('GET /api/status')).body.index, { state: 'ready', documents: 67 })
    await first.stop()
    const second = await start()
    await look(second)
    await second.stop()
    return seen
  }
  const one = await answers(1)
  t.deepEqual(await answers(2), one)
  t.deepEqual(await answers(3), one)
})

import test, { type ExecutionContext } from 'ava'
import { captured, transcriptOf, turns, written } from '../../../helpers/captures.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'

/** Two daemons of one database, as behind a balancer that keeps no session at one of them. */
async function pair(t: ExecutionContext): Promise<{ url: string; both: [TestDaemon, TestDaemon] }> {
  const url = await ownDatabase(t)
  const start = (name: string): Promise<TestDaemon> =>
    startDaemon(t, {
      settings: { storage: { postgres: url, shared: true } },
      environment: { SERVICE_NODE_NAME: name },
    })
  return { url, both: [await start('a'), await start('b')] }
}

const harness = 'claude-code'

/** Ends the session with a conversation so far. @returns the id of the receipt */
async function hand(at: TestDaemon, sessionKey: string, transcript: readonly object[]): Promise<string> {
  const { status, body } = await at.call('POST /api/hooks/session-end', {
    body: { harness, sessionKey, transcript } as never,
  })
  if (status !== 200 || !body.transcriptCaptureJobId) throw new Error(JSON.stringify(body))
  return body.transcriptCaptureJobId
}

async function assertWhole(t: ExecutionContext, url: string, both: TestDaemon[], key: string, last: number) {
  const count = async (table: string, where = 'session_key'): Promise<unknown> =>
    (await askServer(url, `SELECT count(*)::int AS n FROM memory.${table} WHERE ${where} = '${key}'`))[0]?.n
  t.is(await count('sessions'), 1)
  t.is(await count('transcripts'), 1)
  t.is(await count('temporal_nodes'), 1)
  for (const daemon of both) {
    t.is(await transcriptOf(daemon, key), written(turns(0, last)), key)
    const query = `turn ${last - 1} harbour`
    await until(async () => {
      const { body } = await daemon.call('POST /api/sessions/search', { body: { query, limit: 50 } })
      return JSON.stringify(body).includes(key)
    }, 120_000)
  }
  const heads = await askServer(
    url,
    `SELECT content, meta FROM memory.temporal_nodes WHERE session_key = '${key}'`,
  )
  t.is(JSON.parse(String(heads[0]?.meta)).messages, last)
  t.true(String(heads[0]?.content).includes(`turn ${last - 1} of the harbour`))
}

for (const [what, from] of [
  ['the whole conversation', () => 0],
  ['only the newest turns', (turn: number) => turn],
] as const)
  test(`a session whose hooks reach two daemons in turn is stored once and whole: ${what}`, async t => {
    const { url, both } = await pair(t)
    const keys = Array.from({ length: 6 }, (_, number) => `session-${number}`)
    const prompts = 8
    await Promise.all(
      keys.map(async (sessionKey, place) => {
        const receipts: [TestDaemon, string][] = []
        await both[place % 2]?.call('POST /api/hooks/session-start', { body: { harness, sessionKey } })
        for (let prompt = 0; prompt < prompts; prompt++) {
          const at = both[(place + prompt) % 2] as TestDaemon
          const userMessage = `turn ${2 * prompt} of the harbour`
          const asked = { harness, sessionKey, userMessage }
          t.is((await at.call('POST /api/hooks/user-prompt-submit', { body: asked })).status, 200)
          receipts.push([at, await hand(at, sessionKey, turns(from(2 * prompt), 2 * prompt + 2))])
        }
        for (const [at, id] of receipts) t.is((await captured(at, id)).status, 'completed')
      }),
    )
    for (const key of keys) await assertWhole(t, url, both, key, 2 * prompts)
    const open =
      'SELECT count(*)::int AS n FROM memory.transcript_messages m LEFT JOIN memory.transcripts t USING (body_id) WHERE t.body_id IS NULL OR m.position >= t.messages'
    await until(async () => (await askServer(url, open))[0]?.n === 0, 120_000)
  })

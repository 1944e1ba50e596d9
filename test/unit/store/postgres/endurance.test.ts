import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { until } from '../../../helpers/daemon-process.js'
import { askServer, type OwnServer, ownServer } from '../../../helpers/postgres.js'
import { groupOf, idsOf, loadTeam, type TeamLoad } from '../../../helpers/team-load.js'
import { askUntil, type Member, noFailures, startMember } from '../../../helpers/team-of-daemons.js'

/** 40 or more; ten minutes with `SERVICE_FOLLOW_SECONDS=600`: then a fault every twenty seconds. */
const seconds = Number(process.env.SERVICE_FOLLOW_SECONDS ?? 0)
// Beside other tests its faults last too long.
const loadTest = seconds > 0 ? test : test.skip
const faultEveryMs = seconds >= 300 ? 20_000 : 4000

/** Until a daemon that serves again follows the changes of the others. */
const recoveryMs = 2000

type Fault = (members: readonly Member[], server: OwnServer, chosen: Member) => unknown

const faults: Record<string, Fault> = {
  'daemon killed': (_, __, { kill }) => kill('SIGKILL'),
  'server killed': (_, server) => server.crash(),
  'connections cut': (_, __, { proxy }) => proxy.drop(),
  'daemon cut off for three seconds': async (_, __, { proxy }) => {
    proxy.cut()
    await delay(3000)
    proxy.mend()
  },
  'connections hang until new ones are made': async (_, __, { proxy }) => {
    proxy.stop()
    await delay(1000)
    proxy.forget()
  },
  'all connections cut': members => {
    for (const { proxy } of members) proxy.drop()
  },
  'daemon ended': (_, __, { kill }) => kill('SIGTERM'),
  'connections hang for four seconds': async (_, __, { proxy }) => {
    proxy.stop()
    await delay(4000)
    proxy.mend()
  },
}

loadTest(
  'three daemons under load lose and double nothing, with kills, a crashing server and cut connections',
  async t => {
    const server = await ownServer(t)
    if (!server) return t.log('skipped: no programs of a server')
    t.timeout(1000 * seconds + 600_000)
    const members = await Promise.all(['a', 'b', 'c'].map(name => startMember(t, server.url, name)))
    for (const member of members) await until(() => member.url() !== undefined)
    const failures = noFailures()
    const load = loadTeam(members, failures)
    const done: Record<string, number> = {}
    const end = performance.now() + 1000 * seconds
    for (let round = 0; performance.now() + faultEveryMs < end; round++) {
      await delay(faultEveryMs)
      const [what, act] = Object.entries(faults)[round % Object.keys(faults).length] as [string, Fault]
      done[what] = (done[what] ?? 0) + 1
      load.calmSince = Number.POSITIVE_INFINITY
      await act(members, server, members[round % members.length] as Member)
      void until(() => members.every(({ url }) => url() !== undefined)).then(() => {
        load.calmSince = performance.now() + recoveryMs
      })
    }
    await delay(faultEveryMs)
    await load.end()
    t.log(figuresOf(load, members), done, failures.counts, { load: loadavg() })
    t.log(failures.unexpected.slice(0, 20), load.late.slice(0, 20))
    t.deepEqual(failures.unexpected, [])
    t.deepEqual(load.late, [])
    await assertStored(t, server.url, load)
    await assertSessions(t, server.url, members, load)
    await assertSameIndexes(t, [...members, await startMember(t, server.url, 'fresh')], server.url, load)
    for (const member of members) await member.end()
  },
)

function figuresOf(load: TeamLoad, members: readonly Member[]) {
  const { saved, imported, forgotten, sessions, prompts, behind } = load
  return {
    ...{ saved: saved.size, imported: imported.size, forgotten: forgotten.size },
    ...{ sessions: sessions.size, prompts, behind },
    seenByOthersMs: sharesOf(load.seenMs),
    seenByOthersAfterFaultMs: sharesOf(load.seenAfterFaultMs),
    starts: members.map(({ starts }) => starts()),
  }
}

function sharesOf(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const share = (part: number): number =>
    Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN)
  return { looks: sorted.length, p50: share(0.5), p99: share(0.99), most: share(1) }
}

/** Each acknowledged row is there once, with one event that made it. */
async function assertStored(t: ExecutionContext, url: string, load: TeamLoad): Promise<void> {
  const rows = await askServer(url, 'SELECT id, content, is_deleted FROM team_a.memories')
  const written = new Map([...load.saved, ...load.imported])
  t.is(rows.length, written.size)
  assertSame(
    t,
    rows.map(({ id, content }) => `${content}: ${id}`),
    [...written].map(([content, id]) => `${content}: ${id}`),
  )
  const gone = rows.filter(row => Number(row.is_deleted) === 1).map(({ id }) => String(id))
  assertSame(t, gone, [...load.forgotten])
  const events = await askServer(
    url,
    `SELECT event, count(*)::int AS events, count(DISTINCT memory_id)::int AS memories
     FROM team_a.memory_history WHERE event IN ('created', 'deleted') GROUP BY event ORDER BY event`,
  )
  t.log(events)
  for (const { events: all, memories } of events) t.is(all, memories)
}

function assertSame(t: ExecutionContext, found: readonly string[], expected: readonly string[]): void {
  t.deepEqual(
    {
      missing: expected.filter(one => !found.includes(one)),
      extra: found.filter(one => !expected.includes(one)),
    },
    { missing: [], extra: [] },
  )
  t.is(found.length, expected.length)
}

/** Each acknowledged conversation is there once, at each daemon. */
async function assertSessions(
  t: ExecutionContext,
  url: string,
  members: readonly Member[],
  { sessions, failures }: TeamLoad,
): Promise<void> {
  const open = `SELECT count(*)::int AS open FROM team_a.transcript_captures WHERE status <> 'completed'`
  // Long before leases would time out.
  await until(async () => (await askServer(url, open))[0]?.open === 0, 120_000)
  const counted = await askServer(
    url,
    `SELECT session_key AS key, count(*)::int AS turns
     FROM team_a.transcripts JOIN team_a.transcript_messages USING (body_id) GROUP BY 1`,
  )
  assertSame(
    t,
    counted.map(({ key, turns }) => `${key}: ${turns}`),
    [...sessions].map(([key, { turns }]) => `${key}: ${turns}`),
  )
  for (const [key, { word }] of [...sessions].slice(-20))
    for (const member of members) {
      const body = { query: word, limit: 3 }
      const found = await askUntil(member, '/api/sessions/search', { body }, failures)
      t.true(JSON.stringify(found.body).includes(key), `${key} is missing at ${member.name}`)
    }
}

/** The last one has just made its index. */
async function assertSameIndexes(
  t: ExecutionContext,
  all: readonly Member[],
  url: string,
  { saved, forgotten, failures }: TeamLoad,
): Promise<void> {
  const [newest] = await askServer(url, "SELECT value FROM team_a.meta WHERE key = 'change'")
  const after = Number(newest?.value)
  const chosen = [...saved.keys()].filter((_, place) => place % Math.ceil(saved.size / 40) === 0)
  const queries = chosen.flatMap(text => [text, groupOf(text.split(' ')[1] as string)])
  const answers = []
  for (const member of all) {
    await until(() => member.url() !== undefined)
    const check = await until(async () => {
      const { body, isBehind } = await askUntil(
        member,
        '/api/repair/check-fts',
        { body: {}, after },
        failures,
      )
      return !isBehind && body.success === true ? body : undefined
    })
    t.is(check.affected, 0, JSON.stringify({ member: member.name, check }))
    const found = []
    for (const query of queries) {
      const reply = await askUntil(member, '/api/memory/recall', { body: { query, limit: 50 } }, failures)
      found.push({ query, ids: idsOf(reply).sort() })
    }
    t.false(found.some(({ ids }) => ids.some(id => forgotten.has(id))))
    answers.push(found)
  }
  for (const answer of answers) t.deepEqual(answer, answers.at(-1))
}

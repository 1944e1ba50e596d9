import test from 'ava'
import { pino } from 'pino'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { guildId, startHarbour, withApi } from '../../helpers/discord/daemon.js'
import { cachedMessage, desktopFolder, simpleEntryFile } from '../../helpers/discord/desktop.js'
import { until } from '../../helpers/embedding-fakes.js'
import { filesWith } from '../../helpers/files-below.js'
import { pathsOf, readAgain, settledSource } from '../../helpers/sources.js'

test('messages read from a server over the API are artifacts with channel, author, time and address (sources.md#discord)', async t => {
  const { daemon, channel, add } = await startHarbour(t, ['the crane is broken', 'who repairs it?'])
  const sourceId = await add()
  const source = await settledSource(daemon, sourceId)
  t.like(source, { kind: 'chatguild', name: `Discord ${guildId}`, root: `discord:${guildId}` })
  t.like(source.indexJob, { status: 'complete', partial: false })
  t.is(source.health.status, 'healthy')
  const params = { sourceId }
  const { body } = await daemon.call('GET /api/sources/:sourceId/artifacts', { params })
  t.is(body.total, 3)
  const [first] = channel.messages
  const path = `${guildId}/${channel.channel.id}/${first!.id}`
  t.like(
    body.artifacts.find(({ sourcePath }) => sourcePath === path),
    { kind: 'message', title: '#general', author: 'Ada', updatedAt: first!.timestamp, localOnly: false },
  )
})

test('an invalid request is refused with what to do, and changes nothing', async t => {
  const environment = { HOME: temporaryWorkspace(t) }
  const { daemon, discord } = await startHarbour(t, [], { environment })
  const guildIds = [guildId]
  const tokenRef = 'DISCORD_TOKEN'
  for (const [body, said] of [
    [{ tokenRef }, /guildIds is required/u],
    [{ guildIds }, /tokenRef is required .* memory secrets set/u],
    [{ guildIds, syncMode: 'gateway-tail' }, /tokenRef is required/u],
    [{ guildIds: ['@me'], tokenRef }, /desktop cache/u],
    [{ guildIds: ['general'], tokenRef }, /must be a server ID/u],
    [{ guildIds, tokenRef: discord.token }, /is the name of a secret, not the token/u],
    [{ guildIds, tokenRef: `Bot ${discord.token}` }, /is the name of a secret, not the token/u],
    [{ guildIds, tokenRef, syncMode: 'poll' }, /rest/u],
    [{ guildIds, tokenRef, since: 'yesterday' }, /./u],
    [{ guildIds, tokenRef, maxMessagesPerChannel: 0 }, /./u],
    [{ syncMode: 'desktop-cache' }, /has no data on this machine/u],
    [{ syncMode: 'desktop-cache', desktopCachePath: '/etc' }, /is not a data folder of the Discord app/u],
  ] as const) {
    const reply = await daemon.call('POST /api/sources/chatguild', { body: body as never })
    t.is(reply.status, 400, JSON.stringify(body))
    const text = JSON.stringify(reply.body)
    t.regex(text, said)
    t.false(text.includes(discord.token))
  }
  const { body } = await daemon.call('GET /api/sources')
  t.deepEqual(body.sources, [])
  t.deepEqual(discord.requests, [])
})

test('aliases name the same servers, and adding them again reads them again with the new settings', async t => {
  const { daemon, add } = await startHarbour(t, ['one', 'two', 'three'])
  const first = await add({ guildIds: undefined, guildId, maxMessagesPerChannel: 2 })
  await settledSource(daemon, first)
  t.is((await pathsOf(daemon, first)).length, 3)
  const again = await daemon.call('POST /api/sources/chatguild', {
    body: { guildId, tokenRef: 'DISCORD_TOKEN', name: 'Harbour' },
  })
  t.like(again.body, { created: false, source: { id: first } })
  const source = await settledSource(daemon, first)
  t.is(source.name, 'Harbour')
  t.is((await pathsOf(daemon, first)).length, 4)
})

test('the tail stores messages as they are written, and removing the source closes its connection', async t => {
  const { daemon, discord, channel, add } = await startHarbour(t, ['before'])
  const { gateway, world } = discord
  const sourceId = await add({ syncMode: 'gateway-tail' })
  await until(() => gateway.connected() === 1)
  const written = world.message(channel, 'the lighthouse keeper is on leave')
  gateway.dispatch('MESSAGE_CREATE', { ...written, guild_id: guildId })
  const path = `${guildId}/${channel.channel.id}/${written.id}`
  while (!(await pathsOf(daemon, sourceId)).includes(path));
  const source = await settledSource(daemon, sourceId, ({ indexJob }) => indexJob?.status === 'running')
  t.is(source.health.status, 'healthy')
  gateway.dispatch('MESSAGE_DELETE', { id: written.id, channel_id: channel.channel.id, guild_id: guildId })
  while ((await pathsOf(daemon, sourceId)).includes(path));
  t.true(
    [200, 202].includes(
      (await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId } })).status,
    ),
  )
  await until(() => gateway.connected() === 0)
  t.deepEqual((await daemon.call('GET /api/sources')).body.sources, [])
})

test('a tail resumes after a daemon restart, and pausing it closes the connection', async t => {
  const workspace = temporaryWorkspace(t)
  const { daemon, discord, channel, add } = await startHarbour(t, ['before'], { workspace })
  const { gateway, world } = discord
  const sourceId = await add({ syncMode: 'gateway-tail' })
  await until(() => gateway.connected() === 1)
  const { tables } = daemon.daemon.store
  while ((await tables.sourceNotes.checkpoint(sourceId, 'gateway')) === undefined)
    await new Promise(resolve => setTimeout(resolve, 5))
  await daemon.stop()
  await until(() => gateway.connected() === 0)
  const missed = world.message(channel, 'while nobody listened')
  gateway.dispatch('MESSAGE_CREATE', { ...missed, guild_id: guildId })
  const next = await startDaemon(t, withApi(discord, { workspace }))
  while (!(await pathsOf(next, sourceId)).some(path => path.endsWith(missed.id!)));
  await until(() => gateway.connected() === 1)
  t.is(gateway.identifies.length, 1)
  t.is(gateway.resumes.length, 1)
  await next.call('POST /api/sources/:sourceId/pause', { params: { sourceId } })
  await until(() => gateway.connected() === 0)
})

test('a gateway that refuses, or a refused token, is reported in health with what to do', async t => {
  const { daemon, discord, add } = await startHarbour(t, ['before'])
  discord.gateway.refusesWith = 4014
  const sourceId = await add({ syncMode: 'gateway-tail' })
  const refused = await settledSource(daemon, sourceId, hasFailed)
  t.is(refused.indexJob?.status, 'failed')
  t.is(refused.health.status, 'unhealthy')
  t.regex(refused.health.notes[0] ?? '', /Message Content Intent/u)
  t.is((await pathsOf(daemon, sourceId)).length, 2, 'stored messages stay')
  discord.gateway.refusesWith = undefined
  await daemon.call('POST /api/sources/:sourceId/sync', { params: { sourceId }, body: {} })
  await until(() => discord.gateway.connected() === 1)
  const { tables } = daemon.daemon.store
  while (!(await tables.sourceNotes.checkpoint(sourceId, 'gateway'))?.includes('"refusal":null'))
    await new Promise(resolve => setTimeout(resolve, 5))
  const { body: mended } = await daemon.call('GET /api/sources/:sourceId', { params: { sourceId } })
  t.deepEqual(mended.health.notes, [])
  await daemon.call('POST /api/secrets/:name', {
    params: { name: 'DISCORD_TOKEN' },
    body: { value: 'other' },
  })
  const rest = await add()
  const failed = await settledSource(daemon, rest, hasFailed)
  t.like(failed.indexJob, { status: 'failed' })
  t.regex(failed.indexJob?.statusMessage ?? '', /DISCORD_TOKEN \(401\)/u)
  t.is((await pathsOf(daemon, sourceId)).length, 2)
})

test('denied channels are reported in health with what to do, and keep their rows', async t => {
  const { daemon, channel, add } = await startHarbour(t, ['one'])
  const sourceId = await add()
  await settledSource(daemon, sourceId)
  channel.isForbidden = true
  const source = await readAgain(daemon, sourceId)
  t.is(source.indexJob?.status, 'complete')
  t.like(source.health, { status: 'degraded', permission: { status: 'denied' } })
  t.regex(source.health.permission.issues[0]?.guidance ?? '', /View Channel/u)
  t.is((await pathsOf(daemon, sourceId)).length, 2)
  channel.isForbidden = false
  t.is((await readAgain(daemon, sourceId)).health.status, 'healthy')
})

test('the token appears in no row, log or plaintext file', async t => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => void lines.push(line) })
  const { daemon, discord, add } = await startHarbour(t, ['one'], { log })
  const rest = await add()
  await settledSource(daemon, rest)
  discord.overrides.push(() => ({ status: 400, body: { message: `no ${discord.token}`, code: 1 } }))
  await readAgain(daemon, rest)
  discord.overrides.length = 0
  discord.gateway.refusesWith = 4004
  const source = await settledSource(daemon, await add({ syncMode: 'gateway-tail' }), hasFailed)
  t.is(source.indexJob?.status, 'failed')
  await daemon.stop()
  t.false(lines.join('').includes(discord.token))
  t.deepEqual(filesWith(daemon.paths.root, discord.token), [])
})

test('removing a source during a read ends its requests and removes everything it imported', async t => {
  const texts = Array.from({ length: 400 }, (_, at) => `message ${at}`)
  const { daemon, discord, add } = await startHarbour(t, texts)
  let asked = 0
  discord.overrides.push(({ path }) => {
    if (!path.endsWith('/messages') || ++asked < 3) return undefined
    return { status: 429, body: { message: 'x', retry_after: 60 } }
  })
  const sourceId = await add()
  await until(() => asked === 3)
  await daemon.call('DELETE /api/sources/:sourceId', { params: { sourceId } })
  const { tables } = daemon.daemon.store
  while ((await tables.sources.load(sourceId)) !== undefined)
    await new Promise(resolve => setTimeout(resolve, 5))
  t.is(asked, 3)
  t.is((await daemon.call('GET /api/sources')).body.sources.length, 0)
})

test('the application’s cache is read without a token; direct messages stay on this machine', async t => {
  const home = temporaryWorkspace(t)
  const root = desktopFolder(home, {
    'Cache/Cache_Data/a_0': simpleEntryFile({
      url: 'https://discord.com/api/v9/channels/720000000000000001/messages?limit=50',
      body: [cachedMessage('720000000000000001', '810000000000000002', 'between us')],
      encoding: 'gzip',
    }),
    'Session Storage/1.log': '/channels/@me/720000000000000001',
  })
  const daemon = await startDaemon(t, { environment: { HOME: home, XDG_CONFIG_HOME: '' } })
  const { body: added } = await daemon.call('POST /api/sources/chatguild', {
    body: { syncMode: 'desktop-cache' },
  })
  t.is(added.source.root, root)
  await settledSource(daemon, added.source.id)
  const params = { sourceId: added.source.id }
  const { body } = await daemon.call('GET /api/sources/:sourceId/artifacts', { params })
  t.like(body.artifacts, [{ sourcePath: '@me/720000000000000001/810000000000000002', localOnly: true }])
})

/** A tail's pass completes before its gateway connects, so a failure comes later. */
function hasFailed({ indexJob }: Awaited<ReturnType<typeof settledSource>>): boolean {
  return indexJob?.status === 'failed'
}

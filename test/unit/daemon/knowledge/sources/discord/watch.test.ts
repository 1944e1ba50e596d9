import test, { type ExecutionContext } from 'ava'
import type { DiscordSettings } from '../../../../../../src/contract/knowledge/sources/discord.js'
import { follow } from '../../../../../helpers/discord/follow.js'
import { Rows, readInto } from '../../../../../helpers/discord/rows.js'
import { startDiscord } from '../../../../../helpers/discord/server.js'
import { until } from '../../../../../helpers/embedding-fakes.js'

const guild_id = '700000000000000001'
const guildIds = [guild_id]

/** Connects to a followed server with one channel of one message. */
async function connectedSession(t: ExecutionContext, fields: Partial<DiscordSettings> = {}) {
  const discord = await startDiscord(t)
  const { world, gateway } = discord
  const guild = world.guild(guild_id)
  const channel = world.channel(guild, { name: 'general' })
  world.message(channel, 'before')
  const following = follow(t, discord, { guildIds, ...fields })
  await following.connected()
  /** Writes a message, which the gateway reports. */
  const say = (content: string, to = channel) => {
    const message = world.message(to, content)
    gateway.dispatch('MESSAGE_CREATE', { ...message, guild_id })
    return message
  }
  const { rows } = following
  const told = (...texts: string[]) => until(() => texts.every(text => rows.texts().includes(text)))
  return { discord, world, gateway, guild, channel, following, rows, say, told }
}

test('a new session fills its gap from the API, then receives messages live', async t => {
  const { gateway, rows, say, told, discord } = await connectedSession(t)
  t.deepEqual(rows.texts(), ['before'])
  say('now')
  await told('now')
  t.deepEqual(gateway.identifies, [{ token: discord.token, intents: 1 | (1 << 9) | (1 << 15) }])
})

test('changed and deleted messages are applied, singly and in bulk', async t => {
  const { gateway, channel, rows, say, told } = await connectedSession(t)
  const messages = ['one', 'two', 'three', 'four'].map(text => say(text))
  const [one, two, three, four] = messages
  gateway.dispatch('MESSAGE_UPDATE', { ...one, content: 'one, changed', guild_id })
  const channel_id = channel.channel.id
  gateway.dispatch('MESSAGE_DELETE', { id: two!.id, channel_id, guild_id })
  gateway.dispatch('MESSAGE_DELETE_BULK', { ids: [three!.id, four!.id], channel_id, guild_id })
  say('last')
  await told('last')
  t.deepEqual(rows.texts(), ['before', 'last', 'one, changed'])
})

test('a message changed back before the write is unchanged', async t => {
  const { gateway, rows, channel, say, told } = await connectedSession(t)
  const message = { ...channel.messages[0], guild_id }
  gateway.dispatch('MESSAGE_UPDATE', { ...message, content: 'another' })
  gateway.dispatch('MESSAGE_UPDATE', message)
  say('last')
  await told('last')
  t.deepEqual(rows.texts(), ['before', 'last'])
})

test('a partial update loads its message', async t => {
  const { gateway, channel, rows, told } = await connectedSession(t)
  const message = channel.messages[0]!
  message.content = 'as it is now'
  gateway.dispatch('MESSAGE_UPDATE', { id: message.id, channel_id: channel.channel.id, guild_id, embeds: [] })
  await told('as it is now')
  t.is(rows.texts().length, 1)
})

test('channels and threads are added, renamed and removed with their messages', async t => {
  const { gateway, world, guild, channel, rows, say, told } = await connectedSession(t)
  const thread = world.thread(guild, channel, { name: 'plans' })
  world.message(thread, 'said before the bot was added')
  gateway.dispatch('THREAD_CREATE', thread.channel)
  await told('said before the bot was added')
  Object.assign(channel.channel, { name: 'lobby' })
  gateway.dispatch('CHANNEL_UPDATE', channel.channel)
  gateway.dispatch('THREAD_DELETE', {
    id: thread.channel.id,
    guild_id,
    parent_id: channel.channel.id,
    type: 11,
  })
  guild.channels.delete(thread.channel.id)
  const other = world.channel(guild, { name: 'other' })
  gateway.dispatch('CHANNEL_CREATE', other.channel)
  say('elsewhere', other)
  await told('elsewhere')
  t.deepEqual(rows.texts(), ['before', 'elsewhere'])
  t.deepEqual([...rows.artifacts.values()].map(({ title }) => title).sort(), [
    '#lobby',
    '#lobby',
    '#other',
    '#other',
  ])
})

test('members are added, changed and removed on request', async t => {
  const { gateway, rows, say, told } = await connectedSession(t, { includeMembers: true })
  t.is(gateway.identifies[0]!.intents & 2, 2)
  const user = { id: '800000000000000009', username: 'grace' }
  gateway.dispatch('GUILD_MEMBER_ADD', { guild_id, user, roles: [] })
  gateway.dispatch('GUILD_MEMBER_UPDATE', { guild_id, user, nick: 'Admiral', roles: [] })
  say('one')
  await told('one')
  t.deepEqual(rows.texts('member'), ['Member: Admiral, grace'])
  gateway.dispatch('GUILD_MEMBER_REMOVE', { guild_id, user })
  say('two')
  await told('two')
  t.deepEqual(rows.texts('member'), [])
})

test('a left server is kept and reported; a rejoined one is read again', async t => {
  const { gateway, world, channel, rows, say, told } = await connectedSession(t)
  gateway.dispatch('GUILD_DELETE', { id: guild_id })
  await until(() => rows.faults.length > 0)
  t.deepEqual(rows.texts(), ['before'])
  world.message(channel, 'missed')
  gateway.dispatch('GUILD_CREATE', { id: guild_id })
  await told('missed')
  say('again')
  await told('again')
})

test('messages of other servers and filtered channels are ignored', async t => {
  const { gateway, world, guild, channel, rows, say, told } = await connectedSession(t, {
    channelFilter: ['general'],
  })
  const other = world.channel(guild, { name: 'other' })
  gateway.dispatch('CHANNEL_CREATE', other.channel)
  say('left out', other)
  gateway.dispatch('MESSAGE_CREATE', { ...channel.messages[0], content: 'foreign', guild_id: '7' })
  say('taken')
  await told('taken')
  t.deepEqual(rows.texts(), ['before', 'taken'])
})

for (const code of [1000, 1001, 4000, 4001, 4002, 4005, 4008])
  test(`a close with ${code} is resumed without a gap or an API request`, async t => {
    const { discord, gateway, rows, say, told } = await connectedSession(t)
    discord.requests.length = 0
    gateway.closeAll(code)
    say('meanwhile')
    await told('meanwhile')
    t.is(gateway.identifies.length, 1)
    t.is(gateway.resumes.length, 1)
    t.deepEqual(discord.requests, [])
    t.deepEqual(rows.texts(), ['before', 'meanwhile'])
  })

for (const code of [4003, 4007, 4009])
  test(`a close with ${code} identifies again, and the API fills the gap`, async t => {
    const { gateway, world, channel, following, told } = await connectedSession(t)
    world.message(channel, 'meanwhile')
    gateway.closeAll(code)
    await following.connected(2)
    await told('meanwhile')
    t.deepEqual([gateway.identifies.length, gateway.resumes.length], [2, 0])
  })

for (const code of [4004, 4010, 4011, 4012, 4013, 4014])
  test(`a close with ${code} is final, and the required action is reported`, async t => {
    const discord = await startDiscord(t)
    discord.world.guild(guild_id)
    discord.gateway.refusesWith = code
    const { ended, rows } = follow(t, discord, { guildIds })
    t.is(await ended, undefined)
    t.true(rows.failures[0]?.includes(`(${code})`))
    t.false(rows.failures[0]?.includes(discord.token))
    t.is(discord.gateway.identifies.length, 1)
    t.like(JSON.parse(rows.checkpoints.get('gateway') ?? ''), { refusal: { code } })
  })

test('a broken connection and a reconnect request are resumed', async t => {
  const { gateway, rows, say, told } = await connectedSession(t)
  gateway.cut()
  say('one')
  await told('one')
  gateway.askToReconnect()
  await until(() => gateway.resumes.length === 2)
  say('two')
  await told('two')
  t.is(gateway.identifies.length, 1)
  t.true(gateway.clientCloses.every(code => code !== 1000))
  t.deepEqual(rows.texts(), ['before', 'one', 'two'])
})

test('an invalid session is resumed if allowed, otherwise identifies again after a second', async t => {
  const { gateway, following, say, told } = await connectedSession(t)
  gateway.invalidate(true)
  await until(() => gateway.resumes.length === 1)
  gateway.invalidate(false)
  await following.connected(2)
  t.true(following.waits.at(-1)! >= 1000)
  say('after')
  await told('after')
})

test('a forgotten session becomes a new one, and its gap is filled', async t => {
  const { gateway, world, channel, following, told } = await connectedSession(t)
  gateway.forgetsSessions = true
  world.message(channel, 'meanwhile')
  gateway.closeAll(4000)
  await following.connected(2)
  await told('meanwhile')
  t.is(gateway.resumes.length, 1)
})

test('heartbeats carry the last sequence, and a requested one is sent at once', async t => {
  const { gateway, following, say, told } = await connectedSession(t)
  say('one')
  await told('one')
  const before = gateway.heartbeats.length
  gateway.askForHeartbeat()
  await until(() => gateway.heartbeats.length > before)
  t.is(gateway.heartbeats.at(-1), following.session()!.sequence)
})

test('an unanswered heartbeat closes the connection, which is resumed', async t => {
  const discord = await startDiscord(t)
  const { world, gateway } = discord
  const channel = world.channel(world.guild(guild_id), { name: 'general' })
  gateway.heartbeatIntervalMs = 200
  const { rows, session } = follow(t, discord, { guildIds })
  await until(() => session() !== null)
  // The next connection must not be closed on a slow machine.
  gateway.heartbeatIntervalMs = 40_000
  const identified = gateway.identifies.length
  const resumed = gateway.resumes.length
  gateway.answersHeartbeats = false
  await until(() => gateway.resumes.length > resumed)
  gateway.answersHeartbeats = true
  const message = world.message(channel, 'still heard')
  gateway.dispatch('MESSAGE_CREATE', { ...message, guild_id })
  await until(() => rows.texts().includes('still heard'))
  t.is(gateway.identifies.length, identified)
  t.true(gateway.clientCloses.includes(4000))
})

test('the session survives a daemon restart and resumes after the last stored event', async t => {
  const { discord, gateway, following, rows, say, told } = await connectedSession(t)
  say('one')
  await told('one')
  await until(() => following.session()!.sequence === 2)
  await following.stop()
  await until(() => gateway.connected() === 0)
  say('while nobody listened')
  const next = follow(t, discord, { guildIds }, rows)
  await until(() => rows.texts().includes('while nobody listened'))
  t.is(gateway.identifies.length, 1)
  t.deepEqual(gateway.resumes, [{ session_id: 'session-1', seq: 2 } as never])
  await next.stop()
})

test('a pass after a live session does not list the same messages again', async t => {
  const { discord, channel, following, rows, say, told } = await connectedSession(t)
  for (let at = 0; at < 150; at++) say(`said ${at}`)
  await told('said 149')
  await following.stop()
  discord.requests.length = 0
  await readInto(rows, discord, { guildIds })
  t.is(discord.count(`/channels/${channel.channel.id}/messages`), 1)
})

test('events that arrive during the gap fill are applied after it', async t => {
  const discord = await startDiscord(t)
  const { world, gateway } = discord
  const channel = world.channel(world.guild(guild_id), { name: 'general' })
  const message = world.message(channel, 'gone at once')
  let told = false
  discord.overrides.push(({ path }) => {
    if (!path.endsWith('/messages') || told) return undefined
    told = true
    gateway.dispatch('MESSAGE_DELETE', { id: message.id, channel_id: channel.channel.id, guild_id })
    gateway.dispatch('MESSAGE_CREATE', { ...world.message(channel, 'last'), guild_id })
    return undefined
  })
  const { rows } = follow(t, discord, { guildIds })
  await until(() => rows.texts().includes('last'))
  await until(() => JSON.parse(rows.checkpoints.get('gateway') ?? '{}').session?.sequence === 3)
  t.deepEqual(rows.texts(), ['last'])
})

test('without session starts left the source pauses until they reset', async t => {
  const discord = await startDiscord(t)
  discord.world.guild(guild_id)
  discord.gateway.sessionStarts = { remaining: 0, reset_after: 3_600_000 }
  const { ended, rows } = follow(t, discord, { guildIds })
  t.is(await ended, undefined)
  t.like(rows.pauses[0], { reason: 'rate_limited', retryAfterMs: 3_600_000 })
  t.deepEqual(discord.gateway.identifies, [])
})

test('the token is never sent to another gateway', async t => {
  const discord = await startDiscord(t)
  discord.world.guild(guild_id)
  const rows = new Rows()
  const session = { id: 'session-1', resumeUrl: 'ws://elsewhere.example/', sequence: 1 }
  rows.checkpoints.set('gateway', JSON.stringify({ session, refusal: null }))
  const { connected } = follow(t, discord, { guildIds }, rows)
  await until(() => discord.gateway.identifies.length === 1)
  await connected()
  t.deepEqual(discord.gateway.resumes, [])
})

// runs: alone

import test, { type ExecutionContext } from 'ava'
import { Rows, readInto } from '../../../../../helpers/discord/rows.js'
import { type DiscordOptions, startDiscord } from '../../../../../helpers/discord/server.js'

/** Waits between attempts that a test has no time for. */
const wait = async () => undefined
const guildIds = ['700000000000000001']

/** A server with one channel of so many messages. */
async function harbour(t: ExecutionContext, messages: number, options: DiscordOptions = {}) {
  const discord = await startDiscord(t, options)
  const { world } = discord
  const guild = world.guild(guildIds[0]!)
  const channel = world.channel(guild, { name: 'general', topic: 'Tides and boats' })
  for (let at = 1; at <= messages; at++) world.message(channel, `message ${at}`)
  return { discord, world, guild, channel, rows: new Rows() }
}

test('a channel is read whole, a hundred messages a request, as one artifact a message', async t => {
  const { discord, channel, rows } = await harbour(t, 250)
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 250)
  t.is(discord.count(`/channels/${channel.channel.id}/messages`), 3)
  const first = channel.messages[0]!
  const artifact = rows.artifacts.get(`${guildIds[0]}/${channel.channel.id}/${first.id}`)
  t.like(artifact, { kind: 'message', title: '#general', author: 'Ada', text: 'message 1', names: ['Ada'] })
  t.is(artifact?.updatedAt, first.timestamp)
  t.is(artifact?.url, `https://discord.com/channels/${guildIds[0]}/${channel.channel.id}/${first.id}`)
  t.deepEqual(rows.texts('channel'), ['#general\nTides and boats'])
})

test('another pass asks for one page of a channel, and writes nothing where nothing changed', async t => {
  const { discord, channel, rows } = await harbour(t, 250)
  await readInto(rows, discord, { guildIds })
  discord.requests.length = 0
  await readInto(rows, discord, { guildIds })
  t.is(discord.count(`/channels/${channel.channel.id}/messages`), 1)
  t.deepEqual(rows.written, [])
})

test('new, changed and deleted messages among the newest are seen by the next pass, however many are new', async t => {
  const { discord, world, channel, rows } = await harbour(t, 150)
  await readInto(rows, discord, { guildIds })
  for (let at = 1; at <= 230; at++) world.message(channel, `later ${at}`)
  Object.assign(channel.messages[149]!, { content: 'changed', edited_timestamp: '2024-03-02T10:00:00Z' })
  channel.messages.splice(148, 1)
  await readInto(rows, discord, { guildIds })
  const texts = rows.texts()
  t.is(texts.length, 149 + 230)
  t.true(texts.includes('changed'))
  t.false(texts.includes('message 149'))
})

test('a full pass sees changes and deletions far up', async t => {
  const { discord, channel, rows } = await harbour(t, 350)
  await readInto(rows, discord, { guildIds })
  channel.messages.splice(3, 5)
  channel.messages[0]!.content = 'another first'
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 350)
  await readInto(rows, discord, { guildIds }, { full: true })
  t.is(rows.texts().length, 345)
  t.true(rows.texts().includes('another first'))
})

test('the first messages of a channel are gone once the listing has come to its end, also at a full page', async t => {
  for (const count of [150, 200]) {
    const { discord, channel, rows } = await harbour(t, count + 7)
    await readInto(rows, discord, { guildIds })
    channel.messages.splice(0, 7)
    await readInto(rows, discord, { guildIds }, { full: true })
    t.is(rows.texts().length, count)
  }
})

test('a pass that is cut short at any place goes on there: nothing is missing, nothing is twice', async t => {
  const { discord, world, guild, channel } = await harbour(t, 230)
  const thread = world.thread(guild, channel, { name: 'plans' })
  for (let at = 1; at <= 130; at++) world.message(thread, `plan ${at}`)
  const whole = new Rows()
  await readInto(whole, discord, { guildIds })
  for (const stopAfter of [1, 5, 60, 105, 106, 150, 205, 240, 300, 350]) {
    const rows = new Rows()
    await readInto(rows, discord, { guildIds }, { stopAfter })
    await readInto(rows, discord, { guildIds }, { stopAfter: 40 })
    discord.requests.length = 0
    await readInto(rows, discord, { guildIds })
    t.deepEqual(
      [...rows.artifacts.keys()].sort(),
      [...whole.artifacts.keys()].sort(),
      `cut after ${stopAfter}`,
    )
  }
})

test('at most so many messages are read of a channel, the newest, and none from before a time', async t => {
  const { discord, channel, rows } = await harbour(t, 250)
  await readInto(rows, discord, { guildIds, maxMessagesPerChannel: 120 })
  t.is(rows.texts().length, 120)
  t.false(rows.texts().includes('message 130'))
  const since = channel.messages[200]!.timestamp!
  const recent = new Rows()
  await readInto(recent, discord, { guildIds, since })
  t.is(recent.texts().length, 50)
  await readInto(recent, discord, { guildIds, since: null })
  t.is(recent.texts().length, 250, 'a wider setting reads what was left out')
})

test('rate limits are kept: a bucket that is used up is waited for, and no request is refused', async t => {
  const { discord, rows } = await harbour(t, 900, { limit: { requests: 3, windowMs: 120 } })
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 900)
  t.is(discord.requests.filter(({ status }) => status === 429).length, 0)
})

test('a refusal says how long to wait, for a route or for everything, and from a proxy too', async t => {
  const refusals: [body: string | object, headers: Record<string, string>][] = [
    [{ message: 'x', retry_after: 0.05, global: false }, {}],
    [{ message: 'x', retry_after: 0.05, global: true }, { 'x-ratelimit-global': 'true' }],
    ['<html>error 1015</html>', { 'retry-after': '0' }],
  ]
  for (const [body, headers] of refusals) {
    const { discord, rows } = await harbour(t, 3)
    let left = 2
    discord.overrides.push(({ path }) => {
      if (!path.endsWith('/messages') || left-- <= 0) return undefined
      return { status: 429, body, headers, ...(typeof body === 'string' && { raw: body }) }
    })
    const began = performance.now()
    await readInto(rows, discord, { guildIds })
    t.is(rows.texts().length, 3)
    if (typeof body !== 'string') t.true(performance.now() - began >= 95)
  }
})

test('a wait of many minutes pauses the pass at its channel; the next one goes on', async t => {
  const { discord, channel, rows } = await harbour(t, 250)
  discord.overrides.push(({ query }) =>
    query.has('before') ? { status: 429, body: { message: 'x', retry_after: 3600 } } : undefined,
  )
  await readInto(rows, discord, { guildIds })
  const frontier = `${guildIds[0]}/${channel.channel.id}`
  t.like(rows.pauses[0], { reason: 'rate_limited', frontier })
  t.true((rows.pauses[0]?.retryAfterMs ?? 0) > 3_590_000)
  t.is(rows.texts().length, 100)
  discord.overrides.length = 0
  await readInto(rows, discord, { guildIds }, { frontier })
  t.is(rows.texts().length, 250)
})

test('faults of the server are asked again', async t => {
  const { discord, rows } = await harbour(t, 3)
  const faults = [
    { status: 502, body: null, raw: '<html>bad gateway</html>' },
    'hang up',
    { status: 200, body: null, raw: '[{"id": "1' },
  ] as const
  let at = 0
  discord.overrides.push(({ path }) => (path.endsWith('/messages') ? faults[at++] : undefined))
  await readInto(rows, discord, { guildIds }, { wait })
  t.is(rows.texts().length, 3)
})

test('a server that stays down pauses the pass, and nothing is taken for gone', async t => {
  const { discord, rows } = await harbour(t, 3)
  await readInto(rows, discord, { guildIds })
  discord.overrides.push(({ path }) => (path.endsWith('/messages') ? { status: 503, body: {} } : undefined))
  await readInto(rows, discord, { guildIds }, { wait })
  t.like(rows.pauses[0], { reason: 'provider_unavailable' })
  t.is(rows.texts().length, 3)
})

test('a list with something in it that is no message counts as no answer: nothing is taken for gone', async t => {
  const { discord, world, channel, rows } = await harbour(t, 3)
  await readInto(rows, discord, { guildIds })
  const [one, , three] = channel.messages
  discord.overrides.push(({ path }) =>
    path.endsWith('/messages')
      ? { status: 200, body: [world.shown(three!), { half: true }, world.shown(one!)] }
      : undefined,
  )
  await readInto(rows, discord, { guildIds }, { wait })
  t.is(rows.pauses.length, 1)
  t.is(rows.texts().length, 3)
})

test('401 stops everything at once, and names the reference, never the token', async t => {
  const { discord, rows } = await harbour(t, 3)
  await readInto(rows, discord, { guildIds })
  discord.requests.length = 0
  const secret = async () => 'another.token.of-a-bot'
  await readInto(rows, discord, { guildIds }, { secret })
  t.regex(rows.failures[0] ?? '', /DISCORD_TOKEN/u)
  t.false(rows.failures[0]?.includes('another.token'))
  t.is(discord.requests.length, 1)
  t.is(rows.texts().length, 3)
})

test('403 skips that channel, says so, and deletes nothing of it', async t => {
  const { discord, world, guild, channel, rows } = await harbour(t, 3)
  const other = world.channel(guild, { name: 'other' })
  world.message(other, 'elsewhere')
  await readInto(rows, discord, { guildIds })
  channel.isForbidden = true
  world.message(other, 'elsewhere still')
  await readInto(rows, discord, { guildIds })
  t.deepEqual(rows.texts(), ['elsewhere', 'elsewhere still', 'message 1', 'message 2', 'message 3'])
  t.like(rows.faults, [{ path: `${guildIds[0]}/${channel.channel.id}`, isRecoverable: true }])
  t.regex(rows.faults[0]?.guidance ?? '', /View Channel/u)
})

test('a channel whose history is hidden looks empty: nothing is gone, and it is told', async t => {
  const { discord, channel, rows } = await harbour(t, 3)
  await readInto(rows, discord, { guildIds })
  channel.hidesHistory = true
  await readInto(rows, discord, { guildIds }, { full: true })
  t.is(rows.texts().length, 3)
  t.regex(rows.faults[0]?.guidance ?? '', /Read Message History/u)
})

test('a channel that was emptied is empty', async t => {
  const { discord, channel, rows } = await harbour(t, 3)
  await readInto(rows, discord, { guildIds })
  channel.messages.length = 0
  await readInto(rows, discord, { guildIds })
  t.deepEqual(rows.texts(), [])
  t.is(rows.texts('channel').length, 1)
})

test('a deleted channel goes with all of it; one that is only not listed stays', async t => {
  const { discord, world, guild, channel, rows } = await harbour(t, 3)
  const other = world.channel(guild, { name: 'other' })
  world.message(other, 'elsewhere')
  await readInto(rows, discord, { guildIds })
  discord.overrides.push(({ path }) =>
    path === `/guilds/${guildIds[0]}/channels` ? { status: 200, body: [] } : undefined,
  )
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 4, 'a listing that leaves something out is no proof')
  guild.channels.delete(channel.channel.id)
  await readInto(rows, discord, { guildIds })
  t.deepEqual(rows.texts(), ['elsewhere'])
})

test('a server that the bot is not in any more is told of, and nothing of it is gone', async t => {
  const { discord, world, rows } = await harbour(t, 3)
  await readInto(rows, discord, { guildIds })
  world.guilds.clear()
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 3)
  t.regex(rows.faults[0]?.guidance ?? '', /invite the bot/u)
})

test('a pass ends with its signal, between two requests and within a wait', async t => {
  const { discord, rows } = await harbour(t, 3)
  const stop = new AbortController()
  discord.overrides.push(({ path }) => {
    if (!path.endsWith('/messages')) return undefined
    setImmediate(() => stop.abort(new Error('removed')))
    return { status: 429, body: { message: 'x', retry_after: 60 } }
  })
  await t.throwsAsync(readInto(rows, discord, { guildIds }, { signal: stop.signal }), { message: 'removed' })
})

test('messages that come without their content mean that the intent is off: that is told, and what is known stays', async t => {
  const { discord, world, channel, rows } = await harbour(t, 3)
  await readInto(rows, discord, { guildIds })
  t.deepEqual(rows.faults, [])
  world.messageContentIntent = false
  await readInto(rows, discord, { guildIds }, { full: true })
  t.deepEqual(rows.texts(), ['message 1', 'message 2', 'message 3'])
  t.regex(rows.statuses.at(-1) ?? '', /message content intent is off/u)
  t.regex(rows.faults[0]?.guidance ?? '', /Message Content Intent/u)
  world.messageContentIntent = true
  for (const message of channel.messages) Object.assign(message, { content: '', sticker_items: [] })
  world.message(channel, 'one that speaks')
  await readInto(rows, discord, { guildIds })
  t.deepEqual(rows.faults, [], 'one message with content proves that it is on')
})

// runs: alone

import test, { type ExecutionContext } from 'ava'
import { Rows, readInto } from '../../../../../helpers/discord/rows.js'
import { type DiscordOptions, startDiscord } from '../../../../../helpers/discord/server.js'

/** Skips the delays between attempts. */
const wait = async () => undefined
const guildIds = ['700000000000000001']

/** Starts a server with one channel and the given number of messages. */
async function startServer(t: ExecutionContext, messages: number, options: DiscordOptions = {}) {
  const discord = await startDiscord(t, options)
  const { world } = discord
  const guild = world.guild(guildIds[0]!)
  const channel = world.channel(guild, { name: 'general', topic: 'Tides and boats' })
  for (let at = 1; at <= messages; at++) world.message(channel, `message ${at}`)
  return { discord, world, guild, channel, rows: new Rows() }
}

test('a channel is read completely, 100 messages per request, one artifact per message', async t => {
  const { discord, channel, rows } = await startServer(t, 250)
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

test('the next pass requests one page per channel and writes nothing if nothing changed', async t => {
  const { discord, channel, rows } = await startServer(t, 250)
  await readInto(rows, discord, { guildIds })
  discord.requests.length = 0
  await readInto(rows, discord, { guildIds })
  t.is(discord.count(`/channels/${channel.channel.id}/messages`), 1)
  t.deepEqual(rows.written, [])
})

test('the next pass sees new, changed and deleted messages among the newest', async t => {
  const { discord, world, channel, rows } = await startServer(t, 150)
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

test('a full pass sees older changes and deletions', async t => {
  const { discord, channel, rows } = await startServer(t, 350)
  await readInto(rows, discord, { guildIds })
  channel.messages.splice(3, 5)
  channel.messages[0]!.content = 'another first'
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 350)
  await readInto(rows, discord, { guildIds }, { full: true })
  t.is(rows.texts().length, 345)
  t.true(rows.texts().includes('another first'))
})

test('the first messages of a channel are deleted once the listing reached its end', async t => {
  for (const count of [150, 200]) {
    const { discord, channel, rows } = await startServer(t, count + 7)
    await readInto(rows, discord, { guildIds })
    channel.messages.splice(0, 7)
    await readInto(rows, discord, { guildIds }, { full: true })
    t.is(rows.texts().length, count)
  }
})

test('an interrupted pass resumes without missing or duplicate messages', async t => {
  const { discord, world, guild, channel } = await startServer(t, 230)
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

test('only the newest messages of a channel are read, up to a count and back to a time', async t => {
  const { discord, channel, rows } = await startServer(t, 250)
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

test('rate limits are respected, so no request is refused', async t => {
  const { discord, rows } = await startServer(t, 900, { limit: { requests: 3, windowMs: 120 } })
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 900)
  t.is(discord.requests.filter(({ status }) => status === 429).length, 0)
})

test('a rate limit reply sets the wait, for one route or all, even from a proxy', async t => {
  const refusals: [body: string | object, headers: Record<string, string>][] = [
    [{ message: 'x', retry_after: 0.05, global: false }, {}],
    [{ message: 'x', retry_after: 0.05, global: true }, { 'x-ratelimit-global': 'true' }],
    ['<html>error 1015</html>', { 'retry-after': '0' }],
  ]
  for (const [body, headers] of refusals) {
    const { discord, rows } = await startServer(t, 3)
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

test('a long wait pauses the pass at its channel, and the next pass continues', async t => {
  const { discord, channel, rows } = await startServer(t, 250)
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

test('server faults are retried', async t => {
  const { discord, rows } = await startServer(t, 3)
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

test('an unavailable server pauses the pass, and nothing is deleted', async t => {
  const { discord, rows } = await startServer(t, 3)
  await readInto(rows, discord, { guildIds })
  discord.overrides.push(({ path }) => (path.endsWith('/messages') ? { status: 503, body: {} } : undefined))
  await readInto(rows, discord, { guildIds }, { wait })
  t.like(rows.pauses[0], { reason: 'provider_unavailable' })
  t.is(rows.texts().length, 3)
})

test('a malformed list is a failed reply, and nothing is deleted', async t => {
  const { discord, world, channel, rows } = await startServer(t, 3)
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

test('status 401 ends the pass and names the reference, never the token', async t => {
  const { discord, rows } = await startServer(t, 3)
  await readInto(rows, discord, { guildIds })
  discord.requests.length = 0
  const secret = async () => 'another.token.of-a-bot'
  await readInto(rows, discord, { guildIds }, { secret })
  t.regex(rows.failures[0] ?? '', /DISCORD_TOKEN/u)
  t.false(rows.failures[0]?.includes('another.token'))
  t.is(discord.requests.length, 1)
  t.is(rows.texts().length, 3)
})

test('status 403 skips and reports the channel, and deletes nothing', async t => {
  const { discord, world, guild, channel, rows } = await startServer(t, 3)
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

test('a channel with hidden history is reported, and nothing is deleted', async t => {
  const { discord, channel, rows } = await startServer(t, 3)
  await readInto(rows, discord, { guildIds })
  channel.hidesHistory = true
  await readInto(rows, discord, { guildIds }, { full: true })
  t.is(rows.texts().length, 3)
  t.regex(rows.faults[0]?.guidance ?? '', /Read Message History/u)
})

test('an emptied channel loses its messages', async t => {
  const { discord, channel, rows } = await startServer(t, 3)
  await readInto(rows, discord, { guildIds })
  channel.messages.length = 0
  await readInto(rows, discord, { guildIds })
  t.deepEqual(rows.texts(), [])
  t.is(rows.texts('channel').length, 1)
})

test('a deleted channel is removed with its messages, an unlisted one is kept', async t => {
  const { discord, world, guild, channel, rows } = await startServer(t, 3)
  const other = world.channel(guild, { name: 'other' })
  world.message(other, 'elsewhere')
  await readInto(rows, discord, { guildIds })
  discord.overrides.push(({ path }) =>
    path === `/guilds/${guildIds[0]}/channels` ? { status: 200, body: [] } : undefined,
  )
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 4, 'a listing may be incomplete')
  guild.channels.delete(channel.channel.id)
  await readInto(rows, discord, { guildIds })
  t.deepEqual(rows.texts(), ['elsewhere'])
})

test('a server that the bot left is reported and kept', async t => {
  const { discord, world, rows } = await startServer(t, 3)
  await readInto(rows, discord, { guildIds })
  world.guilds.clear()
  await readInto(rows, discord, { guildIds })
  t.is(rows.texts().length, 3)
  t.regex(rows.faults[0]?.guidance ?? '', /invite the bot/u)
})

test('a pass ends with its signal, between requests and during a wait', async t => {
  const { discord, rows } = await startServer(t, 3)
  const stop = new AbortController()
  discord.overrides.push(({ path }) => {
    if (!path.endsWith('/messages')) return undefined
    setImmediate(() => stop.abort(new Error('removed')))
    return { status: 429, body: { message: 'x', retry_after: 60 } }
  })
  await t.throwsAsync(readInto(rows, discord, { guildIds }, { signal: stop.signal }), { message: 'removed' })
})

test('messages without content report the missing intent, and known text is kept', async t => {
  const { discord, world, channel, rows } = await startServer(t, 3)
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

import test, { type ExecutionContext } from 'ava'
import type { DiscordSettings } from '../../../../../../src/contract/knowledge/sources/discord.js'
import { Rows, readInto } from '../../../../../helpers/discord/rows.js'
import { startDiscord } from '../../../../../helpers/discord/server.js'
import { attachment, botUser } from '../../../../../helpers/discord/world.js'

const guildIds = ['700000000000000001']
const user = (id: string, username: string) => ({ id, username }) as never

/** Starts a server with one channel, which tests extend. */
async function startServer(t: ExecutionContext) {
  const discord = await startDiscord(t)
  const guild = discord.world.guild(guildIds[0]!)
  const channel = discord.world.channel(guild, { name: 'general' })
  const rows = new Rows()
  const read = (fields: Partial<DiscordSettings> = {}) => readInto(rows, discord, { guildIds, ...fields })
  return { discord, world: discord.world, guild, channel, rows, read }
}

test('embeds, polls, forwards, components, stickers and attachments are all read', async t => {
  const { world, channel, rows, read } = await startServer(t)
  const fields = {
    embeds: [
      {
        title: 'Tide table',
        url: 'https://example.com',
        description: 'High at nine',
        author: { name: 'Harbour office' },
        fields: [{ name: 'Low', value: 'at three', inline: true }],
        footer: { text: 'updated daily' },
      },
    ],
    poll: {
      question: { text: 'Which crane?' },
      answers: [
        { answer_id: 1, poll_media: { text: 'North' } },
        { answer_id: 2, poll_media: { text: 'South' } },
      ],
      results: { is_finalized: true, answer_counts: [{ id: 1, count: 3, me_voted: false }] },
    },
    components: [
      {
        type: 17,
        components: [
          {
            type: 9,
            components: [{ type: 10, content: 'In a section' }],
            accessory: { type: 2, label: 'Book' },
          },
        ],
      },
      {
        type: 1,
        components: [
          { type: 3, placeholder: 'Choose', options: [{ label: 'Monday', description: 'early' }] },
        ],
      },
      { type: 12, items: [{ media: {}, description: 'The quay at night' }] },
    ],
    sticker_items: [{ id: '1', name: 'Anchor', format_type: 1 }],
    attachments: [attachment({ id: '5', filename: 'plan.pdf', url: 'https://cdn.discordapp.com/x' }, 10)],
    message_snapshots: [
      { message: { content: 'Forwarded words', embeds: [{ title: 'Forwarded page' }], attachments: [] } },
    ],
  }
  world.message(channel, '', fields as never)
  await read()
  const [text = ''] = rows.texts()
  for (const part of [
    '**Tide table** <https://example.com>',
    'High at nine',
    'Harbour office',
    'Low: at three',
    'updated daily',
    'Poll: Which crane? (closed)',
    '- North (3 votes)',
    '- South (0 votes)',
    'In a section',
    'Book',
    'Choose',
    'Monday',
    'early',
    'The quay at night',
    'Sticker: Anchor',
    'Attachment: plan.pdf',
    'Forwarded:\nForwarded words\n**Forwarded page**',
  ])
    t.true(text.includes(part), part)
  await read({ includeEmbeds: false, includePolls: false, includeAttachments: false })
  t.notRegex(rows.texts()[0] ?? '', /Tide table|Which crane|plan\.pdf/u)
})

test('a message shows names for ids, times, and the beginning of the message it answers', async t => {
  const { world, guild, channel, rows, read } = await startServer(t)
  guild.roles.push({ id: '600000000000000001', name: 'pilots' })
  const first = world.message(channel, 'who has the keys?')
  const mentions = [
    { ...(user('800000000000000002', 'grace') as object), member: { nick: 'Admiral' } },
  ] as never
  world.message(
    channel,
    `<@800000000000000002> and <@&600000000000000001> in <#${channel.channel.id}> <:ship:1> <t:1709287200:R> <@9>`,
    {
      type: 19,
      mentions,
      referenced_message: first as never,
      message_reference: {
        message_id: first.id,
        channel_id: channel.channel.id,
        guild_id: guild.id,
      } as never,
    },
  )
  await read()
  const answer = [...rows.artifacts.values()].find(({ text }) => text.startsWith('>'))
  t.is(
    answer?.text,
    '> Ada: who has the keys?\n\n@Admiral and @pilots in #general :ship: 2024-03-01T10:00:00.000Z <@9>',
  )
  t.deepEqual(answer?.links, [{ to: `${guild.id}/${channel.channel.id}/${first.id}` }])
})

test('system messages of Discord are skipped', async t => {
  const { world, channel, rows, read } = await startServer(t)
  world.message(channel, '', { type: 7 })
  world.message(channel, '', { type: 6 })
  await read()
  t.deepEqual(rows.texts(), [])
  t.deepEqual(rows.faults, [])
})

test('threads of all kinds are read; missing access to private archives is reported', async t => {
  const { world, guild, channel, rows, read } = await startServer(t)
  const forum = world.channel(guild, {
    name: 'help',
    type: 15,
    available_tags: [{ id: '650000000000000001', name: 'solved' }],
  } as never)
  const post = world.thread(guild, forum, { name: 'Mooring lines' })
  Object.assign(post.channel, { applied_tags: ['650000000000000001'] })
  world.message(post, 'in a forum')
  world.message(world.thread(guild, channel, { name: 'active' }), 'in an active thread')
  for (let at = 0; at < 130; at++) {
    const archived = new Date(Date.parse('2024-02-01') + at * 1000).toISOString()
    world.message(world.thread(guild, channel, { name: `old ${at}`, archived }), `archived ${at}`)
  }
  const joined = world.thread(guild, channel, { name: 'board', type: 12, archived: '2024-01-02T00:00:00Z' })
  joined.threadMembers = [
    { id: joined.channel.id, user_id: botUser.id, join_timestamp: '', flags: 0 as never },
  ]
  world.message(joined, 'private, with the bot')
  const secret = world.thread(guild, channel, { name: 'secret', type: 12, archived: '2024-01-03T00:00:00Z' })
  world.message(secret, 'private, without the bot')
  await read()
  t.is(rows.texts().length, 132)
  const shown = [...rows.artifacts.values()].find(({ title }) => title === '#help > Mooring lines')
  t.deepEqual([shown?.names, shown?.text], [['solved'], '#help > Mooring lines\nTags: solved'])
  channel.hidesPrivateThreads = true
  await read({ includePrivateArchivedThreads: true })
  t.is(rows.texts().length, 133)
  t.true(rows.texts().includes('private, with the bot'))
  t.regex(rows.faults[0]?.guidance ?? '', /Manage Threads/u)
  channel.hidesPrivateThreads = false
  await read({ includePrivateArchivedThreads: true })
  t.is(rows.texts().length, 134)
  t.deepEqual(rows.faults, [])
  const none = new Rows()
  const { discord } = { discord: await startDiscord(t) }
  discord.world.guilds.set(guild.id, guild)
  await readInto(none, discord, { guildIds, includeThreads: false })
  t.deepEqual(none.texts(), [])
})

test('an archived thread without changes is not requested again', async t => {
  const { discord, world, guild, channel, read } = await startServer(t)
  const thread = world.thread(guild, channel, { name: 'old', archived: '2024-02-01T00:00:00Z' })
  world.message(thread, 'long ago')
  await read()
  discord.requests.length = 0
  await read()
  t.is(discord.count(`/channels/${thread.channel.id}/messages`), 0)
})

test('members are read on request; without the intent this is reported and they are kept', async t => {
  const { world, guild, channel, rows, read } = await startServer(t)
  guild.roles.push({ id: '600000000000000001', name: 'pilots' })
  const member = (id: string, username: string, fields: object = {}) =>
    ({ user: user(id, username), roles: [], joined_at: '2024-01-01T00:00:00Z', ...fields }) as never
  guild.members.push(
    member('800000000000000002', 'grace', { nick: 'Admiral', roles: ['600000000000000001'] }),
  )
  guild.members.push(member('800000000000000003', 'alan'))
  const thread = world.thread(guild, channel, { name: 'plans' })
  thread.threadMembers = [
    {
      id: thread.channel.id,
      user_id: '800000000000000003',
      join_timestamp: '',
      flags: 0 as never,
      member: member('800000000000000003', 'alan'),
    },
  ]
  const asked = { includeMembers: true, includeThreadMembers: true }
  await read(asked)
  t.deepEqual(rows.texts('member'), [
    'Member: Admiral, grace\nRoles: pilots\nJoined: 2024-01-01',
    'Member: alan\nJoined: 2024-01-01',
  ])
  t.deepEqual(rows.texts('thread'), ['#general > plans\nMembers: alan'])
  guild.members.pop()
  await read(asked)
  t.is(rows.texts('member').length, 1)
  guild.hidesMembers = true
  await read(asked)
  t.is(rows.texts('member').length, 1)
  t.regex(rows.faults[0]?.guidance ?? '', /Server Members Intent/u)
})

test('text attachments are read once, up to the limit; binary and foreign ones are not', async t => {
  const { discord, world, channel, rows, read } = await startServer(t)
  const log = discord.file('build.log', `${'ä'.repeat(60)}\nthe end`)
  const files = [
    attachment(
      { id: '400000000000000001', filename: 'build.log', url: log, type: 'text/plain; charset=utf-8' },
      128,
    ),
    attachment(
      { id: '400000000000000002', filename: 'notes.md', url: discord.file('notes.md', '# Notes') },
      7,
    ),
    attachment(
      {
        id: '400000000000000003',
        filename: 'crane.png',
        url: discord.file('crane.png', 'PNG'),
        type: 'image/png',
      },
      3,
    ),
    attachment(
      {
        id: '400000000000000004',
        filename: 'odd.txt',
        url: discord.file('odd.txt', Buffer.from([65, 0, 66])),
        type: 'text/plain',
      },
      3,
    ),
    attachment(
      {
        id: '400000000000000005',
        filename: 'else.txt',
        url: 'http://127.0.0.1:9/else.txt',
        type: 'text/plain',
      },
      3,
    ),
    attachment({ id: '400000000000000006', filename: 'gone.txt', url: `${log}-gone`, type: 'text/plain' }, 3),
  ]
  const message = world.message(channel, 'see', { attachments: files })
  await read()
  t.deepEqual(rows.texts('attachment'), [], 'only where it is asked for')
  await read({ includeAttachmentText: true, maxAttachmentTextBytes: 101 })
  const path = `${guildIds[0]}/${channel.channel.id}/${message.id}`
  t.deepEqual(rows.texts('attachment'), [
    `build.log\n\n${'ä'.repeat(50)}\n\n(only the first 101 bytes were read)`,
    'notes.md\n\n# Notes',
  ])
  t.like(rows.artifacts.get(`${path}/400000000000000002`), {
    title: '#general',
    author: 'Ada',
    names: ['notes.md'],
  })
  t.is(rows.faults.length, 2)
  t.is(discord.count('/files/crane.png'), 0)
  t.true(
    discord.requests
      .filter(({ path: asked }) => asked.startsWith('/files/'))
      .every(({ headers }) => !headers.authorization),
  )
  discord.requests.length = 0
  await read({ includeAttachmentText: true, maxAttachmentTextBytes: 101 })
  t.is(discord.count('/files/build.log'), 0)
  channel.messages.length = 0
  world.message(channel, 'another')
  await read({ includeAttachmentText: true, maxAttachmentTextBytes: 101 })
  t.deepEqual(rows.texts('attachment'), [], 'they go with their message')
})

test('a filter selects channels by id and name with their content, and drops others', async t => {
  const { world, guild, channel, rows, read } = await startServer(t)
  const category = world.channel(guild, { name: 'Docks', type: 4 })
  const dock = world.channel(guild, { name: 'dock-1', parent_id: category.channel.id } as never)
  world.message(channel, 'in general')
  world.message(dock, 'at the dock')
  world.message(world.thread(guild, dock, { name: 'ropes' }), 'about ropes')
  await read({ channelFilter: ['#DOCKS'] })
  t.deepEqual(rows.texts(), ['about ropes', 'at the dock'])
  await read({ channelFilter: [channel.channel.id, 'nowhere'] })
  t.deepEqual(rows.texts(), ['in general'])
  t.regex(rows.faults[0]?.message ?? '', /channel nowhere does not exist/u)
})

test('a renamed channel is written again', async t => {
  const { world, channel, rows, read } = await startServer(t)
  world.message(channel, 'one')
  await read()
  Object.assign(channel.channel, { name: 'lobby' })
  await read()
  t.deepEqual(
    [...rows.artifacts.values()].map(({ title }) => title),
    ['#lobby', '#lobby'],
  )
})

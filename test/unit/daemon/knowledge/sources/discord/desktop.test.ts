import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { DiscordSettings } from '../../../../../../src/contract/knowledge/sources/discord.js'
import { defaultSettings } from '../../../../../../src/daemon/ground/settings/default-settings.js'
import { readDesktopCache } from '../../../../../../src/daemon/knowledge/sources/discord/desktop/read-desktop-cache.js'
import { temporaryWorkspace } from '../../../../../helpers/daemon.js'
import {
  blockCacheFiles,
  type CachedReply,
  cachedMessage,
  desktopFolder,
  simpleEntryFile,
} from '../../../../../helpers/discord/desktop.js'
import { guildSource, Rows } from '../../../../../helpers/discord/rows.js'

const guild = '700000000000000001'
const channel = '710000000000000001'
const direct = '720000000000000001'
const lost = '730000000000000001'
const cache = 'Cache/Cache_Data'
const messagesOf = (id: string): string => `https://discord.com/api/v9/channels/${id}/messages?limit=50`
const state = { 'Local Storage/leveldb/000003.log': `\x01"/channels/${guild}/${channel}"\x00` }

const configuration = () => ({ settings: defaultSettings(), problems: [] })

/** Creates the data folder of the application with these replies in its cache. */
function application(t: ExecutionContext, replies: readonly CachedReply[], more = {}): string {
  const entries = replies.map((reply, at) => [`${cache}/${at}_0`, simpleEntryFile(reply)] as const)
  return desktopFolder(temporaryWorkspace(t), { ...state, ...Object.fromEntries(entries), ...more })
}

async function readCache(
  root: string,
  fields: Partial<DiscordSettings> = {},
  rows = new Rows(),
  full = false,
) {
  const source = guildSource({ syncMode: 'desktop-cache', desktopCachePath: root, tokenRef: null, ...fields })
  const environment = { HOME: join(root, '..', '..') }
  await rows.take(readDesktopCache({ environment, configuration }, source, rows.pass({ full })))
  return rows
}

const one = (text: string, id = '810000000000000001') => [cachedMessage(channel, id, text)]

for (const encoding of ['', 'gzip', 'br'])
  test(`a simple cache entry is read: ${encoding || 'plain'}`, async t => {
    const rows = await readCache(
      application(t, [{ url: messagesOf(channel), body: one('cached'), encoding }]),
    )
    t.deepEqual([...rows.artifacts.keys()], [`${guild}/${channel}/810000000000000001`])
    t.like([...rows.artifacts.values()][0], { text: 'cached', author: 'ada', title: `#${channel}` })
  })

test('small and large block cache entries are read, those of other sites are not', async t => {
  const long = Array.from({ length: 60 }, (_, at) =>
    cachedMessage(channel, `8200000000000000${10 + at}`, `long ${at}`),
  )
  const files = blockCacheFiles([
    { url: messagesOf(channel), body: one('small'), encoding: 'gzip' },
    { url: `${messagesOf(channel)}&before=820000000000000100`, body: long },
    { url: 'https://example.com/api/v9/channels/710000000000000001/messages', body: one('foreign', '9') },
  ])
  const inFolder = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [`${cache}/${name}`, bytes]),
  )
  const rows = await readCache(application(t, [], inFolder))
  t.is(rows.texts().length, 61)
  t.true(rows.texts().includes('small'))
})

test('direct messages are read if the application marks them, and stay local', async t => {
  const body = [cachedMessage(direct, '810000000000000002', 'between us')]
  const dms = { url: 'https://discord.com/api/v9/users/@me/channels', body: [{ id: direct, type: 1 }] }
  for (const [replies, more] of [
    [[{ url: messagesOf(direct), body }, dms], {}],
    [
      [{ url: messagesOf(direct), body }],
      { 'Session Storage/1.log': `https://discord.com/channels/@me/${direct}` },
    ],
  ] as const) {
    const rows = await readCache(application(t, replies, more))
    t.like([...rows.artifacts.values()], [{ path: `@me/${direct}/810000000000000002`, isLocalOnly: true }])
  }
})

test('messages of an unknown channel are left out until the channel is known', async t => {
  const body = [
    cachedMessage(
      lost,
      '810000000000000003',
      `see https://discord.com/channels/${guild}/${lost} and /channels/@me/${lost}`,
    ),
  ]
  const root = application(t, [{ url: messagesOf(lost), body }])
  const rows = await readCache(root)
  t.deepEqual(rows.texts(), [], 'links that people write prove nothing')
  t.like(JSON.parse(rows.checkpoints.get('cache') ?? ''), { unplacedMessages: 1, unplacedFiles: ['0_0'] })
  writeFileSync(join(root, 'Local Storage/leveldb/000004.log'), `/channels/${guild}/${lost}`)
  await readCache(root, {}, rows)
  t.is(rows.texts().length, 1)
  t.like(JSON.parse(rows.checkpoints.get('cache') ?? ''), { unplacedMessages: 0 })
})

test('a reply within a channel reveals its server, whatever the order of files', async t => {
  const reference = { type: 0, channel_id: lost, guild_id: guild, message_id: '810000000000000004' }
  const rows = await readCache(
    application(t, [
      { url: messagesOf(lost), body: [cachedMessage(lost, '810000000000000004', 'asked')] },
      {
        url: `${messagesOf(lost)}&after=1`,
        body: [
          cachedMessage(lost, '810000000000000005', 'answered', { type: 19, message_reference: reference }),
        ],
      },
    ]),
  )
  t.deepEqual(rows.texts(), ['answered', 'asked'])
})

test('only the requested servers are read', async t => {
  const root = application(
    t,
    [
      { url: messagesOf(channel), body: one('of the server') },
      { url: messagesOf(direct), body: [cachedMessage(direct, '810000000000000002', 'between us')] },
    ],
    { 'Session Storage/1.log': `/channels/@me/${direct}` },
  )
  t.deepEqual((await readCache(root, { guildIds: [guild] })).texts(), ['of the server'])
  t.deepEqual((await readCache(root, { guildIds: ['@me'] })).texts(), ['between us'])
})

test('entries missing in the cache are not deleted, and older copies replace nothing', async t => {
  const edited = { edited_timestamp: '2024-03-02T10:00:00Z' }
  const root = application(t, [
    { url: messagesOf(channel), body: [cachedMessage(channel, '810000000000000001', 'newer', edited)] },
  ])
  const rows = await readCache(root)
  rmSync(join(root, cache, '0_0'))
  writeFileSync(join(root, cache, '1_0'), simpleEntryFile({ url: messagesOf(channel), body: one('older') }))
  await readCache(root, {}, rows, true)
  t.deepEqual(rows.texts(), ['newer'])
})

test('unchanged files are read again only on a full pass', async t => {
  const root = application(t, [{ url: messagesOf(channel), body: one('cached') }])
  const long = new Date(Date.now() - 60_000)
  utimesSync(join(root, cache, '0_0'), long, long)
  writeFileSync(
    join(root, cache, '1_0'),
    simpleEntryFile({ url: messagesOf(channel), body: one('newer', '810000000000000009') }),
  )
  const rows = await readCache(root)
  await readCache(root, {}, rows)
  t.is(rows.same, 1)
  await readCache(root, {}, rows, true)
  t.is(rows.same, 2)
})

test('only a full scan carves messages out of unknown files', async t => {
  const list = JSON.stringify(one('carved "with \\" quotes" ]'))
  const zipped = simpleEntryFile({ url: '', body: one('zipped', '810000000000000008'), encoding: 'gzip' })
  const files = {
    [`${cache}/plain`]: `noise [{"not": "a message"}] noise ${list} noise`,
    [`${cache}/zipped`]: Buffer.concat([Buffer.from('noise'), zipped.subarray(24), Buffer.from('noise')]),
  }
  const root = application(t, [], files)
  t.deepEqual((await readCache(root)).texts(), [])
  t.deepEqual((await readCache(root, { desktopCacheFullScan: true })).texts(), [
    'carved "with \\" quotes" ]',
    'zipped',
  ])
})

test('damaged entries, decompression bombs and links are skipped', async t => {
  const whole = simpleEntryFile({ url: messagesOf(channel), body: one('whole') })
  const elsewhere = join(temporaryWorkspace(t), 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'entry'), whole)
  const bomb = simpleEntryFile({
    url: messagesOf(channel),
    body: `[${' '.repeat(40_000_000)}]`,
    encoding: 'gzip',
  })
  const root = application(t, [{ url: messagesOf(channel), body: '[{"id": "1", ' }], {
    [`${cache}/cut_0`]: whole.subarray(0, whole.length - 30),
    [`${cache}/short_0`]: whole.subarray(0, 25),
    [`${cache}/bomb_0`]: bomb,
    [`${cache}/data_1`]: Buffer.alloc(9000, 0xff),
  })
  symlinkSync(join(elsewhere, 'entry'), join(root, cache, 'link_0'))
  symlinkSync(elsewhere, join(root, 'Session Storage'))
  const rows = await readCache(root)
  t.deepEqual(rows.texts(), [])
})

test('a data folder that is a link is refused', async t => {
  const root = application(t, [])
  const elsewhere = join(root, '..', 'other')
  mkdirSync(elsewhere)
  rmSync(root, { recursive: true })
  symlinkSync(elsewhere, root)
  await t.throwsAsync(readCache(root), { message: /not a data folder of the Discord app/u })
})

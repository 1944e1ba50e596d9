// runs: in turn

import test from 'ava'
import { startDiscord } from '../helpers/discord/server.js'
import { killWhileRead } from '../helpers/index-kills.js'

const guildId = '700000000000000001'
const perChannel = 300

test('kills during a Discord sync leave the same rows as an undisturbed one, without duplicates', async t => {
  // The rate limit slows each page down, so that each kill comes before the next page.
  const discord = await startDiscord(t, { limit: { requests: 1, windowMs: 100 } })
  const { world } = discord
  const guild = world.guild(guildId)
  const expected: string[] = []
  for (const name of ['general', 'help', 'tides']) {
    const made = world.channel(guild, { name })
    expected.push(`${guildId}/${made.channel.id}`)
    for (let at = 0; at < perChannel; at++)
      expected.push(`${guildId}/${made.channel.id}/${world.message(made, `${name} ${at}: what was said`).id}`)
  }
  const raw = await killWhileRead(t, {
    kind: 'chatguild',
    body: { guildIds: [guildId], tokenRef: 'env:DISCORD_TOKEN' },
    total: expected.length,
    settings: { chatguild: { apiBaseUrl: discord.apiBaseUrl } },
    environment: { DISCORD_TOKEN: discord.token },
  })
  const paths = raw.prepare('SELECT path FROM source_artifacts WHERE removed = 0 ORDER BY path').pluck().all()
  t.deepEqual(paths, [...expected].sort())
})

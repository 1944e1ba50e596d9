import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../src/lib/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { startDiscord } from '../helpers/discord/server.js'
import { openRaw } from '../helpers/store.js'

const guildId = '700000000000000001'
const kills = 20
const perChannel = 900

test('twenty kills while servers are indexed leave the rows that there are without any, each once', async t => {
  // A page takes its time, so that each kill comes before the next one.
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
  const workspace = temporaryWorkspace(t)
  const sources = { chatguild: { apiBaseUrl: discord.apiBaseUrl } }
  writeFileSync(join(workspace, 'agent.yaml'), stringify({ embedding: { provider: 'none' }, sources }))
  const environment = { SERVICE_NO_AUTOSTART: '1', DISCORD_TOKEN: discord.token }
  const first = spawnDaemon(t, workspace, environment)
  const { url } = await first.ready()
  await fetch(`${url}/api/sources/chatguild`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ guildIds: [guildId], tokenRef: 'env:DISCORD_TOKEN' }),
  })
  const raw = openRaw(t, workspacePaths(workspace).database)
  const count = raw.prepare('SELECT count(*) FROM source_artifacts').pluck()
  let daemon = first
  for (let kill = 0; kill < kills; kill++) {
    const before = count.get() as number
    while ((count.get() as number) < before + 10) await nextTurn()
    daemon.child.kill('SIGKILL')
    await daemon.exited
    t.true((count.get() as number) < expected.length, `kill ${kill + 1} came too late`)
    daemon = spawnDaemon(t, workspace, environment)
  }
  await daemon.ready()
  const status = raw.prepare('SELECT status FROM source_index_jobs').pluck()
  await until(() => status.get() === 'complete' || undefined, 110_000)
  const paths = raw.prepare('SELECT path FROM source_artifacts WHERE removed = 0 ORDER BY path').pluck().all()
  t.deepEqual(paths, [...expected].sort())
})

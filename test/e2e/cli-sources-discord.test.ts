import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { stringify } from 'yaml'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { startDiscord } from '../helpers/discord/server.js'

const guild = '700000000000000001'

test('servers are added by id with the contents to read and a wait, and errors are reported', async t => {
  const discord = await startDiscord(t)
  const { world } = discord
  const made = world.guild(guild)
  world.message(world.channel(made, { name: 'general' }), 'in general')
  world.message(world.channel(made, { name: 'other' }), 'elsewhere')
  const workspace = cliWorkspace(t)
  mkdirSync(workspace, { recursive: true })
  const sources = { chatguild: { apiBaseUrl: discord.apiBaseUrl } }
  writeFileSync(join(workspace, 'agent.yaml'), stringify({ embedding: { provider: 'none' }, sources }))
  const add = (...words: string[]) => runHere(t, ['sources', 'add', 'discord', ...words])

  const raw = await add(guild, '--token-ref', discord.token)
  t.is(raw.code, 2)
  t.regex(raw.stderr, /not the token: store the token with memory secrets set NAME/u)
  t.false(raw.stderr.includes(discord.token))
  t.regex((await add(guild)).stderr, /tokenRef is required/u)
  t.regex((await add(guild, '--mode', 'gateway-tail', '--wait')).stderr, /no end to wait for/u)

  await runHere(t, ['secrets', 'set', 'DISCORD_TOKEN'], { stdin: discord.token })
  const some = ['--channels', 'general,help', '--since', '2020-01-01', '--no-polls', '--name', 'Harbour']
  const added = await add(guild, '--token-ref', 'DISCORD_TOKEN', ...some, '--wait', '--json')
  t.is(added.code, 0, added.stderr)
  t.like(added.json(), {
    kind: 'chatguild',
    name: 'Harbour',
    indexJob: { status: 'complete' },
    stats: { artifacts: 2 },
  })
})

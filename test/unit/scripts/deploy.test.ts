import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'
import { settings } from '../../../src/contract/settings.js'

const file = join(import.meta.dirname, '..', '..', '..', 'deploy', 'compose.team.yml')

interface Service {
  environment?: Record<string, string | number>
  volumes?: string[]
  stop_grace_period?: string
}

const team = parse(readFileSync(file, 'utf8'), { merge: true }) as {
  services: Record<string, Service>
  configs: Record<string, { content: string }>
  volumes: Record<string, null>
}
const daemons = Object.entries(team.services).filter(([name]) => name.startsWith('memory-'))

test('each daemon of the team has its own name and folder, and the same key and database', t => {
  t.is(daemons.length, 3)
  for (const [name, { environment = {}, volumes }] of daemons) {
    t.is(environment.SERVICE_NODE_NAME, name)
    t.deepEqual(volumes, [`${name}:/data`])
    t.true(name in team.volumes)
  }
  for (const key of ['SERVICE_TEAM_KEY', 'MEMORY_DATABASE'])
    t.is(new Set(daemons.map(([, { environment }]) => environment?.[key])).size, 1, key)
})

test('the settings of the team are valid, and name one of its daemons for works with files', t => {
  const { storage, team: chosen } = settings.parse(parse(team.configs.settings?.content ?? ''))
  t.true(storage.shared)
  t.is(storage.postgres, 'env:MEMORY_DATABASE')
  t.true(daemons.some(([name]) => name === chosen.node))
})

test('the balancer knows every daemon, and a stop leaves time to drain', t => {
  const caddy = team.configs.caddy?.content ?? ''
  for (const [name, { environment, stop_grace_period }] of daemons) {
    t.true(caddy.includes(` ${name}:3850`))
    t.true(
      Number.parseInt(stop_grace_period ?? '', 10) * 1000 > Number(environment?.SERVICE_DRAIN_MS) + 15_000,
    )
  }
  t.true(caddy.includes('health_uri /health/ready'))
})

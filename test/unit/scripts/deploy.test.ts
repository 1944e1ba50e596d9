import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { health, ready } from '../../../src/contract/operations/system.js'
import { settings } from '../../../src/contract/settings.js'
import { version } from '../../../src/lib/workspace/version.js'

const root = join(import.meta.dirname, '..', '..', '..')
const deployed = (...path: string[]) => readFileSync(join(root, 'deploy', ...path), 'utf8')

interface Service {
  environment?: Record<string, string | number>
  volumes?: string[]
  stop_grace_period?: string
}

const team = parse(deployed('compose.team.yml'), { merge: true }) as {
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

const templates = readdirSync(join(root, 'deploy', 'helm', 'templates')).map(name => ({
  name,
  text: deployed('helm', 'templates', name),
}))
const values = parse(deployed('helm', 'values.yaml'))

/** Reads a template without Helm: lines of directives are left out, and what others insert is `x`. */
function objectsOf(name: string) {
  const text = deployed('helm', 'templates', name)
    .replace(/^ *\{\{.*\}\}\n/gmu, '')
    .replace(/\{\{[^}]*\}\}/gu, 'x')
  return parseAllDocuments(text).map(document => {
    if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0]}`)
    return document.toJS()
  })
}

const [daemonSet] = objectsOf('statefulset.yaml')
const pod = daemonSet.spec.template.spec
const [container] = pod.containers
const environment = new Map<string, { value?: string }>(
  container.env.map((entry: { name: string }) => [entry.name, entry]),
)

/** Returns every path of the values that has no object below it; an empty object is one. */
function leavesOf(value: object, above = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const isGroup = typeof inner === 'object' && !Array.isArray(inner) && Object.keys(inner).length > 0
    return isGroup && key !== 'resources' ? leavesOf(inner, `${above}${key}.`) : [above + key]
  })
}

test('the chart is of this release, and its values have the form that its schema demands', t => {
  t.is(parse(deployed('helm', 'Chart.yaml')).appVersion, version)
  const schema = z.fromJSONSchema(JSON.parse(deployed('helm', 'values.schema.json')))
  t.deepEqual(schema.safeParse(values).error?.issues ?? [], [])
  for (const wrong of [{ replicas: 0 }, { drainMs: '5s' }, { other: 1 }, { service: { port: 0 } }])
    t.false(schema.safeParse({ ...values, ...wrong }).success, JSON.stringify(wrong))
})

test('templates use every value of the chart, and no other', t => {
  const used = templates.flatMap(({ text }) =>
    [...text.matchAll(/\.Values\.([\w.]+)/gu)].map(([, path = '']) => path),
  )
  t.deepEqual([...new Set(used)].sort(), leavesOf(values).sort())
})

test('every template of the chart is YAML, and its pods are found by what selects them', t => {
  const kinds = templates
    .filter(({ name }) => name.endsWith('.yaml'))
    .flatMap(({ name }) => objectsOf(name).map(({ kind }) => kind))
  t.deepEqual(kinds.sort(), [
    ...['ConfigMap', 'Ingress', 'PodDisruptionBudget', 'Service', 'Service', 'StatefulSet'],
  ])
  for (const { name, text } of templates.filter(({ text: one }) => /selector:|matchLabels:/iu.test(one)))
    t.regex(text, /(?:selector|matchLabels):\n *\{\{- include "memory\.selector"/iu, name)
})

test('the settings of the chart are valid, and make its daemons several', t => {
  const { storage, auth } = settings.parse(parse(deployed('helm', 'agent.yaml')))
  t.true(storage.shared)
  t.is(auth.mode, 'team')
  t.true(environment.has(String(storage.postgres).replace('env:', '')))
  t.true(environment.has('SERVICE_TEAM_KEY'))
})

test('ports, probes and the stop of the chart agree with the image and the daemon', t => {
  const image = deployed('Dockerfile')
  const port = environment.get('SERVICE_PORT')?.value ?? ''
  t.is(String(container.ports[0].containerPort), port)
  t.true(image.includes(`EXPOSE ${port}`) && image.includes(`SERVICE_PORT=${port}`))
  t.is(container.livenessProbe.httpGet.path, health.path)
  t.is(container.readinessProbe.httpGet.path, ready.path)
  for (const { httpGet } of [container.livenessProbe, container.readinessProbe])
    t.is(httpGet.port, container.ports[0].name)
  const { text } = templates.find(({ name }) => name === 'statefulset.yaml') as { text: string }
  t.regex(text, /name: SERVICE_DRAIN_MS\n *value: \{\{ \.Values\.drainMs /u)
  const room =
    /terminationGracePeriodSeconds: \{\{ add \(div \(add \(int \.Values\.drainMs\) 999\) 1000\) (\d+)/u
  t.true(
    Number(room.exec(text)?.[1]) > 15,
    'the drain, and the 15 seconds after which the daemon ends itself',
  )
  t.true(values.drainMs > 1000 * container.readinessProbe.periodSeconds)
})

test('pods of the chart run without rights, and write to their volumes alone', t => {
  t.true(pod.securityContext.runAsNonRoot)
  t.is(pod.securityContext.runAsUser, 1000)
  t.regex(deployed('Dockerfile'), /^USER node$/mu)
  t.true(container.securityContext.readOnlyRootFilesystem)
  t.false(container.securityContext.allowPrivilegeEscalation)
  t.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] })
  const folders = new Map<string, string>(
    container.volumeMounts.map(({ name, mountPath }: Record<string, string>) => [name, mountPath]),
  )
  t.true(environment.get('SERVICE_WORKSPACE')?.value?.startsWith(`${folders.get('data')}/`))
  t.is(folders.get('tmp'), '/tmp')
  t.true(container.command.at(-1).includes('exec memory-service-start'))
  t.is(daemonSet.spec.volumeClaimTemplates[0].metadata.name, 'data')
})

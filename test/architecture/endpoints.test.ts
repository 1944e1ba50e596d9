import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { agentsEndpoints } from '../../src/contract/agents/endpoints.js'
import { endpoints } from '../../src/contract/api.js'
import { type EndpointShape, permissions } from '../../src/contract/ground/endpoint.js'
import { knowledgeEndpoints } from '../../src/contract/knowledge/endpoints.js'
import { memoryEndpoints } from '../../src/contract/memory/endpoints.js'
import { operationsEndpoints } from '../../src/contract/operations/endpoints.js'
import { platformEndpoints } from '../../src/contract/platform/endpoints.js'
import { secretsEndpoints } from '../../src/contract/secrets/endpoints.js'
import { sessionsEndpoints } from '../../src/contract/sessions/endpoints.js'
import type { Domain } from '../../src/daemon/platform/domain.js'
import { lateRoutes } from '../../src/daemon/platform/http/bind-all.js'
import { domains } from '../../src/daemon/process/domains.js'
import { root } from '../helpers/source-tree.js'

const all = endpoints as readonly EndpointShape[]

/** Endpoints of the contract by area. */
const areas: Readonly<Record<string, readonly EndpointShape[]>> = {
  agents: agentsEndpoints,
  knowledge: knowledgeEndpoints,
  memory: memoryEndpoints,
  operations: operationsEndpoints,
  platform: platformEndpoints,
  secrets: secretsEndpoints,
  sessions: sessionsEndpoints,
}

/**
 * The process binds these itself: they are served before the daemon is up, or use the agents' own protocol.
 */
const boundByTheProcess = ['GET /health', 'GET /health/ready', 'POST /api/hooks/harness/:harness/:hook']

test('every endpoint has a permission and a unique address', t => {
  t.deepEqual(withoutPermission(all), [])
  t.deepEqual(sharedAddresses(all), [])
})

test('an endpoint without a known permission, and a duplicate address, are caught', t => {
  const [one] = all as [EndpointShape]
  const bad = { ...one, permission: 'anything' as never }
  t.deepEqual(withoutPermission([one, bad]), [addressOf(one)])
  t.deepEqual(sharedAddresses([one, { ...one }]), [addressOf(one)])
})

test('every endpoint is bound by exactly one domain of its area', t => {
  t.deepEqual(unbound(areas, boundByArea()), [])
})

test('late routes serve every endpoint that their domain lists', async t => {
  const routes = Object.values<Domain>(domains).flatMap(domain => domain.routes ?? [])
  await t.notThrowsAsync(Promise.all(routes.map(route => route.handler())))
})

test('late routes without a route for a listed endpoint are caught', async t => {
  const [one] = all as [EndpointShape]
  const [route] = lateRoutes([one], async () => ({ routes: [] }))
  await t.throwsAsync(async () => route?.handler(), { message: `no route serves ${addressOf(one)}` })
})

test('an endpoint that is not bound in its area is caught', t => {
  const [one, two] = memoryEndpoints as readonly EndpointShape[] as [EndpointShape, EndpointShape]
  t.deepEqual(unbound({ memory: [one, two] }, new Map([['memory', [addressOf(one)]]])), [
    `memory: ${addressOf(two)} is bound 0 times`,
  ])
  t.deepEqual(unbound({ memory: [one] }, new Map([['sessions', [addressOf(one)]]])), [
    `memory: ${addressOf(one)} is bound 0 times`,
  ])
})

function withoutPermission(shapes: readonly EndpointShape[]): string[] {
  const known: readonly string[] = ['public', 'authenticated', ...permissions]
  return shapes.filter(({ permission }) => !known.includes(permission)).map(addressOf)
}

function sharedAddresses(shapes: readonly EndpointShape[]): string[] {
  const addresses = shapes.flatMap(({ method, path, aliases = [] }) =>
    [path, ...aliases].map(address => `${method} ${address}`),
  )
  return addresses.filter((address, position) => addresses.indexOf(address) !== position)
}

/** Addresses that the domains of each area bind. The area is the import path in the list of domains. */
function boundByArea(): Map<string, string[]> {
  const text = readFileSync(join(root, 'src/daemon/process/domains.ts'), 'utf8')
  const imports = [...text.matchAll(/^import \{([\w\s,]+)\} from '\.\.\/(\w+)\/[^']*domains?\.js'/gmu)]
  const areaOf = new Map(
    imports.flatMap(([, names = '', area = '']) => names.split(/\W+/u).map(name => [name, area] as const)),
  )
  const bound = new Map<string, string[]>()
  for (const [name, { routes = [] }] of Object.entries<Domain>(domains)) {
    const area = areaOf.get(name) ?? ''
    bound.set(area, [...(bound.get(area) ?? []), ...routes.map(({ endpoint }) => addressOf(endpoint))])
  }
  return bound
}

function unbound(
  wanted: Readonly<Record<string, readonly EndpointShape[]>>,
  bound: ReadonlyMap<string, readonly string[]>,
): string[] {
  return Object.entries(wanted).flatMap(([area, shapes]) =>
    shapes
      .map(addressOf)
      .filter(address => !boundByTheProcess.includes(address))
      .map(address => ({ address, times: bound.get(area)?.filter(one => one === address).length ?? 0 }))
      .filter(({ times }) => times !== 1)
      .map(({ address, times }) => `${area}: ${address} is bound ${times} times`),
  )
}

function addressOf({ method, path }: EndpointShape): string {
  return `${method} ${path}`
}

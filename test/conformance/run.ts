import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { pino } from 'pino'
import { stringify } from 'yaml'
import { startDaemon } from '../../src/daemon/process/start.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { version } from '../../src/lib/workspace/version.js'
import { ownDatabase, postgresUrl } from '../helpers/postgres.js'
import { fixtureApp } from './fixture-server.js'
import { installSuite, type Suite } from './install-suite.js'

const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'mcp-conformance')

/**
 * `npm run conformance`: runs the official MCP suites against the daemon, and against its `/mcp` route with
 * the suite's own tools. The lists beside this file name scenarios that do not apply, with reasons. A run
 * fails when any other scenario fails, or when a listed one passes. With `--postgres` only the daemon is
 * tested, with its memories in a new database on the server of MEMORY_TEST_POSTGRES.
 */
const suites = [
  {
    ...(await installSuite(cache, '0.1.16')),
    scope: ['--suite', 'all'],
    product: 'expected-product.yml',
    fixtures: 'expected-with-fixtures.yml',
  },
  // The first one that knows revision 2026-07-28 is not released yet.
  {
    ...(await installSuite(`${cache}-alpha`, '0.2.0-alpha.12')),
    scope: ['--requirements', '2026-07-28'],
    product: 'expected-2026-product.yml',
    fixtures: 'expected-2026-with-fixtures.yml',
  },
]
const isOnServer = process.argv.includes('--postgres')
const codes: number[] = []
for (const suite of suites) {
  codes.push(await runAgainstProduct(suite))
  if (!isOnServer) codes.push(await runAgainstFixtures(suite))
}
process.exitCode = codes.every(code => code === 0) ? 0 : 1

interface ScopedSuite extends Suite {
  /** Arguments that choose the scenarios. */
  scope: readonly string[]
  /** Lists of the scenarios that do not apply. */
  product: string
  fixtures: string
}

async function runAgainstProduct(tools: ScopedSuite): Promise<number> {
  const workspace = mkdtempSync(join(tmpdir(), 'memory-service-conformance-'))
  const ends: (() => unknown)[] = [() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 })]
  try {
    const storage = isOnServer && { storage: { postgres: await database(end => ends.unshift(end)) } }
    writeFileSync(join(workspace, 'agent.yaml'), stringify({ embedding: { provider: 'none' }, ...storage }))
    const daemon = await startDaemon({
      paths: workspacePaths(workspace),
      version,
      log: pino({ level: 'silent' }),
      environment: { SERVICE_PORT: '0' },
    })
    ends.unshift(daemon.close)
    await daemon.loaded
    const { store } = await daemon.ready
    console.log(`\nMemories in ${store.server?.place ?? 'a file'}.`)
    return await run(tools, daemon.url, tools.product)
  } finally {
    for (const end of ends) await end()
  }
}

/** Makes a database of the daemon. @param atEnd takes its removal */
function database(atEnd: (end: () => unknown) => void): Promise<string> {
  if (!postgresUrl) throw new Error('name a server in MEMORY_TEST_POSTGRES: .ci/postgres start FOLDER')
  return ownDatabase({ teardown: atEnd }, { empty: true })
}

async function runAgainstFixtures(tools: ScopedSuite): Promise<number> {
  const app = fixtureApp()
  try {
    return await run(tools, await app.listen({ host: '127.0.0.1', port: 0 }), tools.fixtures)
  } finally {
    await app.close()
  }
}

async function run({ node, script, scope }: ScopedSuite, url: string, expected: string): Promise<number> {
  console.log(`\n# ${expected}: ${url}/mcp`)
  const list = join(import.meta.dirname, expected)
  const args = [script, 'server', '--url', `${url}/mcp`, ...scope, '--expected-failures', list]
  const { exitCode, stdout } = await execa(node, args, { reject: false, timeout: 120_000 })
  console.log(stdout.slice(Math.max(0, stdout.indexOf('=== SUMMARY'))))
  return exitCode ?? 1
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { pino } from 'pino'
import { startDaemon } from '../../src/daemon/process/start.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { version } from '../../src/lib/workspace/version.js'
import { fixtureApp } from './fixture-server.js'
import { installSuite, type Suite } from './install-suite.js'

const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'mcp-conformance')

/**
 * `npm run conformance`: runs the official MCP suite against the daemon, and against its `/mcp` route with
 * the suite's own tools. The lists beside this file name scenarios that do not apply, with reasons. A run
 * fails when any other scenario fails, or when a listed one passes.
 */
const suite = await installSuite(cache)
const codes = [await runAgainstProduct(suite), await runAgainstFixtures(suite)]
process.exitCode = codes.every(code => code === 0) ? 0 : 1

async function runAgainstProduct(tools: Suite): Promise<number> {
  const workspace = mkdtempSync(join(tmpdir(), 'memory-service-conformance-'))
  writeFileSync(join(workspace, 'agent.yaml'), 'embedding: { provider: none }\n')
  const daemon = await startDaemon({
    paths: workspacePaths(workspace),
    version,
    log: pino({ level: 'silent' }),
    environment: { SERVICE_PORT: '0' },
  })
  try {
    await daemon.loaded
    return await run(tools, daemon.url, 'expected-product.yml')
  } finally {
    await daemon.close()
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function runAgainstFixtures(tools: Suite): Promise<number> {
  const app = fixtureApp()
  try {
    return await run(tools, await app.listen({ host: '127.0.0.1', port: 0 }), 'expected-with-fixtures.yml')
  } finally {
    await app.close()
  }
}

async function run({ node, script }: Suite, url: string, expected: string): Promise<number> {
  console.log(`\n# ${expected}: ${url}/mcp`)
  const list = join(import.meta.dirname, expected)
  const args = [script, 'server', '--url', `${url}/mcp`, '--suite', 'all', '--expected-failures', list]
  const { exitCode, stdout } = await execa(node, args, { reject: false, timeout: 120_000 })
  console.log(stdout.slice(Math.max(0, stdout.indexOf('=== SUMMARY'))))
  return exitCode ?? 1
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedactor } from '../../src/daemon/secrets/exec/redact/redactor.js'
import { scopeOfScript } from '../helpers/script-scope.js'
import { runCanaries } from './canary-run.js'

/**
 * `npm run canary [SECRETS] [JOBS]`: random values through commands of the built daemon, a kill, a restart, and a search
 * for them in everything that is left (secrets.md#proof). Fails when one is found.
 */
const [secrets = 200, jobs = 500] = process.argv.slice(2).map(Number)
const { scope, end } = scopeOfScript()
const workspace = mkdtempSync(join(tmpdir(), 'memory-service-canary-'))
scope.teardown(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }))
try {
  const started = performance.now()
  const { canaries, texts, ...result } = await runCanaries(scope, { workspace, secrets, jobs })
  // A second opinion: what the product would have taken out must not be there either.
  const redactor = await createRedactor(canaries.map(({ value }) => value))
  const overlooked = texts.filter(text => redactor.text(text) !== text).length
  const { findings, ...figures } = result
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(
    JSON.stringify({ secrets, jobs, ...figures, seconds, overlooked, found: findings.length }, null, 2),
  )
  for (const finding of findings.slice(0, 50)) console.log(finding)
  process.exitCode = findings.length + overlooked + result.orphans.after === 0 ? 0 : 1
} finally {
  await end()
}

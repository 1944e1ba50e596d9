import { createRedactor } from '../../src/daemon/secrets/exec/redact/redactor.js'
import { scopeOfScript } from '../helpers/script-scope.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'
import { runCanaries } from './canary-run.js'
import { runGitKills } from './git-kills.js'
import { runImportKills } from './import-kills.js'
import { runMessageKills } from './message-kills.js'
import { runKills, type Work } from './secret-kills.js'

/**
 * Runs `npm run canary [SECRETS] [COMMANDS]`, `npm run canary kills [ROUNDS]`
 * (secrets.md#how-this-is-proven), `npm run canary imports [KILLS]` (imports.md#how-this-is-proven), `npm run
 * canary messages [KILLS]` (messages.md#how-this-is-proven) and `npm run canary git [ROUNDS]` (operations.md
 * 1.6) against the built daemon. Fails when a secret value is found, or when data is lost.
 */
const [mode, ...rest] = process.argv.slice(2)
const { scope, end } = scopeOfScript()
const workspace = temporaryFolder(scope, 'memory-service-canary')
const runs: Readonly<Record<string, (count: number | undefined) => Promise<boolean>>> = {
  kills: (rounds = 50) => kill(rounds),
  imports: (kills = 100) => killImports(kills),
  messages: (kills = 40) => killMessages(kills),
  git: (rounds = 100) => killGit(rounds),
}
try {
  const run = runs[mode ?? '']
  const isFine = run
    ? await run(rest[0] === undefined ? undefined : Number(rest[0]))
    : await search(mode, rest[0])
  process.exitCode = isFine ? 0 : 1
} finally {
  await end()
}

async function search(secrets = '200', jobs = '500'): Promise<boolean> {
  const started = performance.now()
  const options = { workspace, secrets: Number(secrets), jobs: Number(jobs) }
  const { canaries, texts, findings, ...figures } = await runCanaries(scope, options)
  // A second check: text that the product's redactor would change must not occur either.
  const redactor = await createRedactor(canaries.map(({ value }) => value))
  const overlooked = texts.filter(text => redactor.text(text) !== text).length
  show({ secrets, jobs, ...figures, found: findings.length, overlooked, seconds: secondsSince(started) })
  for (const finding of findings.slice(0, 50)) console.log(finding)
  return findings.length + overlooked + figures.orphans.after === 0
}

async function kill(rounds: number): Promise<boolean> {
  const started = performance.now()
  const kinds: readonly Work[] = ['set', 'rotate', 'migrate']
  const works = Array.from({ length: rounds }, (_, round) => kinds[round % kinds.length] as Work)
  const result = await runKills(scope, { workspace, works })
  show({ ...result, seconds: secondsSince(started) })
  return result.faults.length === 0
}

async function killImports(kills: number): Promise<boolean> {
  const started = performance.now()
  const result = await runImportKills(scope, { workspace, kills, conversations: 2000, withinMs: 2500 })
  show({ ...result, seconds: secondsSince(started) })
  return result.faults.length === 0
}

async function killGit(rounds: number): Promise<boolean> {
  const started = performance.now()
  const result = await runGitKills(scope, { folder: workspace, rounds, withinMs: 1200 })
  show({ ...result, seconds: secondsSince(started) })
  return result.faults.length === 0
}

async function killMessages(kills: number): Promise<boolean> {
  const started = performance.now()
  const options = { workspace, kills, agents: 50, messages: 10_000, withinMs: 2500 }
  const result = await runMessageKills(scope, options)
  show({ ...result, seconds: secondsSince(started) })
  return result.faults.length === 0
}

function show(figures: object): void {
  console.log(JSON.stringify(figures, null, 2))
}

function secondsSince(started: number): number {
  return Math.round((performance.now() - started) / 1000)
}

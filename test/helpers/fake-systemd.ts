import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { cliWorkspace } from './cli.js'
import { fakeProgram } from './fake-program.js'

/** Splits a line of a unit as systemd.syntax(7) defines: double quotes, C escapes, %% for a percent sign. */
const wordsOf = String.raw`
const wordsOf = text => [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, word]) =>
  word.replace(/\\(.)/gu, (_, of) => ({ n: '\n', r: '\r', t: '\t' })[of] ?? of).replaceAll('%%', '%'))
`

/** A systemctl for user units that really starts and stops their programs. */
const systemctl = `${wordsOf}
const fs = require('node:fs'), path = require('node:path'), { spawn } = require('node:child_process')
const [, verb, ...rest] = process.argv.slice(2)
const unit = rest.at(-1)
const folder = path.join(process.env.HOME, '.config', 'systemd', 'user')
const pidFile = path.join(folder, unit + '.pid')
const pidOf = () => { try { const pid = Number(fs.readFileSync(pidFile)); return / [ZX] /u.test(fs.readFileSync('/proc/' + pid + '/stat', 'latin1').replace(/^.*\\)/u, '').slice(0, 4)) ? undefined : pid } catch { return undefined } }
const gone = async () => { while (pidOf()) await new Promise(done => setTimeout(done, 20)) }
const stop = async () => { const pid = pidOf(); if (pid) process.kill(pid, 'SIGTERM'); await gone() }
const start = () => {
  const lines = fs.readFileSync(path.join(folder, unit), 'utf8').split('\\n')
  const valueOf = key => lines.filter(line => line.startsWith(key + '=')).flatMap(line => wordsOf(line.slice(key.length + 1)))
  const [program, ...args] = valueOf('ExecStart')
  const env = Object.fromEntries(valueOf('Environment').map(word => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]))
  const child = spawn(program.replace(/^:/u, ''), args, { env: { HOME: process.env.HOME, SERVICE_EMBEDDING_DOWNLOAD: '0', ...env }, detached: true, stdio: 'ignore' })
  fs.writeFileSync(pidFile, String(child.pid))
  child.unref()
}
const run = async () => {
  if (verb === 'restart') { await stop(); start() }
  else if (verb === 'start') { if (!pidOf()) start() }
  else if (verb === 'disable') await stop()
  else if (verb === 'is-active' && !pidOf()) process.exitCode = 3
}
run()
`

/**
 * Installs a fake systemd that starts real daemons. @returns the environment for commands, and the recorded
 * calls
 */
export function fakeSystemd(t: ExecutionContext) {
  const { path, calls } = fakeProgram(t, 'systemctl', systemctl)
  const folder = join(cliWorkspace(t), '.config', 'systemd', 'user')
  return {
    env: { PATH: path },
    asked: () => calls().map(({ args }) => args.slice(1).join(' ')),
    unit: (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''),
  }
}

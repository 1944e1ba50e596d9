import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { execa } from 'execa'
import { isAlive } from '../../src/lib/workspace/registration.js'
import { registeredPid, until } from './cli.js'

/** A program that answers like a daemon of any version, and stops on request. */
const program = `
import { createServer } from 'node:http'
import { renameSync, writeFileSync } from 'node:fs'
const [workspace, version, file] = process.argv.slice(1)
const server = createServer((request, response) => {
  response.setHeader('x-request-id', 'fake')
  response.setHeader('content-type', 'application/json')
  const { port } = server.address()
  const health = { status: 'healthy', version, pid: process.pid, uptime: 1, port, workspace }
  response.end(JSON.stringify(request.url === '/health' ? health : { ready: true, version, url: request.url }))
  if (request.url === '/api/daemon/shutdown') server.close(() => process.exit(0))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address()
  const registration = { pid: process.pid, host: '127.0.0.1', port, version, startedAt: '', workspace }
  writeFileSync(file + '.tmp', JSON.stringify(registration))
  renameSync(file + '.tmp', file)
})
`

/** Starts a substitute for a daemon of another version. @returns its pid; it ends with the test. */
export async function startFakeDaemon(
  t: ExecutionContext,
  workspace: string,
  version: string,
): Promise<number> {
  const folder = join(workspace, '.daemon')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'daemon.json')
  const child = execa(
    process.execPath,
    ['--input-type=module', '--eval', program, workspace, version, file],
    {
      reject: false,
      stdio: 'ignore',
    },
  )
  t.teardown(() => child.kill('SIGKILL'))
  await until(() => registeredPid(workspace) === child.pid, 'the fake daemon has registered')
  return child.pid!
}

/** Writes `.daemon/daemon.json` with the given text. */
export function writeRegistration(workspace: string, text: string): void {
  mkdirSync(join(workspace, '.daemon'), { recursive: true })
  writeFileSync(join(workspace, '.daemon', 'daemon.json'), text)
}

/** The pid of a process that has ended. */
export async function deadPid(): Promise<number> {
  const child = execa(process.execPath, ['--eval', ''])
  const pid = child.pid!
  await child
  await until(() => !isAlive(pid), 'the process is gone')
  return pid
}

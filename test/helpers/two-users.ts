import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { execa } from 'execa'
import { type Registration, readRegistration } from '../../src/lib/workspace/registration.js'
import { freePort } from './cli.js'
import { copyPackage } from './installed-package.js'
import { greeting } from './mcp.js'
import { temporaryFolder } from './temporary-folder.js'

/** True when the test may create accounts. */
export const hasAccounts =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  canRun('useradd', ['-D']) &&
  canRun(process.execPath, ['--version'], { uid: 65_534, gid: 65_534, cwd: '/' })

export interface User {
  home: string
  /** Runs a command of the installed package in the home folder. */
  memory(...words: string[]): Promise<Ended>
  /** Runs the hook of Claude Code with an event. */
  hook(name: string, event: object): Promise<Ended>
  /** Calls a tool over stdio. @returns everything that the server answers */
  tool(name: string, args: object): Promise<string>
  /** Runs a script as this user. */
  script(text: string): Promise<Ended>
  curl(...words: string[]): Promise<string>
  registration(): Registration | undefined
  /** Leaves a registration as a killed daemon does. */
  leaveRegistration(fields: object): void
}

interface Ended {
  exitCode?: number
  stdout: string
  stderr: string
}

/**
 * Two users of one machine with one installed package, whose default port is `port`.
 * @param withAccounts false for homes and workspaces of the account that runs the test
 */
export async function twoUsers(
  t: ExecutionContext,
  withAccounts: boolean,
): Promise<{ alice: User; bob: User; port: number }> {
  const folder = temporaryFolder(t, 'memory-service-users', '/tmp')
  chmodSync(folder, 0o755)
  const installed = copyPackage(folder, { withDrivers: true })
  const port = await freePort()
  const user = (name: string): User =>
    createUser(t, { name, home: join(folder, name), installed, port, withAccounts })
  return { alice: user('alice'), bob: user('bob'), port }
}

interface UserOptions {
  name: string
  home: string
  installed: string
  port: number
  withAccounts: boolean
}

function createUser(t: ExecutionContext, { name, home, installed, port, withAccounts }: UserOptions): User {
  mkdirSync(home, { mode: 0o700 })
  const account = withAccounts ? addAccount(t, `${name}-${process.pid}-${port}`, home) : {}
  const registrationFile = join(home, '.memory-service', '.daemon', 'daemon.json')
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    SERVICE_DEFAULT_PORT: String(port),
    SERVICE_EMBEDDING_DOWNLOAD: '0',
    SERVICE_EMBEDDING_PROVIDER: 'static',
  }
  const options = { ...account, cwd: home, env: environment, extendEnv: false, reject: false } as const
  const start = (program: string, words: readonly string[], stdin = ''): Promise<Ended> =>
    execa(program, words, { ...options, input: stdin })
  const run = (words: readonly string[], stdin?: string): Promise<Ended> =>
    start(process.execPath, [join(installed, 'bin', 'run.js'), ...words], stdin)
  t.teardown(() => run(['daemon', 'stop']))
  return {
    home,
    memory: (...words) => run(words),
    hook: (hook, event) =>
      run(['hook', hook, '-H', 'claude-code', '--timeout', '60000'], JSON.stringify(event)),
    tool: async (tool, args) => {
      const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: tool, arguments: args } }
      const server = execa(process.execPath, [join(installed, 'bin', 'mcp.js')], options)
      server.stdin.write(`${greeting}${JSON.stringify(call)}\n`)
      // The server ends with its input, whether or not it has answered.
      for await (const line of server) if (JSON.parse(line).id === call.id) server.stdin.end()
      return (await server).stdout
    },
    script: text => start(process.execPath, ['--input-type=module', '--eval', text]),
    curl: async (...words) => (await start('curl', ['-s', ...words])).stdout,
    registration: () => readRegistration(registrationFile),
    leaveRegistration: fields => {
      const left = { ...JSON.parse(readFileSync(registrationFile, 'utf8')), ...fields }
      writeFileSync(registrationFile, JSON.stringify(left))
    },
  }
}

function addAccount(t: ExecutionContext, name: string, home: string): { uid: number; gid: number } {
  execFileSync('useradd', ['--no-create-home', '--home-dir', home, '--shell', '/bin/sh', name])
  t.teardown(() => execFileSync('userdel', ['--force', name], { stdio: 'ignore' }))
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  const account = { uid: id('-u'), gid: id('-g') }
  chownSync(home, account.uid, account.gid)
  return account
}

function canRun(program: string, words: readonly string[], options: ExecFileSyncOptions = {}): boolean {
  try {
    execFileSync(program, words, { ...options, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

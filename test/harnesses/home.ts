import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { execa } from 'execa'

/** Folder of this package. */
export const root = join(import.meta.dirname, '..', '..')

/** Only downloads and the fixed port are switched off; all other settings keep their defaults. */
const ownSettings = 'daemon: { port: 0 }\nembedding: { provider: none }\n'

export interface Ended {
  code: number
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  /** Text on stdin; closed when absent. */
  stdin?: string
  timeoutMs?: number
}

/** A user's home folder with our programs on the PATH and a project to work in. */
export interface Home {
  folder: string
  /** Working directory of agents. */
  project: string
  /** Folder of the recorded model requests. */
  asked: string
  /** The complete environment of programs that run here. */
  environment: Record<string, string>
  path(...names: string[]): string
  write(path: string, text: string): void
  /** Undefined when the file is missing. */
  read(path: string): string | undefined
  /** Runs a program in the project to its end. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<Ended>
  /** Runs our CLI and returns its reply. @throws Error with its message when it fails */
  memory<T>(...args: string[]): Promise<T>
  remove(): void
}

export function createHome(name: string): Home {
  const folder = mkdtempSync(join(tmpdir(), `memory-harness-${name}-`))
  const project = join(folder, 'heron')
  const programs = join(folder, 'bin')
  const asked = join(folder, 'asked')
  for (const each of [project, programs, asked]) mkdirSync(each)
  symlinkSync(join(root, 'bin', 'run.js'), join(programs, 'memory'))
  symlinkSync(join(root, 'bin', 'mcp.js'), join(programs, 'service-mcp'))
  const home: Home = {
    folder,
    project,
    asked,
    environment: environmentOf(folder, programs),
    path: (...names) => join(folder, ...names),
    write(path, text) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    },
    read: path => textOf(join(folder, path)),
    async run(program, args, { env = {}, stdin, timeoutMs = 120_000 } = {}) {
      const { exitCode, stdout, stderr, shortMessage, timedOut } = await execa(program, args, {
        cwd: project,
        env: { ...home.environment, ...env },
        extendEnv: false,
        ...(stdin === undefined ? { stdin: 'ignore' } : { input: stdin }),
        reject: false,
        timeout: timeoutMs,
        forceKillAfterDelay: 2000,
      })
      if (timedOut) throw new Error(`${program} did not end within ${timeoutMs} ms: ${stdout}\n${stderr}`)
      if (exitCode === undefined) throw new Error(shortMessage)
      return { code: exitCode, stdout, stderr }
    },
    async memory(...args) {
      const { code, stdout, stderr } = await home.run('memory', [...args, '--json'])
      if (code !== 0)
        throw new Error(`memory ${args.join(' ')}: ${/"error": "(.*)"/u.exec(stdout)?.[1] ?? stderr}`)
      return JSON.parse(stdout)
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
  home.write('.memory-service/agent.yaml', ownSettings)
  return home
}

function environmentOf(folder: string, programs: string): Record<string, string> {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env
  return {
    PATH: [programs, dirname(process.execPath), PATH].join(delimiter),
    LANG,
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    HOME: folder,
    TMPDIR: temporaryIn(folder),
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_DATA_HOME: join(folder, '.local', 'share'),
    XDG_STATE_HOME: join(folder, '.local', 'state'),
    XDG_CACHE_HOME: join(folder, '.cache'),
  }
}

function temporaryIn(folder: string): string {
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  return temporary
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

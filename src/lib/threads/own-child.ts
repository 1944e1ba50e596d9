import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'

export interface ChildEntry {
  file: string
  execArgv: readonly string[]
}

export interface OwnChild {
  process: ChildProcess
  isUsable(): boolean
  kill(): void
  /** Keeps this process alive while `work` waits for the child; an idle child does not keep it alive. */
  whileHeld<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Starts a child process without environment and standard streams, so that no secrets or output leak. Its
 * code ends it when its parent is gone.
 */
export function startOwnChild({ file, execArgv }: ChildEntry, flags: readonly string[]): OwnChild {
  const child = forkHidden(file, [], {
    execArgv: [...execArgv, ...flags],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  leaveNoCore(child.pid)
  child.unref()
  child.channel?.unref()
  let isUsable = true
  const lose = (): void => {
    isUsable = false
  }
  child.on('exit', lose).on('error', lose)
  return {
    process: child,
    isUsable: () => isUsable && child.connected,
    kill: () => {
      lose()
      child.kill('SIGKILL')
    },
    whileHeld: async work => {
      child.channel?.ref()
      try {
        return await work()
      } finally {
        child.channel?.unref()
      }
    },
  }
}

/**
 * Starts a Node process without a console window on Windows, where the daemon has no console to share. Node
 * passes the option on, although its types do not name it.
 */
export function forkHidden(file: string, args: readonly string[], options: ForkOptions): ChildProcess {
  return fork(file, args, Object.assign(options, { windowsHide: true }))
}

/** Keeps a child that a hostile file aborts from writing its memory to disk; only Linux needs it. */
function leaveNoCore(pid: number | undefined): void {
  if (process.platform !== 'linux' || pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/coredump_filter`, '0')
  } catch {
    // The child ended already, or the kernel knows no cores.
  }
}

export interface ReusableChild<Child> {
  /** Returns the running child, or starts one. */
  take(): Child
  /** Starts the idle period; the child ends after it unless it is taken again. */
  release(): void
  end(): void
}

/** Manages a single child process that ends after `idleMs` without use. */
export function reuseUntilIdle<Child extends Pick<OwnChild, 'isUsable' | 'kill'>>(
  start: () => Child,
  idleMs: number,
): ReusableChild<Child> {
  const kept: { child?: Child; idle?: NodeJS.Timeout } = {}
  const end = (): void => {
    clearTimeout(kept.idle)
    kept.child?.kill()
    delete kept.child
  }
  return {
    take: () => {
      clearTimeout(kept.idle)
      if (!kept.child?.isUsable()) kept.child = start()
      return kept.child
    },
    release: () => {
      clearTimeout(kept.idle)
      kept.idle = setTimeout(end, idleMs).unref()
    },
    end,
  }
}

import { type ChildProcess, fork } from 'node:child_process'

export interface ChildEntry {
  file: string
  execArgv: readonly string[]
}

export interface OwnChild {
  process: ChildProcess
  isUsable(): boolean
  kill(): void
  /** While it works for somebody the process stays for its answer; else it does not keep one that has nothing to do. */
  whileHeld<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Starts a process of our own: without environment and standard streams, so that nothing of ours leaks into it or out.
 * Its code ends it when its parent is gone.
 */
export function startOwnChild({ file, execArgv }: ChildEntry, flags: readonly string[]): OwnChild {
  const child = fork(file, {
    execArgv: [...execArgv, ...flags],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
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

export interface KeptChild<Child> {
  /** The one that lives, or a new one. */
  take(): Child
  /** Begins the time after which it ends, if nobody takes it before. */
  release(): void
  end(): void
}

/** One child at a time, that ends when nobody needed it for a while. */
export function keptUntilIdle<Child extends Pick<OwnChild, 'isUsable' | 'kill'>>(
  start: () => Child,
  idleMs: number,
): KeptChild<Child> {
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

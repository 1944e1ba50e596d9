import { setTimeout as delay } from 'node:timers/promises'
import { type DaemonProcess, type Scope, spawnDaemon } from './daemon-process.js'

export interface KeptDaemon {
  /** The address of the running daemon; undefined until one is ready. */
  url(): string | undefined
  starts(): number
  /** Ends the running process, or the one that starts. */
  kill(signal: NodeJS.Signals): void
  /** Everything that its processes wrote to stderr. */
  stderr(): string
  /** Ends it, without another start. */
  end(): Promise<void>
}

/** A daemon that is started again each time it has ended, as commands do, until the end of the test. */
export function keepRunning(t: Scope, workspace: string, environment: NodeJS.ProcessEnv = {}): KeptDaemon {
  const all: DaemonProcess[] = []
  const state = { url: undefined as string | undefined, isOver: false }
  const own: Scope = { teardown: () => undefined }
  const running = (async () => {
    while (!state.isOver) {
      const process = spawnDaemon(own, workspace, { SERVICE_NO_AUTOSTART: '1', ...environment })
      all.push(process)
      state.url = (await process.ready().catch(() => undefined))?.url
      await process.exited
      state.url = undefined
      // One that ends at once would keep the machine busy.
      await delay(100)
    }
  })()
  const kill = (signal: NodeJS.Signals): void => {
    state.url = undefined
    all.at(-1)?.child.kill(signal)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    state.isOver = true
    kill(signal)
    await running
  }
  t.teardown(() => end('SIGKILL'))
  return {
    ...{ url: () => state.url, starts: () => all.length, kill, end: () => end('SIGTERM') },
    stderr: () => all.map(one => one.stderr()).join(''),
  }
}

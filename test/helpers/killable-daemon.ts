import { type Scope, spawnDaemon } from './daemon-process.js'

export interface KillableDaemon {
  url: string
  pid: number
  /** Sends a signal and waits for the process to end. */
  stop(signal: NodeJS.Signals): Promise<void>
  post(path: string, body?: object): Promise<Record<string, unknown>>
  get(path: string): Promise<Record<string, unknown>>
}

/** Starts the built daemon, which a test can kill and restart in the same workspace. */
export async function startKillable(t: Scope, workspace: string): Promise<KillableDaemon> {
  const daemon = spawnDaemon(t, workspace, { SERVICE_NO_AUTOSTART: '1' })
  const { url } = await daemon.ready()
  return {
    url,
    pid: daemon.child.pid as number,
    stop: async signal => {
      daemon.child.kill(signal)
      await daemon.exited
    },
    post: (path, body = {}) =>
      ask(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    get: path => ask(url + path),
  }
}

async function ask(url: string, request?: RequestInit): Promise<Record<string, unknown>> {
  return (await (await fetch(url, request)).json()) as Record<string, unknown>
}

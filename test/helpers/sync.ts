import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { TestDaemon } from './daemon.js'
import { temporaryFolder } from './temporary-folder.js'

/** Machines that exchange when a test says so, and never by themselves in between. */
export const manual = { environment: { SERVICE_SYNC_MANUAL: '1' } } as const

/** Makes a folder that several daemons sync through. */
export function syncFolder(t: ExecutionContext): string {
  return temporaryFolder(t, 'memory-sync-store')
}

/** Runs exchanges in turn until nobody has anything left to tell. */
export async function exchangeAll(daemons: readonly TestDaemon[], rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const { call } of daemons) {
      const { status, body } = await call('POST /api/sync/run', { body: {} })
      if (status !== 200 || body.run?.problem) throw new Error(JSON.stringify(body))
    }
}

/** Begins a store on the first daemon and lets the others in. @returns the recovery code */
export async function syncTogether(
  folder: string,
  [first, ...others]: readonly TestDaemon[],
): Promise<string> {
  const { body } = await first!.call('POST /api/sync/init', { body: { address: folder, name: 'first' } })
  for (const [at, { call }] of others.entries()) {
    const { body: asked } = await call('POST /api/sync/join', {
      body: { address: folder, name: `other ${at + 1}` },
    })
    await first!.call('POST /api/sync/approve', { body: { code: asked.code } })
  }
  return body.recoveryCode
}

/** The memories of a workspace with holders and history, less what each machine has for itself. */
export async function dumpOf({ url }: Pick<TestDaemon, 'url'>): Promise<string[]> {
  return dumpOfLines(await (await fetch(new URL('/api/export', url))).text())
}

export function dumpOfLines(text: string): string[] {
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Record<string, unknown>)
  const own = new Set([
    'version',
    'updated_at',
    'updated_by',
    'access_count',
    'last_accessed',
    'exportedAt',
    'memories',
    'events',
    'change',
    'extraction_status',
    'created_at_agent',
  ])
  return lines
    .filter(line => line.kind !== 'header' && line.kind !== 'agent' && line.event !== 'none')
    .map(line => Object.fromEntries(Object.entries(line).filter(([name]) => !own.has(name))))
    .map(line => JSON.stringify(sorted(line)))
    .sort()
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  )
}

/** Files of a store whose names end so. */
export function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith(ending))
    .map(entry => join(entry.parentPath, entry.name))
}

import { ClientError } from '../../../client/client-error.js'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/count-of.js'
import { namesModel } from '../../../lib/model-folder.js'
import { formatBytes, formatDuration } from '../../output.js'
import { plainLine } from '../../text.js'
import { checkDreaming } from './dreaming-check.js'
import type { DaemonCheck, DaemonStatus, DoctorContext, Outcome } from './finding.js'
import { checkImports } from './imports-check.js'
import { checkInference } from './inference-check.js'
import { checkMessages } from './messages-check.js'
import { checkPasswordManagers } from './password-vaults-check.js'
import { checkPlugins } from './plugin-check.js'
import { checkRoundTrip } from './round-trip.js'
import { checkSecrets } from './secrets-check.js'
import { checkSkills } from './skill-checks.js'
import { checkSources } from './sources-check.js'
import { checkTasks } from './tasks-check.js'
import { checkUpdates } from './update-check.js'

/** What a daemon that answers says of itself, and whether it does its work. */
export const daemonChecks: readonly DaemonCheck[] = [
  { id: 'daemon', run: checkDaemon },
  { id: 'version', run: checkVersion },
  { id: 'database', run: checkDatabase },
  { id: 'index', run: checkIndex },
  { id: 'writes', run: checkWrites },
  { id: 'embedding', run: checkEmbedding },
  { id: 'vectors', run: checkVectors },
  { id: 'plugins', run: checkPlugins },
  { id: 'secrets', run: checkSecrets },
  { id: 'password-managers', run: checkPasswordManagers },
  { id: 'skills', run: checkSkills },
  { id: 'documents', run: checkDocuments },
  { id: 'connectors', run: checkConnectors },
  { id: 'sources', run: checkSources },
  { id: 'imports', run: checkImports },
  { id: 'dreaming', run: checkDreaming },
  { id: 'messages', run: checkMessages },
  { id: 'tasks', run: checkTasks },
  { id: 'inference', run: checkInference },
  { id: 'updates', run: checkUpdates },
  { id: 'round-trip', run: checkRoundTrip },
]

async function checkDaemon(_: DoctorContext, { pid, host, port, uptime }: DaemonStatus): Promise<Outcome> {
  return { severity: 'ok', evidence: `pid ${pid} at ${host}:${port}, up ${formatDuration(uptime)}` }
}

async function checkVersion({ version, remote }: DoctorContext, status: DaemonStatus): Promise<Outcome> {
  if (status.version === version) return { severity: 'ok', evidence: version }
  return {
    severity: 'warning',
    evidence: `the daemon is ${status.version}, this program ${version}`,
    fix: remote ? `update the daemon at ${remote}` : 'memory daemon restart',
  }
}

/** A disk without room and a database with a fault have remedies of their own. */
async function checkDatabase(context: DoctorContext, { storage }: Partial<DaemonStatus>): Promise<Outcome> {
  const { problem, damage = [] } = storage ?? {}
  const { database } = context.paths
  if (damage.length > 0) {
    return {
      severity: 'error',
      evidence: `damaged: ${damage.join('; ')}`,
      fix: `memory export --deleted --out memories.jsonl saves what can be read; then memory daemon stop, put a backup in the place of ${database} (or move it away), and memory import memories.jsonl`,
    }
  }
  if (problem) {
    return {
      severity: 'error',
      evidence: `${problem}: nothing can be saved, reads go on`,
      fix: `make room on the disk of ${context.paths.root}; nothing needs to be restarted`,
    }
  }
  return checkReadiness(context, ['database', 'migrations'])
}

async function checkReadiness(
  { call }: DoctorContext,
  names: ReadonlyArray<'database' | 'migrations' | 'index'>,
): Promise<Outcome> {
  const { checks } = await call('GET /health/ready').catch(unready)
  const details = names.map(name => ({ name, ...checks[name] }))
  const broken = details.filter(({ ok }) => !ok)
  const say = (part: { name: string; detail?: string }) =>
    `${part.name}${part.detail ? `: ${part.detail}` : ''}`
  if (broken.length === 0) return { severity: 'ok', evidence: details.map(say).join(', ') }
  return {
    severity: 'error',
    evidence: `not ready: ${broken.map(say).join(', ')}`,
    fix: 'memory daemon logs',
  }
}

/** A daemon that is not ready says so with 503, and what is wrong in the same words. */
function unready(error: unknown): Reply<'GET /health/ready'> {
  const body = error instanceof ClientError ? error.body : undefined
  if (body && 'checks' in body) return body as Reply<'GET /health/ready'>
  throw error
}

async function checkIndex(context: DoctorContext, { index, memories }: DaemonStatus): Promise<Outcome> {
  if (index.state === 'rebuilding') {
    return { severity: 'info', evidence: `being rebuilt: ${index.documents} of ${memories} memories` }
  }
  const readiness = await checkReadiness(context, ['index'])
  if (readiness.severity !== 'ok') return readiness
  const size = `${countOf(index.documents, 'memory', 'memories')}, ${countOf(index.terms, 'term')}`
  return { severity: 'ok', evidence: `${size}, ${formatBytes(index.bytes)}` }
}

async function checkWrites(_: DoctorContext, { pipeline }: DaemonStatus): Promise<Outcome> {
  if (!pipeline.mutationsFrozen) return { severity: 'ok', evidence: 'allowed' }
  return {
    severity: 'warning',
    evidence: 'frozen: nothing can be saved, changed or forgotten',
    fix: 'memory config set memory.pipelineV2.mutationsFrozen false',
  }
}

async function checkEmbedding(context: DoctorContext, { embedding }: DaemonStatus): Promise<Outcome> {
  const { provider, model, dimensions, available, state, error, progress } = embedding
  const name = `${provider} ${model}`.trim()
  if (available || state === 'ready') {
    return { severity: 'ok', evidence: `${name}${dimensions ? `, ${dimensions} dimensions` : ''}` }
  }
  if (state === 'off') return { severity: 'info', evidence: 'no provider is set: recall goes by words only' }
  if (state === 'downloading' || state === 'loading') {
    const part = progress ? `, ${formatBytes(progress.loadedBytes)} so far` : ''
    return { severity: 'info', evidence: `${name} is ${state}${part}; until then recall goes by words only` }
  }
  const why = error ?? (state === 'missing' ? 'the model is not on this machine' : `it is ${state}`)
  const evidence = `${name}: ${why}; recall goes by words only`
  if (state !== 'missing') return { severity: 'warning', evidence, fix: 'memory embedding status' }
  const severity = (await missesModel(context)) ? 'warning' : 'info'
  return { severity, evidence, fix: 'memory embedding pull' }
}

/** A machine where nobody has asked for a model yet works without one; one that the settings name is missed. */
async function missesModel({ remote, paths }: DoctorContext): Promise<boolean> {
  if (remote) return false
  const [{ settings }, { loadSettings }] = await Promise.all([
    import('../../../contract/settings.js'),
    import('../../../lib/settings-file.js'),
  ])
  return namesModel(loadSettings(paths.settings, settings).settings.embedding)
}

async function checkVectors(_: DoctorContext, { embedding, index }: DaemonStatus): Promise<Outcome> {
  const { withoutVector, available, state } = embedding
  if (state === 'off' || withoutVector === 0) {
    return { severity: 'ok', evidence: countOf(index.vectors, 'vector') }
  }
  const waiting = `${countOf(withoutVector, 'memory', 'memories')} without a vector`
  return {
    severity: 'info',
    evidence: `${waiting}, ${available ? 'being made in the background' : 'made once the provider answers'}`,
  }
}

async function checkDocuments({ call }: DoctorContext): Promise<Outcome> {
  const { total } = await call('GET /api/documents', { query: { limit: 1 } })
  const failed = await call('GET /api/documents', { query: { status: 'failed', limit: 1 } })
  const [newest] = failed.documents
  if (!newest) return { severity: 'ok', evidence: countOf(total, 'document') }
  return {
    severity: 'warning',
    evidence: `${failed.total} of ${countOf(total, 'document')} failed, the newest: ${plainLine(newest.error ?? '')}`,
    fix: 'memory documents list --status failed',
  }
}

async function checkConnectors({ call }: DoctorContext): Promise<Outcome> {
  const { connectors, count } = await call('GET /api/connectors')
  const broken = connectors.filter(({ status }) => status === 'error')
  const [newest] = broken
  if (!newest) return { severity: 'ok', evidence: countOf(count, 'connector') }
  const name = plainLine(newest.display_name)
  return {
    severity: 'warning',
    evidence: `${broken.length} of ${countOf(count, 'connector')} not synchronised, ${name}: ${plainLine(newest.last_error ?? '')}`,
    fix: `memory connectors sync ${newest.id} --wait`,
  }
}

import type { Reply } from '../../contract/api.js'
import { sourceProducts } from '../../contract/ground/wire-names.js'
import { labelOf } from '../../lib/text/labels.js'
import { countText } from '../parts/values.js'

export type Source = Reply<'GET /api/sources'>['sources'][number]
export type IndexJob = NonNullable<Source['indexJob']>

/** Display names of the source kinds. */
export const kindNames: Readonly<Record<Source['kind'], string>> = { ...sourceProducts, import: 'Import' }

const activeStatuses = new Set<IndexJob['status'] | undefined>(['queued', 'running'])

export type ImportJob = Reply<'GET /api/sources/imports'>['jobs'][number]

/** Display names of the file formats. */
export const formNames: Readonly<Record<ImportJob['adapter'], string>> = {
  'service-export': 'Export of memory-service',
  'chatgpt-export': 'ChatGPT: conversations.json',
  'claude-export': 'claude.ai: conversations.json',
  'gemini-takeout': 'Gemini (Takeout): MyActivity.json',
  opencode: 'OpenCode sessions',
  'claude-code': 'Claude Code logs',
  codex: 'Codex logs',
  copilot: 'Copilot logs',
  gemini: 'Gemini logs',
  vscode: 'VS Code logs',
  cursor: 'Cursor logs',
  qwen: 'Qwen Code logs',
  kimi: 'Kimi Code logs',
  pi: 'pi logs',
  'oh-my-pi': 'Oh My Pi logs',
  cline: 'Cline sessions',
  'hermes-agent': 'Hermes Agent sessions',
  openclaw: 'OpenClaw sessions',
  grok: 'Grok Build logs',
  kilo: 'Kilo Code sessions',
}

/** Returns true if a source is being read or queued. */
export function isReading({ indexJob }: Source): boolean {
  return activeStatuses.has(indexJob?.status)
}

/** Describes the job of a source in a few words; a running one also has a progress bar. */
export function jobWords({ kind, indexJob: job }: Pick<Source, 'kind' | 'indexJob'>): string {
  // Imported files are read before the source exists.
  if (!job) return kind === 'import' ? 'imported' : 'not synced yet'
  const { status, pauseReason, partial, statusMessage } = job
  if (status === 'queued') return 'queued'
  if (status === 'running') return 'syncing'
  if (status === 'paused')
    return pauseReason === 'requested'
      ? 'paused'
      : `paused (${pauseReason?.replaceAll('_', ' ') ?? 'resumes automatically'})`
  if (status === 'failed') return statusMessage ?? 'failed'
  return partial ? 'partly synced' : 'synced'
}

/** Describes problems of a source, one sentence each; empty for a healthy source. */
export function conditionWords({ health, indexJob, stats }: Source): string[] {
  const missing = Math.round((1 - health.chunkCoverage) * stats.artifacts)
  const lasting = health.failures.total - health.failures.recoverable
  return [
    ...(health.error ? [health.error] : []),
    ...health.permission.issues.map(({ path, guidance }) => `${path}: ${guidance}`),
    ...(indexJob?.status === 'paused' && indexJob.pauseReason !== 'requested'
      ? ['Sync is paused and resumes automatically. Resume continues now.']
      : []),
    ...(missing > 0 ? [`Not searchable yet: ${countText(missing, 'artifact')}.`] : []),
    ...(lasting > 0 ? [`Cannot be read until changed: ${countText(lasting, 'item')}.`] : []),
    ...(health.checkpoints.stale > 0
      ? [`No progress for a week: ${countText(health.checkpoints.stale, 'checkpoint')}.`]
      : []),
    ...(health.purge.deletedArtifacts > 0
      ? [`Being removed: ${countText(health.purge.deletedArtifacts, 'artifact')}.`]
      : []),
    ...health.notes,
  ]
}

export function isRunning({ state }: ImportJob): boolean {
  return ['queued', 'active', 'interrupted'].includes(state)
}

export function stateWords({ state, removedAt }: ImportJob): string {
  if (removedAt) return 'removed'
  return labelOf('importState', state)
}

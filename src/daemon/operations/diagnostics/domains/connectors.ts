import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import type { ConnectorRow } from '../../../../store/tables/knowledge/connectors.js'
import type { SourceRow } from '../../../../store/tables/knowledge/sources.js'
import { sourceRecordOf } from '../../../knowledge/sources/core/source-record.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { ageSec, type DiagnosticsInput, finding, fine, scored } from '../findings/finding.js'

/** Shortens a text that comes from outside. */
const line = (text: string): string => oneLine(text, 300)

/** Why one item is unhealthy, and what to do about it. */
interface ItemFault {
  why: string
  fix: string
}

/** Health of external content: connectors, documents, sources and conversation imports. */
export async function connectorDomain(look: DiagnosticsInput): Promise<DomainReport<'connector'>> {
  const { daemon, survey, now, confined } = look
  const { tables } = daemon.store
  const connectors = await tables.connectors.list()
  // Imported conversations have a finding of their own: they are read once, so they never fail to sync.
  const sources = (await tables.sources.all()).filter(
    ({ kind, root }) => !(kind === 'import' && root.startsWith('transcripts/')),
  )
  const broken = connectors.filter(({ status }) => status === 'error')
  const ofDocuments = (isWanted: (status: string) => boolean): number =>
    survey.documents.filter(({ status }) => isWanted(status)).reduce((sum, { count }) => sum + count, 0)
  const documents = ofDocuments(status => status !== 'deleted')
  const failed = ofDocuments(status => status === 'failed')
  const ages = broken.flatMap(({ updated_at }) => ageSec(now, updated_at) ?? [])
  const findings = [
    kindFinding(
      'connectors',
      { total: connectors.length, one: 'connector', bad: 'failed to sync' },
      broken.map(connectorFault),
    ),
    kindFinding(
      'documents',
      { total: documents, one: 'document', bad: 'failed', count: failed },
      await failedDocuments(daemon, failed),
    ),
    kindFinding(
      'sources',
      { total: sources.length, one: 'source', bad: 'with problems' },
      await sourceFaults(daemon, sources),
    ),
    kindFinding(
      'imports',
      { total: survey.rows.transcript_imports ?? 0, one: 'import', bad: 'with problems' },
      importFaults(look),
    ),
  ]
  return {
    ...scored(findings.map(one => finding(confined ? one.forStrangers : one.forOwner))),
    connectorCount: connectors.length,
    syncing: connectors.filter(({ status }) => status === 'syncing').length,
    errors: broken.length,
    oldestErrorAgeSec: ages.length > 0 ? Math.max(...ages) : null,
    documents,
    failedDocuments: failed,
    sources: sources.length,
    imports: survey.rows.transcript_imports ?? 0,
  }
}

/** One finding per kind; a caller confined to one agent gets counts without names. */
function kindFinding(
  id: string,
  { total, one, bad, count }: { total: number; one: string; bad: string; count?: number },
  ill: readonly ItemFault[],
) {
  const [first] = ill
  if (!first) {
    const well = fine(id, countOf(total, one))
    return { forOwner: well, forStrangers: well }
  }
  const some = `${count ?? ill.length} of ${countOf(total, one)} ${bad}`
  const told = { id, severity: 'warning' as const, count: count ?? ill.length }
  return {
    forOwner: { ...told, evidence: `${some}, ${first.why}`, fix: first.fix },
    forStrangers: { ...told, evidence: some },
  }
}

function connectorFault({ id, display_name, last_error }: ConnectorRow): ItemFault {
  return {
    why: `${line(display_name)}: ${line(last_error ?? '')}`,
    fix: withRemoval(`memory connectors sync ${id} --wait`, `memory connectors remove ${id}`, last_error),
  }
}

/** A folder that won't return fails every sync, so its remedy names the removal too. */
function withRemoval(sync: string, remove: string, why: string | null | undefined): string {
  return why?.includes('it does not exist') ? `${sync}, or ${remove} if it won't return` : sync
}

async function failedDocuments({ store }: Daemon, failed: number): Promise<ItemFault[]> {
  if (failed === 0) return []
  const everybody = { agents: [], globalOf: 'all' as const }
  const [newest] = await store.tables.documents.list({
    boundary: everybody,
    status: 'failed',
    limit: 1,
    offset: 0,
  })
  return [{ why: `the newest: ${line(newest?.error ?? '')}`, fix: 'memory documents list --status failed' }]
}

async function sourceFaults(daemon: Daemon, sources: readonly SourceRow[]): Promise<ItemFault[]> {
  const found: ItemFault[] = []
  for (const row of sources) {
    const { health, indexJob: job } = await sourceRecordOf(daemon, row)
    const sync = `memory sources sync ${row.id} --wait`
    const remove = `memory sources remove ${row.id}`
    const again =
      row.last_indexed_at === null
        ? `${remove}, or fix it and ${sync}`
        : withRemoval(sync, remove, job?.statusMessage)
    const told = (why: string, fix: string) =>
      found.push({ why: `${line(row.name)}: ${line(why)}`, fix: line(fix) })
    const [issue] = health.permission.issues
    if (issue) told(`no access to ${issue.path}`, issue.guidance)
    else if (job?.status === 'failed') told(job.statusMessage ?? 'reading failed', again)
    else if (job?.status === 'paused')
      told(`paused (${job.pauseReason ?? 'unknown'})`, `memory sources resume ${row.id}`)
    else if (health.checkpoints.stale > 0)
      told(`${countOf(health.checkpoints.stale, 'checkpoint')} unchanged for a week`, sync)
  }
  return found
}

function importFaults({ survey }: DiagnosticsInput): ItemFault[] {
  return survey.troubledImports.map(({ id, state, error, updated_at }) =>
    state === 'staging'
      ? { why: `${id} has waited for its files since ${updated_at}`, fix: `memory imports cancel ${id}` }
      : { why: `${id} ${state}: ${line(error ?? 'unknown reason')}`, fix: `memory imports retry ${id}` },
  )
}

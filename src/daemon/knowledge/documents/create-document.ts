import { isAbsolute, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../../contract/ground/errors.js'
import type { CreateDocumentBody, DocumentStatus } from '../../../contract/knowledge/documents.js'
import { quoted } from '../../../lib/text/clip.js'
import type { DocumentRow, NewDocument } from '../../../store/tables/knowledge/documents.js'
import type { Tables } from '../../../store/tables/tables.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import { agentOf, readBoundary } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { assertMayRead } from '../../platform/auth/given-folders.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { ingestJob } from './job.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'newId' | 'wake' | 'configuration'>

export interface CreatedDocument {
  id: string
  status: DocumentStatus
  jobId?: string
  deduplicated?: true
}

/**
 * Adds a document: in one transaction its row, its text unless that can be fetched, and the job that reads it
 * (documents.md#adding). An address already known to the same agent and project is not added twice: a URL
 * returns the existing document, a file is read again because it may have changed.
 * @throws AppError `validation_failed` for an invalid address, `forbidden` for a path from another machine
 * or one that the credential may not have read, `scope_violation` for the address of another user's document
 */
export async function createDocument(
  deps: Deps,
  caller: Caller,
  body: CreateDocumentBody,
): Promise<CreatedDocument> {
  const boundary = await readBoundary(deps, caller, body)
  const address = await addressOf(deps, caller, body)
  const now = deps.clock().toISOString()
  const row: NewDocument & { id: string } = {
    id: deps.newId(),
    agent_id: agentOf(caller, body) ?? defaultAgent,
    project: body.project ?? boundary.only?.project ?? null,
    title: body.title ?? null,
    source_type: body.source_type,
    source_url: address,
    content_type: body.content_type ?? null,
    connector_id: body.connector_id ?? null,
    metadata: body.metadata ? JSON.stringify(body.metadata) : null,
    status: 'queued',
    created_by: caller.actor,
    who: boundary.only?.who ?? null,
    created_at: now,
    updated_at: now,
  }
  const text = body.source_type === 'url' ? undefined : (body.content ?? undefined)
  const write = (tables: Tables) => addDocument(deps, tables, row, text)
  const created = await (text === undefined
    ? deps.store.write({ until: 'synced', shared: true }, write)
    : deps.store.write({ until: 'synced', large: true }, write))
  if (created.jobId) deps.wake(ingestJob)
  return created
}

export interface SyncedFile {
  /** Absolute path. */
  path: string
  connectorId: string
  /** Recreates the chunks even if the text is unchanged. */
  anew: boolean
}

/**
 * Adds a file of a connector within a transaction: resets the row of its path or inserts a new one, and
 * queues a job. The document belongs to the default agent.
 */
export async function addConnectorFile(
  deps: Pick<Daemon, 'clock' | 'newId'>,
  tables: Tables,
  { actor }: Pick<Caller, 'actor'>,
  { path, connectorId, anew }: SyncedFile,
): Promise<{ id: string; isNew: boolean }> {
  const now = deps.clock().toISOString()
  const row = {
    id: deps.newId(),
    agent_id: defaultAgent,
    source_type: 'file',
    source_url: path,
    connector_id: connectorId,
    status: 'queued',
    created_by: actor,
    created_at: now,
    updated_at: now,
  }
  const { id } = await addDocument(deps, tables, row, undefined)
  const isNew = id === row.id
  if (anew && !isNew) await tables.documents.update(id, { content_hash: null })
  return { id, isNew }
}

async function addDocument(
  deps: Pick<Daemon, 'newId'>,
  tables: Tables,
  row: NewDocument & { id: string },
  text: string | undefined,
): Promise<CreatedDocument> {
  const { agent_id, project = null, source_url } = row
  const known = source_url ? await tables.documents.at({ agent_id, project, source_url }) : undefined
  // A credential confined to a user could not see the result, and would change another user's document.
  if (known && row.who && known.who !== row.who)
    throw new AppError(
      'scope_violation',
      `another user has a document at ${quoted(known.source_url ?? '')}; this credential is limited to ${quoted(row.who)}`,
    )
  if (known && known.source_type === 'url' && known.status !== 'failed')
    return { id: known.id, status: known.status as DocumentStatus, deduplicated: true }
  if (agent_id !== defaultAgent) await tables.agents.register(agent_id, row.updated_at)
  const id = known?.id ?? row.id
  if (known) await tables.documents.update(id, resubmission(known, row))
  else await tables.documents.insert(row)
  if (text !== undefined) await tables.documents.putText(id, text)
  const isLocal = text === undefined && row.source_type === 'file'
  const jobId = await tables.jobs.enqueue(newJob(deps, { ...ingestJob, isLocal }, id), row.updated_at)
  return { id, status: 'queued', jobId }
}

/** Returns the changes of a repeated submission; fields it does not name stay. */
function resubmission(known: DocumentRow, row: NewDocument): Partial<NewDocument> {
  return {
    source_type: row.source_type,
    status: 'queued',
    error: null,
    requests: known.requests + 1,
    title: row.title ?? known.title,
    content_type: row.content_type ?? known.content_type,
    connector_id: row.connector_id ?? known.connector_id,
    metadata: row.metadata ?? known.metadata,
    updated_at: row.updated_at,
  }
}

async function addressOf(
  deps: Pick<Daemon, 'configuration'>,
  caller: Caller,
  { source_type, url, content }: CreateDocumentBody,
): Promise<string | null> {
  if (source_type === 'text' || !url) return null
  if (source_type === 'url') return webAddress(url)
  const path = pathOf(url)
  if (typeof content === 'string') return path
  if (!isOnThisMachine(caller))
    throw new AppError(
      'forbidden',
      `paths are only read for callers on the daemon's machine; send the text of ${quoted(url)} in content`,
    )
  await assertMayRead(deps, caller, path)
  return path
}

/** Returns the URL as given but without fragment, because that only names a place within the document. */
function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw invalidUrl(`${quoted(text)} is not an http or https URL`)
  if (url.username || url.password)
    throw invalidUrl('a URL with a user name or password is not fetched: it would be stored and shown')
  return text.replace(/#.*$/su, '')
}

function pathOf(text: string): string {
  if (!text.startsWith('file:')) {
    if (isAbsolute(text)) return normalize(text)
    throw invalidUrl(
      `${quoted(text)} is not an absolute path; a relative one would depend on the daemon's folder`,
    )
  }
  try {
    return normalize(fileURLToPath(text))
  } catch {
    throw invalidUrl(`${quoted(text)} is not a file: URL on this machine`)
  }
}

function invalidUrl(message: string): AppError {
  return new AppError('validation_failed', message, [{ path: 'url', message }])
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { type Scope, until } from '../helpers/daemon-process.js'
import { openRaw } from '../helpers/store.js'

/** An import's uploaded bytes, and the texts that must be stored at the end. */
export interface Upload {
  jobId: string
  bytes: Buffer
  /** Texts of the messages by the key of their conversation. */
  texts: ReadonlyMap<string, readonly string[]>
  isRemoved: boolean
}

/** Rows that no later cleanup would remove. */
const leftovers: Readonly<Record<string, string>> = {
  'messages without a transcript': `SELECT count(*) AS count FROM transcript_messages m
    LEFT JOIN transcripts t ON t.body_id = m.body_id WHERE t.body_id IS NULL OR m.position >= t.messages`,
  'chunks without a transcript': `SELECT count(*) AS count FROM transcript_chunks c
    LEFT JOIN transcripts t ON t.body_id = c.body_id WHERE t.body_id IS NULL AND c.removed = 0`,
  'unfinished conversations': 'SELECT count(*) AS count FROM transcript_import_bodies',
}

/** Checks the bytes, counts and searches of an import over HTTP. @returns descriptions of the faults */
export async function faultsOverHttp(
  url: string,
  { jobId, bytes, texts, isRemoved }: Upload,
): Promise<string[]> {
  const faults: string[] = []
  const content = await fetch(`${url}/api/sources/imports/${jobId}/files/a/content`)
  if (isRemoved && content.status !== 410) faults.push(`${jobId}: its bytes returned ${content.status}`)
  if (!isRemoved && !Buffer.from(await content.arrayBuffer()).equals(bytes))
    faults.push(`${jobId}: stored bytes differ from the upload`)
  const job = (await (await fetch(`${url}/api/sources/imports/${jobId}`)).json()) as Record<string, number>
  const counts = [job.total, job.imported, job.duplicate, job.rejected, job.pending].join(' ')
  if (counts !== `${texts.size} ${texts.size} 0 0 0`) faults.push(`${jobId}: counts are ${counts}`)
  const [key = ''] = texts.keys()
  const expected = isRemoved ? 0 : 1
  await until(async () => ((await countOf(url, key)) === expected ? true : undefined)).catch(() =>
    faults.push(`${key} is ${isRemoved ? 'still' : 'not'} found`),
  )
  return faults
}

async function countOf(url: string, sessionKey: string): Promise<number> {
  const response = await fetch(`${url}/api/sessions/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'crane', sessionKey }),
  })
  return ((await response.json()) as { count: number }).count
}

/** Compares the database of a stopped daemon with the uploads. */
export function checkStored(
  scope: Scope,
  workspace: string,
  uploads: readonly Upload[],
): { messages: number; faults: string[] } {
  const paths = workspacePaths(workspace)
  const database = openRaw(scope, paths.database)
  const rows = database
    .prepare<[], { key: string; position: number; text: string }>(
      `SELECT t.session_key AS key, m.position, m.text FROM transcripts t
       JOIN transcript_messages m ON m.body_id = t.body_id AND m.position < t.messages ORDER BY 1, 2`,
    )
    .all()
  const stored = new Map<string, string[]>()
  for (const { key, text } of rows) {
    const known = stored.get(key)
    if (known) known.push(text)
    else stored.set(key, [text])
  }
  const faults: string[] = []
  for (const { jobId, texts, isRemoved } of uploads) {
    for (const [key, expected] of texts)
      if (JSON.stringify(stored.get(key)) !== (isRemoved ? undefined : JSON.stringify(expected)))
        faults.push(`${key}: ${stored.get(key)?.length ?? 0} messages, or different ones`)
    if (isRemoved && existsSync(join(paths.imports, jobId))) faults.push(`${jobId}: its files still exist`)
  }
  for (const [what, query] of Object.entries(leftovers)) {
    const { count } = database.prepare<[], { count: number }>(query).get() ?? { count: 0 }
    if (count > 0) faults.push(`${count} ${what}`)
  }
  return { messages: rows.length, faults }
}

import {
  type GithubTreeEntry,
  githubRepository,
  githubTree,
} from '../../../../contract/knowledge/sources/github-replies.js'
import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { decodeText } from '../../../ground/extraction/decode-text.js'
import { ApiFault, isFault } from '../../../ground/fetch/api-fault.js'
import { globMatcher } from '../../files/glob-matcher.js'
import type { SourceEvent } from '../core/kind.js'
import type { Reply } from './client.js'
import { endsPass, malformed } from './github-fault.js'
import { finished, type Start, startOf, unfinished } from './progress.js'
import { digest, faultEvent, patiently, type Reading } from './reading.js'

/** Larger files are no documentation that anybody wrote. */
const maxDocBytes = 1024 * 1024
const markdown = /\.(?:md|markdown|mdx|mdown|mkd)$/iu

/**
 * Markdown files of the default branch, by its tree and the hashes of its files: only what has changed is fetched, and an
 * unchanged tree costs one request. @throws GithubFault
 */
export async function* readDocs(reading: Reading, repo: string): AsyncGenerator<SourceEvent> {
  const { client, settings, tokenMark } = reading
  const key = `${repo}/docs`
  const selection = JSON.stringify([settings.docPaths, settings.maxItemsPerRepo ?? null])
  const start = await startOf(reading, { key, selection })
  const branch = yield* defaultBranch(reading, repo)
  const address = new URL(
    `repos/${repo}/git/trees/${encodeURIComponent(branch)}?recursive=1`,
    client.address.rest,
  )
  const of = digest(`${tokenMark} ${address.href}`)
  const last = !start.listing && start.before.etag?.of === of ? start.before.etag : undefined
  const reply = yield* treeReply(reading, address, last?.tag)
  if (reply === 'empty') return yield { event: 'listed', prefix: `${key}/` }
  if (reply.status === 304) return yield finished(reading, start, { since: null, etag: last })
  const tree = githubTree.safeParse(reply.body).data
  if (!tree) throw malformed(`the tree of ${repo} has not the form that GitHub promises`)
  const all = await inSlices(chosen(tree.tree, settings.docPaths))
  const entries = all.slice(0, settings.maxItemsPerRepo)
  let faults = 0
  for (const entry of entries)
    for await (const event of readDoc(reading, { repo, branch, entry })) {
      if (event.event === 'fault') faults++
      yield event
    }
  if (tree.truncated) return yield* truncated(reading, start, repo)
  yield { event: 'listed', prefix: `${key}/` }
  const tag = reply.headers.etag
  const isDone = faults === 0 && typeof tag === 'string'
  yield finished(reading, start, { since: null, etag: isDone ? { tag, of } : undefined })
}

/** A tree of more than 100,000 entries comes in part: what is there is read, and nothing is taken away. */
function* truncated({ pass }: Reading, start: Start, repo: string): Generator<SourceEvent> {
  const message = `GitHub told only a part of the files of ${repo}, which has too many: the rest is not read, and what is deleted there stays`
  yield { event: 'fault', path: start.key, message, isRecoverable: false }
  yield { event: 'partial' }
  yield unfinished(start, null, { pass: pass.number })
}

async function* defaultBranch(reading: Reading, repo: string): AsyncGenerator<SourceEvent, string> {
  const address = new URL(`repos/${repo}`, reading.client.address.rest)
  const reply = yield* patiently(reading, () => reading.client.get(address))
  const parsed = githubRepository.safeParse(reply.body).data
  if (parsed) return parsed.default_branch
  throw malformed(`what GitHub says of ${repo} has not the form that it promises`)
}

/** A repository without a commit has no tree: 409. */
async function* treeReply(
  reading: Reading,
  address: URL,
  etag: string | undefined,
): AsyncGenerator<SourceEvent, Reply | 'empty'> {
  try {
    return yield* patiently(reading, () => reading.client.get(address, etag === undefined ? {} : { etag }))
  } catch (error) {
    if (error instanceof ApiFault && error.status === 409) return 'empty'
    throw error
  }
}

/**
 * Markdown files alone, whatever the globs say; links and submodules have no text of their own. In steps: a tree has up
 * to 100,000 entries.
 */
function* chosen(
  tree: readonly GithubTreeEntry[],
  docPaths: readonly string[],
): Generator<undefined, GithubTreeEntry[]> {
  const takes = globMatcher(docPaths, { nocase: true })
  const taken: GithubTreeEntry[] = []
  for (const entry of tree) {
    yield
    const { type, mode, path } = entry
    if (type === 'blob' && mode !== '120000' && markdown.test(path) && takes(path)) taken.push(entry)
  }
  return taken.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function* readDoc(
  reading: Reading,
  { repo, branch, entry }: { repo: string; branch: string; entry: GithubTreeEntry },
): AsyncGenerator<SourceEvent> {
  const { client, pass } = reading
  const path = `${repo}/docs/${entry.path}`
  const fingerprint = `blob ${entry.sha}`
  if ((await pass.known(path))?.fingerprint === fingerprint) return yield { event: 'same', path }
  if ((entry.size ?? 0) > maxDocBytes) return yield* kept(pass, path, tooLarge)
  const address = new URL(`repos/${repo}/git/blobs/${entry.sha}`, client.address.rest)
  try {
    const reply = yield* patiently(reading, () => client.get(address, { rawBytes: maxDocBytes }))
    const text = await inSlices(decodeText(reply.body as Buffer))
    yield {
      event: 'artifact',
      artifact: {
        path,
        kind: 'doc',
        title: titleOf(text) ?? entry.path,
        text,
        names: [entry.path],
        url: webAddress(client.address.rest, `${repo}/blob/${branch}/${entry.path}`),
        updatedAt: null,
        fingerprint,
      },
    }
  } catch (error) {
    if (!(error instanceof ApiFault) || endsPass(error)) throw error
    yield* kept(pass, path, isFault(error, 'too_large') ? tooLarge : error)
  }
}

const tooLarge = new ApiFault('too_large', `it is larger than ${maxDocBytes} bytes`)

/** A file that is there and can't be read keeps what is known of it. */
async function* kept(pass: Reading['pass'], path: string, fault: ApiFault): AsyncGenerator<SourceEvent> {
  if (await pass.known(path)) yield { event: 'same', path }
  yield faultEvent(path, fault)
}

/** The first heading of the first level that stands outside of code. */
function titleOf(text: string): string | undefined {
  const beginning = text.slice(0, 20_000).replace(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)/gmu, '')
  return /^#[ \t]+(.+?)[ \t]*#*[ \t]*$/mu.exec(beginning)?.[1]
}

/** A page of GitHub for people: its API stands at a host of its own, an enterprise server's beside it. */
export function webAddress(rest: URL, path: string): string {
  const host = rest.hostname === 'api.github.com' ? 'github.com' : rest.host
  return new URL(path.split('/').map(encodeURIComponent).join('/'), `${rest.protocol}//${host}/`).href
}

import {
  type GithubTreeEntry,
  githubRepository,
  githubTree,
} from '../../../../contract/knowledge/sources/github-replies.js'
import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { decodeText } from '../../../ground/extraction/decode-text.js'
import { ApiFault, isFault } from '../../../ground/fetch/api-faults.js'
import { globMatcher } from '../../files/glob-matcher.js'
import { manifestKind } from '../../files/manifest-kind.js'
import type { SourceEvent } from '../core/kind.js'
import type { Reply } from './client.js'
import { endsPass, malformed } from './github-fault.js'
import { finishedCheckpoint, type ListingStart, listingStartOf, openCheckpoint } from './progress.js'
import { digest, faultEvent, type GithubPass, withLimitWaits } from './reading.js'

/** Larger files are generated rather than written by hand. */
const maxDocBytes = 1024 * 1024
const markdown = /\.(?:md|markdown|mdx|mdown|mkd)$/iu
/** Manifests of a repository, those nearest to its root first; a large one has some for each package. */
const maxManifests = 50
/** Folders with the code of others, or with examples for tests. */
const foreignFolder = /(?:^|\/)(?:node_modules|vendor|third[_-]party|testdata|fixtures|__fixtures__)\//iu

/**
 * Reads the Markdown files and the manifests of the default branch. Its tree has the hash of every file, so
 * only changed files are fetched, and an unchanged tree costs one request.
 * @throws GithubFault
 */
export async function* readDocs(reading: GithubPass, repo: string): AsyncGenerator<SourceEvent> {
  const { client, settings, tokenMark } = reading
  const key = `${repo}/docs`
  const selection = JSON.stringify([settings.docPaths, settings.maxItemsPerRepo ?? null, 'manifests'])
  const start = await listingStartOf(reading, { key, selection })
  const branch = yield* defaultBranch(reading, repo)
  const address = new URL(
    `repos/${repo}/git/trees/${encodeURIComponent(branch)}?recursive=1`,
    client.address.rest,
  )
  const of = digest(`${tokenMark} ${address.href}`)
  const last = !start.listing && start.before.etag?.of === of ? start.before.etag : undefined
  const reply = yield* treeReply(reading, address, last?.tag)
  if (reply === 'empty') return yield { event: 'listed', prefix: `${key}/` }
  if (reply.status === 304) return yield finishedCheckpoint(reading, start, { since: null, etag: last })
  const tree = githubTree.safeParse(reply.body).data
  if (!tree) throw malformed(`the file tree of ${repo} has an unexpected format`)
  const all = await inSlices(selectDocs(tree.tree, settings.docPaths))
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
  yield finishedCheckpoint(reading, start, { since: null, etag: isDone ? { tag, of } : undefined })
}

/** GitHub truncates trees of more than 100,000 entries: the listed files are read, and nothing is removed. */
function* truncated({ pass }: GithubPass, start: ListingStart, repo: string): Generator<SourceEvent> {
  const message = `GitHub listed only part of the files of ${repo}, which has too many: the rest is not read, and deleted files there are kept`
  yield { event: 'fault', path: start.key, message, isRecoverable: false }
  yield { event: 'partial' }
  yield openCheckpoint(start, null, { pass: pass.number })
}

async function* defaultBranch(reading: GithubPass, repo: string): AsyncGenerator<SourceEvent, string> {
  const address = new URL(`repos/${repo}`, reading.client.address.rest)
  const reply = yield* withLimitWaits(reading, () => reading.client.get(address))
  const parsed = githubRepository.safeParse(reply.body).data
  if (parsed) return parsed.default_branch
  throw malformed(`the reply of GitHub about ${repo} has an unexpected format`)
}

/** A repository without a commit has no tree: 409. */
async function* treeReply(
  reading: GithubPass,
  address: URL,
  etag: string | undefined,
): AsyncGenerator<SourceEvent, Reply | 'empty'> {
  try {
    return yield* withLimitWaits(reading, () =>
      reading.client.get(address, etag === undefined ? {} : { etag }),
    )
  } catch (error) {
    if (error instanceof ApiFault && error.status === 409) return 'empty'
    throw error
  }
}

/**
 * Selects Markdown files of the globs, and manifests; links and submodules have no text. In steps, because a
 * tree has up to 100,000 entries.
 */
function* selectDocs(
  tree: readonly GithubTreeEntry[],
  docPaths: readonly string[],
): Generator<undefined, GithubTreeEntry[]> {
  const takes = globMatcher(docPaths, { nocase: true })
  const taken: GithubTreeEntry[] = []
  const manifests: GithubTreeEntry[] = []
  for (const entry of tree) {
    yield
    const { type, mode, path } = entry
    if (type !== 'blob' || mode === '120000') continue
    if (markdown.test(path) && takes(path)) taken.push(entry)
    else if (manifestKind(path) && !foreignFolder.test(path)) manifests.push(entry)
  }
  const byPath = (a: GithubTreeEntry, b: GithubTreeEntry): number => (a.path < b.path ? -1 : 1)
  const depth = ({ path }: GithubTreeEntry): number => path.split('/').length
  manifests.sort((a, b) => depth(a) - depth(b) || byPath(a, b))
  return [...taken.sort(byPath), ...manifests.slice(0, maxManifests)]
}

async function* readDoc(
  reading: GithubPass,
  { repo, branch, entry }: { repo: string; branch: string; entry: GithubTreeEntry },
): AsyncGenerator<SourceEvent> {
  const { client, pass } = reading
  const path = `${repo}/docs/${entry.path}`
  const fingerprint = `blob ${entry.sha}`
  const isManifest = manifestKind(entry.path) !== undefined
  if ((await pass.known(path))?.fingerprint === fingerprint) return yield { event: 'same', path }
  if ((entry.size ?? 0) > maxDocBytes) return yield* keepArtifact(pass, path, tooLarge)
  const address = new URL(`repos/${repo}/git/blobs/${entry.sha}`, client.address.rest)
  try {
    const reply = yield* withLimitWaits(reading, () => client.get(address, { rawBytes: maxDocBytes }))
    const text = await inSlices(decodeText(reply.body as Buffer))
    yield {
      event: 'artifact',
      artifact: {
        path,
        kind: isManifest ? 'manifest' : 'doc',
        title: isManifest ? entry.path : (titleOf(text) ?? entry.path),
        text,
        ...(isManifest && { searched: { text, plain: true } }),
        names: [entry.path],
        url: webAddress(client.address.rest, `${repo}/blob/${branch}/${entry.path}`),
        updatedAt: null,
        fingerprint,
      },
    }
  } catch (error) {
    if (!(error instanceof ApiFault) || endsPass(error)) throw error
    yield* keepArtifact(pass, path, isFault(error, 'too_large') ? tooLarge : error)
  }
}

const tooLarge = new ApiFault('too_large', `it is larger than ${maxDocBytes} bytes`)

/** An unreadable file that still exists keeps its artifact. */
async function* keepArtifact(
  pass: GithubPass['pass'],
  path: string,
  fault: ApiFault,
): AsyncGenerator<SourceEvent> {
  if (await pass.known(path)) yield { event: 'same', path }
  yield faultEvent(path, fault)
}

/** Returns the first level-1 heading outside of code. */
function titleOf(text: string): string | undefined {
  const beginning = text.slice(0, 20_000).replace(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)/gmu, '')
  return /^#[ \t]+(.+?)[ \t]*#*[ \t]*$/mu.exec(beginning)?.[1]
}

/**
 * Returns the address of a web page: github.com has its API on another host, an enterprise server on the same
 * one.
 */
export function webAddress(rest: URL, path: string): string {
  const host = rest.hostname === 'api.github.com' ? 'github.com' : rest.host
  return new URL(path.split('/').map(encodeURIComponent).join('/'), `${rest.protocol}//${host}/`).href
}

import { oneAtATime } from '../../../../lib/concurrency/one-at-a-time.js'
import { type GitClone, openClone, type SeenTree } from './git-clone.js'
import { type Transport, TransportFault, type TransportOptions } from './transport.js'

interface Change {
  name: string
  /** Undefined removes the file. */
  bytes?: Uint8Array
  settle: (error?: unknown) => void
}

/** Files of one commit, which wait while an earlier one is pushed. */
const togetherInCommit = 32
/** Two machines that push at once let each other win in turn. */
const attempts = 25

/**
 * A branch of a git repository, through the git of this machine. New files are commits on top; removed ones
 * begin a new history, so that the repository can forget them.
 */
export async function gitTransport(
  { remote }: { remote: string },
  options: TransportOptions,
): Promise<Transport> {
  const inLine = oneAtATime()
  const clone = openClone(remote, options)
  const waiting: Change[] = []
  let seen: SeenTree | undefined
  const flush = async (): Promise<void> => {
    const batch = waiting.splice(0, togetherInCommit)
    if (batch.length === 0) return
    try {
      seen = await write(clone, seen, batch)
      for (const { settle } of batch) settle()
    } catch (error) {
      seen = undefined
      for (const { settle } of batch) settle(error)
    }
  }
  const change = (name: string, bytes?: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (error?: unknown): void => (error === undefined ? resolve() : reject(error))
      waiting.push({ name, ...(bytes && { bytes }), settle })
      void inLine(flush)
    })
  const look = async (): Promise<SeenTree> => {
    seen = await clone.fetch()
    return seen
  }
  return {
    place: options.place,
    atOnce: togetherInCommit,
    oddities: () => clone.oddities.splice(0),
    list: () => inLine(async () => [...(await look()).files].map(([name, { bytes }]) => ({ name, bytes }))),
    get: name =>
      inLine(async () => {
        const file = (seen ?? (await look())).files.get(name) ?? (await look()).files.get(name)
        return file && clone.read(file.id)
      }),
    put: (name, bytes) => change(name, bytes),
    remove: name => change(name),
    close: async () => undefined,
  }
}

/** Commits and pushes, on top of what other machines pushed meanwhile. */
async function write(
  clone: GitClone,
  seen: SeenTree | undefined,
  batch: readonly Change[],
): Promise<SeenTree> {
  let isFresh = seen === undefined
  let tree = seen ?? (await clone.fetch())
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { files } = tree
    const added = batch.flatMap(({ name, bytes }) => (bytes && !files.has(name) ? [{ name, bytes }] : []))
    const removed = batch.flatMap(({ name, bytes }) => (!bytes && files.has(name) ? [name] : []))
    const isEmpty = added.length + removed.length === 0
    if (isEmpty && isFresh) return tree
    const pushed = isEmpty ? undefined : await clone.push(tree, { added, removed })
    if (pushed) return pushed
    tree = await clone.fetch()
    isFresh = true
  }
  throw new TransportFault('other machines push to the repository all the time', { kind: 'unreachable' })
}

/** Twice the time between heartbeats, and a little. */
const seenWithinMs = 25_000

interface SeenNode {
  applied: number
  /** ISO time of its last heartbeat, by which its row is as it was then. */
  seenAt: string
  /** ISO time; absent while it serves. */
  stoppingSince?: string | undefined
}

/** A daemon of a database where texts name it. */
type NamedNode = { name: string; url: string } & Pick<SeenNode, 'stoppingSince'>

/** Names a daemon with its address, and says when it is about to end. */
export function nodeName({ name, url, stoppingSince }: NamedNode): string {
  return `${name} (${url}${stoppingSince === undefined ? '' : ', stopping'})`
}

/**
 * Adds to each daemon of a database how many changes its index was behind the newest known one, and how long
 * it is silent. The daemon that answers may be behind as well.
 * @param change how far the index of the daemon that answers is
 * @param now milliseconds
 */
export function nodeStates<Node extends SeenNode>(
  nodes: readonly Node[],
  change: number,
  now: number,
): (Node & { behind: number; silentMs: number; isSilent: boolean })[] {
  const newest = Math.max(change, ...nodes.map(({ applied }) => applied))
  return nodes.map(node => {
    const silentMs = now - Date.parse(node.seenAt)
    return { ...node, behind: newest - node.applied, silentMs, isSilent: silentMs > seenWithinMs }
  })
}

/**
 * Says whose things a list shows, when other daemons of a database have their own.
 * @param things their plural, such as `secrets`
 * @returns undefined without other daemons
 */
export function staysText(
  stays: { daemon: string; others: readonly NamedNode[] } | undefined,
  things: string,
): string | undefined {
  if (!stays || stays.others.length === 0) return undefined
  const others = stays.others.map(nodeName).join(', ')
  return `These are the ${things} of the daemon ${stays.daemon}. Others have their own: ${others}`
}

/** A daemon among several that share the database. */
export interface NodesTable {
  id: string
  name: string
  version: string
  url: string
  started_at: string
  /** Its last heartbeat, by its own clock. */
  seen_at: string
  /** The change number up to which its index is. */
  applied: number
}

/** A periodic work that one of several daemons does. */
export interface NodeDutiesTable {
  name: string
  node: string
  taken_at: string
}

export interface NodeSchema {
  nodes: NodesTable
  node_duties: NodeDutiesTable
}

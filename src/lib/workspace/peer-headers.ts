/** Header with which our clients name their workspace, and prove that they may read its private files. */
export const instanceHeader = 'x-service-instance'
/** Header that names a workspace and proves nothing; `memory connect` writes it into settings files. */
export const workspaceHeader = 'x-service-workspace'
/** A client's question to `GET /health`. */
export const challengeHeader = 'x-service-challenge'
/** The daemon's answer: a proof that it serves the workspace of the client. */
export const proofHeader = 'x-service-proof'

/** The number of a change, with a reply that may have made one; only from daemons that share a database. */
export const changeHeader = 'x-memory-change'

/** The change that a daemon must know before it answers. */
export const afterHeader = 'x-memory-after'

/** The last change that a daemon knew which answered without the one it was asked for. */
export const behindHeader = 'x-memory-behind'

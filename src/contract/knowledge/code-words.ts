/**
 * How sure an edge is (code-index.md#how-sure-an-edge-is). `certain`: what the language itself would take; `likely`: by
 * a declared type, or by inheritance, which may be overridden; `ambiguous`: one of several, or none of them.
 */
export const codeCertainties = ['certain', 'likely', 'ambiguous'] as const
export type CodeCertainty = (typeof codeCertainties)[number]

export const codeRelations = ['call', 'import', 'inherit', 'reference'] as const
export type CodeRelation = (typeof codeRelations)[number]

/** Backward is what uses a symbol, forward what it uses. */
export const blastDirections = ['forward', 'backward', 'both'] as const

/** What a reading does, in this order. */
export const codePhases = ['listing', 'parsing', 'resolving'] as const

export const codeJobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

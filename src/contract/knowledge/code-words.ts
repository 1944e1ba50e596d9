/**
 * Confidence of an edge (code-index.md#how-sure-an-edge-is). `certain`: the language itself resolves it so;
 * `likely`: through a declared type, or inheritance, which may be overridden; `ambiguous`: one of several, or
 * none of them.
 */
export const codeCertainties = ['certain', 'likely', 'ambiguous'] as const
export type CodeCertainty = (typeof codeCertainties)[number]

export const codeRelations = ['call', 'import', 'inherit', 'reference'] as const

/** Backward follows the users of a symbol, forward the symbols it uses. */
export const blastDirections = ['forward', 'backward', 'both'] as const

/** Phases of an index job, in order. */
export const codePhases = ['listing', 'parsing', 'resolving'] as const

export const codeJobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

/** Kinds of code that a memory mentions, and the states of a tie. */
export const tieKinds = ['path', 'symbol', 'commit'] as const
export type TieKind = (typeof tieKinds)[number]
export const tieStates = ['here', 'changed', 'gone'] as const
export type TieState = (typeof tieStates)[number]

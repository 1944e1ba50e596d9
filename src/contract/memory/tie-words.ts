/** What a memory names of the code of its project, and whether it is as it was. */
export const tieKinds = ['path', 'symbol', 'commit'] as const
export type TieKind = (typeof tieKinds)[number]
export const tieStates = ['here', 'changed', 'gone'] as const
export type TieState = (typeof tieStates)[number]

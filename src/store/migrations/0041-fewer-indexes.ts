/** Whoever lists authors is answered as soon from `memories_recent`, which holds all that is asked for. */
export const fewerIndexes = `
DROP INDEX memories_who;
`

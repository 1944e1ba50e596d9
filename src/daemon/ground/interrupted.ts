/** The daemon stops: what is under way is done again after the next start. */
export class Interrupted extends Error {}

/** Asked between steps of work. @throws Interrupted when there is no time for more. */
export type GoOn = () => void

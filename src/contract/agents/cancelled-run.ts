/** The `error` of a run that somebody ended (tasks.md#runs). Alone in its file, so that a terminal loads no schemas for it. */
export const cancelledByCaller = 'cancelled'

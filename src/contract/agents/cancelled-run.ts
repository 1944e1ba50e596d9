/**
 * The `error` of a cancelled run (tasks.md#runs). In a file of its own, so that a terminal does not load
 * schemas for it.
 */
export const cancelledByCaller = 'cancelled'

import { signal } from '@preact/signals'

/** True if the last request reached the daemon. */
export const isReachable = signal(true)

/** True if the daemon requires a credential that this tab lacks. */
export const needsLogin = signal(false)

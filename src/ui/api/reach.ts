import { signal } from '@preact/signals'

/** Whether the last request reached the daemon. */
export const isReachable = signal(true)

/** Whether the daemon asks for a credential that this tab does not have. */
export const needsLogin = signal(false)

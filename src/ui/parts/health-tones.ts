/** Colours of health states. */
export const healthTones = { healthy: 'good', degraded: 'warn', unhealthy: 'bad' } as const

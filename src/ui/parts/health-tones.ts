/** How the state of something that is kept an eye on is shown. */
export const healthTones = { healthy: 'good', degraded: 'warn', unhealthy: 'bad' } as const

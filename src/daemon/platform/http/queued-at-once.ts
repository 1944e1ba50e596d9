import type { FastifyInstance } from 'fastify'

type Step = (error: Error | null, done: (error?: Error | null) => void) => void

/**
 * Fastify finishes each route in a step of its queue of plugins; hundreds of steps take as long as the routes
 * themselves. What `add` adds is finished in one.
 */
export function queuedAtOnce(app: FastifyInstance, add: () => void): void {
  const steps: Step[] = []
  const queue = app.after
  app.after = ((step: Step) => {
    steps.push(step)
    return app
  }) as typeof app.after
  try {
    add()
  } finally {
    app.after = queue
  }
  app.after((error: Error | null) => {
    const ends: (Error | null | undefined)[] = []
    for (const step of steps) step(error, end => void ends.push(end))
    const failed = ends.find(end => end)
    if (failed) throw failed
  })
}

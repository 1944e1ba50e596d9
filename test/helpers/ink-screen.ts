import type { render } from 'ink-testing-library'

/** Presses keys on a test's screen, each after the previous one has been drawn. */
export async function pressKeys(screen: ReturnType<typeof render>, ...keys: string[]): Promise<void> {
  await untilTurn(() => screen.stdin.listenerCount('readable') > 0)
  for (const key of keys) {
    screen.stdin.write(key)
    await turns(5)
  }
}

/** Waits up to a thousand event loop turns for a condition. */
export async function untilTurn(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await turns(1)
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}

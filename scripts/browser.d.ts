import type { BrowserContext } from 'playwright-core'

export function findBrowser(): string | undefined
export function startBrowser(viewport: {
  width: number
  height: number
}): Promise<{ context: BrowserContext; close(): Promise<void> }>

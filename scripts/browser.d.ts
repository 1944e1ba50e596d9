import type { BrowserContext, Page } from 'playwright-core'

export function findBrowser(): string | undefined
export function settled(page: Page): Promise<void>
export function startBrowser(viewport: {
  width: number
  height: number
}): Promise<{ context: BrowserContext; close(): Promise<void> }>

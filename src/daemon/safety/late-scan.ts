import type { SafetyVerdict, scanTextsInSlices as scanTexts } from './scan.js'

/** Called between small steps of work; its promise is awaited. */
type Breathe = Parameters<typeof scanTexts>[1]

/** Scans a text with `scan.ts`, which the first call loads with all rules. */
export function scanContentInSlices(text: string, breathe?: Breathe): Promise<SafetyVerdict> {
  return scanTextsInSlices([text], breathe)
}

/** Returns one verdict on several texts that belong together. */
export async function scanTextsInSlices(texts: readonly string[], breathe?: Breathe): Promise<SafetyVerdict> {
  const scan = await import('./scan.js')
  return scan.scanTextsInSlices(texts, breathe)
}

/** Compiles the rules in small steps; otherwise the first scan does, delaying its request. */
export async function prepareScan(): Promise<void> {
  const scan = await import('./scan.js')
  await scan.prepareScan()
}

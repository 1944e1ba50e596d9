import type { SafetyVerdict, scanTextsInSlices as scanTexts } from './scan.js'

/** Called between small steps of work; what it returns is awaited. */
type Breathe = Parameters<typeof scanTexts>[1]

/** Judges a text as `scan.ts` does, which the first text loads with all of its rules. */
export function scanContentInSlices(text: string, breathe?: Breathe): Promise<SafetyVerdict> {
  return scanTextsInSlices([text], breathe)
}

/** One verdict on several texts that belong together. */
export async function scanTextsInSlices(texts: readonly string[], breathe?: Breathe): Promise<SafetyVerdict> {
  const scan = await import('./scan.js')
  return scan.scanTextsInSlices(texts, breathe)
}

/** Makes the rules ready in small steps; otherwise the first text does, which somebody waits for. */
export async function prepareScan(): Promise<void> {
  const scan = await import('./scan.js')
  await scan.prepareScan()
}

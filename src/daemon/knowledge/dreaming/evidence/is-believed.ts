import type { EvidencePiece } from '../reader.js'

/** In conversations only the user is believed: an assistant says what it supposes (knowledge.md#what-is-read). */
export function isBelieved({ sourceKind, speaker }: Pick<EvidencePiece, 'sourceKind' | 'speaker'>): boolean {
  return sourceKind !== 'transcript' || speaker === 'user'
}

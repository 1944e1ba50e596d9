import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { type DiagnosticsInput, finding, fine, scored } from '../findings/finding.js'

const maxSamples = 10

/** Reports memories with identical text and identical readers. */
export function duplicateDomain({ survey }: DiagnosticsInput): DomainReport<'duplicate'> {
  const { duplicates, memories } = survey
  const groups = new Set(duplicates.map(one => one.of)).size
  return {
    ...scored([
      duplicates.length === 0
        ? fine('duplicates', 'none')
        : finding({
            id: 'duplicates',
            severity: 'warning',
            evidence: `${countOf(duplicates.length, 'memory', 'memories')} with the same text as another one`,
            count: duplicates.length,
            samples: duplicates.slice(0, maxSamples).map(({ id }) => id),
            repair: 'deduplicate',
            fix: 'memory repair deduplicate',
          }),
    ]),
    groups,
    duplicates: duplicates.length,
    acrossAgents: memories.repeated,
    duplicateRatio: memories.alive === 0 ? 0 : duplicates.length / memories.alive,
  }
}

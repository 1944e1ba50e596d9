import type { MemoryRow } from '../../store/tables/memory/memories.js'
import type { SafetyReason, SafetyStatus } from './rules/rule.js'

/** The columns with the verdict of every scanned row. */
export type VerdictColumns = Pick<
  MemoryRow,
  'safety_status' | 'safety_reasons' | 'safety_policy' | 'safety_scanned_at'
>

/**
 * Must change whenever a text may get another verdict; rows with another version are scanned again (rules.md
 * 1.6). The index `memories_outdated` names it, so a new version needs a migration that replaces this index.
 */
export const policyVersion = '2'

/** A verdict of the current policy as columns of a row. @param now ISO 8601 */
export function verdictColumns(
  { status, reasons }: { status: SafetyStatus; reasons: Iterable<SafetyReason> },
  now: string,
): VerdictColumns {
  return {
    safety_status: status,
    safety_reasons: [...reasons].join(','),
    safety_policy: policyVersion,
    safety_scanned_at: now,
  }
}

/** Splits the codes in a column of reasons or rules. */
export function codesIn(column: string): string[] {
  return column.split(',').filter(Boolean)
}

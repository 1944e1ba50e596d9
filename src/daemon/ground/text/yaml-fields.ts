import { parseDocument } from 'yaml'
import { isRecord } from '../../../lib/text/json-of.js'

/**
 * Returns the fields of a note's front matter; none if it does not parse or has another form. The failsafe
 * schema leaves scalars as strings, exactly as written.
 * @param maxAliasCount aliases that may be resolved; more of them are a fault.
 */
export function yamlFields(yaml: string, maxAliasCount: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseDocument(yaml, { schema: 'failsafe', uniqueKeys: false }).toJS({
      maxAliasCount,
    })
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

import type { LineReading } from './reading.js'

const conventional =
  /^(feat|fix|chore|docs|refactor|perf|tests?|build|ci|style|revert|hotfix)(?:\(([^)]{1,60})\))?(!)?: (.+)$/u
const bump = /^(?:bump|update|upgrade) (?:the )?(@?[\w./-]+)(?: from v?([\w.-]+))? to v?(\d[\w.-]*)/iu
const attributes: Readonly<Record<string, string>> = {
  feat: 'added',
  fix: 'fixed',
  hotfix: 'fixed',
  revert: 'reverted',
  perf: 'changed',
  refactor: 'changed',
}

/**
 * Reads a commit message: what its scope gained, what was fixed, which version something has now. Values are
 * filed under their own words, because a component has many of them.
 */
export function readCommit(reading: LineReading): boolean {
  const found = conventional.exec(reading.text)
  if (!found) return false
  const [, kind = '', scope, breaking = '', told = ''] = found
  reading.cues.add('commit')
  const what = told.replace(/,? ?\(?(?:closes|fixes|refs)? ?#\d+\)?/giu, '').replace(/[\s.]+$/u, '')
  const [, name, , version] = bump.exec(what) ?? []
  if (name && version) {
    const thing = reading.context.find(name) ?? { name, type: 'tool' }
    const owner = reading.project ?? thing
    reading.link(reading.project, 'depends on', thing, { by: 'commit' })
    return reading.value(
      owner,
      { aspect: 'versions', attribute: owner === thing ? 'version' : `${name} version` },
      version,
      { by: 'commit' },
    )
  }
  const isNamed = scope !== undefined && !/[,*/]/u.test(scope) && scope !== 'deps' && scope !== 'deps-dev'
  const subject = isNamed
    ? (reading.context.find(scope) ?? { name: scope, type: 'component' })
    : reading.project
  const [, removed] =
    kind === 'feat' || kind === 'refactor' ? (/^(?:remove|drop|delete)s?d? (.+)$/iu.exec(what) ?? []) : []
  const attribute = removed ? 'removed' : (attributes[kind] ?? (isNamed ? 'changed' : undefined))
  if (!attribute || !subject) return true
  const value = `${removed ?? what.replace(/^add(?:s|ed)? (?:support for )?/iu, '')}${breaking ? ' (breaking)' : ''}`
  if (isNamed && reading.project) reading.link(subject, 'part of', reading.project, { by: 'commit' })
  reading.statement(subject, { aspect: attribute, attribute: shortened(value) }, value, { by: 'commit' })
  return true
}

const longest = 8

function shortened(value: string): string {
  return value
    .split(' ')
    .slice(0, longest)
    .join(' ')
    .replace(/[\s,;:]+$/u, '')
    .replace(/ (?:the|a|an|of|in|on|to|for|when|if|and|or|with|from|by|at)$/u, '')
}

import { nameKey } from '../../../ground/entities/name-key.js'
import type { Statement, Template } from './statement.js'
import { type NamedThing, parseSubject, type ReadingContext, type Subject, subjectOf } from './subject.js'
import { isHead } from './values.js'

const verbs: readonly (readonly [RegExp, string])[] = [
  [/^(.+?) (?:runs?|is running|are running) on (.+)$/iu, 'runs on'],
  [/^(.+?) (?:is|are) hosted (?:on|at|by) (.+)$/iu, 'hosted on'],
  [/^(.+?) (?:is|are) (?:written|implemented) in (.+)$/iu, 'written in'],
  [/^(.+?) (?:is|are) built (?:with|on) (.+)$/iu, 'built with'],
  [/^(.+?) (?:is|are) deployed (?:to|on) (.+)$/iu, 'deployed to'],
  [/^(.+?) deploys? to (.+)$/iu, 'deploys to'],
  [/^(.+?) depends? on (.+)$/iu, 'depends on'],
  [/^(.+?) uses? (.+)$/iu, 'uses'],
]
const port = /^(.+?) (?:runs|listens|is served|is reachable) (?:on|at) port (\d{2,5})\b/iu
const asOf = /^([\p{L}\p{N}@./+#-]+) as (?:the|our) ([\p{L}\p{N} -]+?)(?:,.*| for .*| in .*)?$/iu

/** `X uses Y for Z`, `X runs on Y 1.2`, `X is written in Y`, `X depends on Y`, `X runs on port 4010`. */
export const relation: Template = {
  name: 'relation',
  read: (sentence, setting) =>
    sentence.split(/ and (?=the |our )/iu).flatMap(clause => clauseOf(clause, setting)),
}

function clauseOf(clause: string, setting: ReadingContext): Statement[] {
  const served = port.exec(clause)
  if (served) {
    const subject = subjectOf(served[1] as string, setting)
    const value = served[2] as string
    return subject ? [{ kind: 'claim', subject, aspect: 'network', claim: 'port', value }] : []
  }
  for (const [form, name] of verbs) {
    const found = form.exec(clause)
    if (!found) continue
    const from = subjectOf(found[1] as string, setting)
    if (from) return relationOf({ from, name }, found[2] as string, setting)
  }
  return []
}

function relationOf(
  { from, name }: { from: Subject; name: string },
  phrase: string,
  setting: ReadingContext,
): Statement[] {
  const as = name === 'uses' ? asOf.exec(phrase) : null
  if (as && isHead(as[2] as string))
    return [
      {
        kind: 'claim',
        subject: from,
        aspect: 'facts',
        claim: nameKey(as[2] as string),
        value: as[1] as string,
      },
    ]
  const to = parseSubject(phrase, setting)
  if (!to || nameKey(to.name) === nameKey(from.name) || !isPlain(to.rest)) return []
  const purpose = name === 'uses' ? purposeOf(to.rest) : undefined
  return [
    { kind: 'link', from, relation: name, to },
    ...(purpose === undefined
      ? []
      : [{ kind: 'claim' as const, subject: from, aspect: 'tools', claim: purpose, value: to.name }]),
    ...versionOf(from, to),
  ]
}

/** The following words must not change the meaning: `uses Redis less than before`. */
function isPlain(rest: string): boolean {
  return /^(?:$|[\s,.)(]+(?:for|as|with|in|on|to|at|via|since|from|until|because|and|behind|by|through|per|inside|so)\b|,|\s*\()/iu.test(
    rest,
  )
}

function purposeOf(rest: string): string | undefined {
  const found = /^ for ((?:[\p{L}\p{N}-]+ ){0,3}[\p{L}\p{N}-]+ ?)(?:$|[,.])/u.exec(rest)
  const key = found ? nameKey(found[1] as string) : ''
  return key === '' || /^(?:now|that|this|it|everything|all|the|a|years|weeks|months)\b/u.test(key)
    ? undefined
    : key
}

/** Records the version named after a thing. */
function versionOf(of: Subject, { name, version }: NamedThing): Statement[] {
  return version === undefined
    ? []
    : [{ kind: 'claim', subject: of, aspect: 'versions', claim: `${nameKey(name)} version`, value: version }]
}

const upgraded = /^(?:we )?(?:have )?(?:upgraded|updated|bumped) (?:from .+? )?to (.+)$/iu
const changed = /^we (?:have )?(?:migrated|switched|moved|changed) from (.+?) to (.+)$/iu

/** `We upgraded to React 19`. */
export const upgrade: Template = {
  name: 'upgrade',
  read: (sentence, setting) => {
    const found = upgraded.exec(sentence)
    const thing = found && parseSubject(found[1] as string, setting)
    return thing && setting.project ? versionOf(setting.project, thing) : []
  },
}

/** `We moved from X to Y`: Y is used and replaces X, if exactly one slot has the value X. */
export const replacement: Template = {
  name: 'replacement',
  read: (sentence, setting) => {
    const found = changed.exec(sentence)
    const { project } = setting
    const to = found && parseSubject(found[2] as string, setting)
    if (!found || !to || !project) return []
    const before = nameKey(found[1] as string)
    const held = setting.known.get(nameKey(project.name))?.claims ?? []
    const slots = held.filter(({ aspect, value }) => aspect === 'tools' && nameKey(value) === before)
    const [slot] = slots
    return [
      { kind: 'link', from: project, relation: 'uses', to },
      ...(slot && slots.length === 1
        ? [{ kind: 'change' as const, version: slot.version, value: to.name }]
        : []),
      ...versionOf(project, to),
    ]
  },
}

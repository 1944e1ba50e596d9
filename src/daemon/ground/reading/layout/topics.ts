import type { NamedThing, ReadingContext } from '../reading.js'
import { isBelievable } from '../syntax/believable.js'
import { hasPartNoun, isTool } from '../words/names.js'

/** The thing that a heading names, of which the lines below it speak. */
export interface Topic {
  thing: NamedThing
  /** False if the heading might be a title like any other; its facts are only proposed. */
  isSure: boolean
}

/** Keys whose value is what a note is about, with the type of that. */
const kinds: Readonly<Record<string, string>> = {
  topic: 'component',
  subject: 'component',
  service: 'component',
  component: 'component',
  module: 'component',
  system: 'component',
  subsystem: 'component',
  app: 'component',
  application: 'component',
  job: 'component',
  device: 'component',
  board: 'component',
  model: 'component',
  dataset: 'component',
  pipeline: 'component',
  package: 'component',
  library: 'component',
  server: 'component',
  machine: 'component',
  cluster: 'component',
  tool: 'tool',
  project: 'project',
  repo: 'repository',
  repository: 'repository',
  team: 'team',
  client: 'concept',
  customer: 'concept',
  product: 'component',
}

/** Words of titles that say which part of a text follows. */
const titleWords = new Set(
  `access addresses agenda alternatives answers architecture assumptions backlog background basics bugs calendar
  changelog changes checklist commands communication configuration config consequences contact contacts context
  conventions credentials date day days decision decisions dependencies deploy deployment deployments design details
  development diagram documentation docs endpoints env environment environments errors examples facts faq features
  feedback files fixes general glossary goals guide guidelines handbook history hosting hosts howto ideas info
  information infra infrastructure installation install intro introduction issues key keys knowledge layout learnings
  lessons license licence limits links list log logs maintenance manual meeting metrics migration minutes misc
  miscellaneous monitoring motivation naming network note notes onboarding open operations other outline overview owners
  ownership participants people performance phase plan planning playbook policy ports preferences prerequisites principles
  problems procedure procedures process progress purpose questions quickstart readme references release releases
  requirements resources responsibilities retro review risks roadmap roles rollout rules runbook schedule scope security
  servers services settings setup sources specs sprint stack standup status steps storage structure style summary support
  tasks team teams technologies terms testing tests things tips today todo todos tooling tools topics troubleshooting
  updates urls usage versions week weekly workflow workflows year`.split(/\s+/u),
)
const longestTopic = 4

/** Gerunds of headings that say how something is done, even before a noun: `Restarting worker`. */
const actions = new Set(
  `adding building changing cleaning cloning configuring connecting creating debugging deploying editing enabling
  exposing fixing getting installing integrating launching migrating moving patching profiling provisioning publishing
  pulling pushing rebuilding releasing removing renaming replacing resetting restarting restoring rotating running scaling
  securing setting starting stopping switching testing tuning understanding updating upgrading using writing`.split(
    /\s+/u,
  ),
)

/** Finds what a heading names; undefined for one that names a part of the text: `Setup`, `Open questions`. */
export function topicOf(title: string, find: ReadingContext['find']): Topic | undefined {
  const bare = title
    .replace(/^[\s\d.)]*|(?<![\s:])[\s:]+$/gu, '')
    .replace(/[*`_]{1,2}(\S[^*`_]*)[*`_]{1,2}/gu, '$1')
    .replace(/^\[\[([^[\]|]+)\]\]$/u, '$1')
    .trim()
  const [, key = '', told = ''] = /^(\p{L}+): (\S.*)$/u.exec(bare) ?? []
  if (told !== '') return kinds[key.toLowerCase()] ? keyTopic(key, told, find) : undefined
  const name = bare.replace(/^(?:the|our) /iu, '')
  const known = find(name)
  if (known) return { thing: known, isSure: true }
  const words = name.split(/\s+/u)
  if (words.length > longestTopic || !/^[\p{L}\p{N}@][\p{L}\p{N}\s@/._-]*$/u.test(name)) return undefined
  const isIdentifier = words.length === 1 && /\p{L}[-_.]\p{L}/u.test(name)
  const isPart = hasPartNoun(name) && words.length > 1
  if (!isIdentifier && words.some(word => titleWords.has(word.toLowerCase()))) return undefined
  const [, gerund] = /^(\p{L}+ing)\b/iu.exec(name) ?? []
  // A billing service is a thing, billing alone or restarting a worker are not.
  const isAction = gerund !== undefined && (!isPart || words.length > 2 || actions.has(gerund.toLowerCase()))
  if (isAction || /^(?:how|why|what|when|where|who)\b/iu.test(name) || !isBelievable(name)) return undefined
  const type = isTool(name) ? 'tool' : /\bteam$/iu.test(name) ? 'team' : 'component'
  return { thing: { name, type }, isSure: isIdentifier || isPart || isTool(name) }
}

/** `Service: payout-worker`: what the next lines are about. */
export function keyTopic(key: string, told: string, find: ReadingContext['find']): Topic | undefined {
  const type = kinds[key.toLowerCase()]
  const name = told.replace(/^`(.*)`$/u, '$1').trim()
  if (!type || name.split(/\s+/u).length > longestTopic || /[,;:]|\.$/u.test(name)) return undefined
  const known = find(name)
  return known || isBelievable(name) ? { thing: known ?? { name, type }, isSure: true } : undefined
}

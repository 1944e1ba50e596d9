import { tools } from './names.js'

const set = (names: string): ReadonlySet<string> => new Set(names.split(',').map(name => name.trim()))

/** Last words of phrases that name a property with a value: `default branch`, `staging URL`. */
const heads = new Set(
  `url uri branch port region zone timezone database bucket host hostname domain endpoint address email channel
  license licence framework language runtime linter formatter bundler editor shell terminal broker controller provider
  cdn registry orchestrator queue cache tool manager contact lead maintainer owner version period limit timeout size
  interval schedule window day budget prefix suffix scheme policy level image namespace path directory folder name
  codename theme font format encoding locale currency compiler bundle framework driver library dialect hours vendor supplier hoster carrier auditor id identifier username serial baud frequency retention quota ttl lifetime threshold account registrar cutoff cut-off date go-live`.split(
    /\s+/u,
  ),
)
/** Heads whose value may be a single lower-case word: `the default branch is develop`. */
const wordHeads = new Set(
  `branch shell editor terminal linter formatter bundler manager runtime framework level theme policy owner region
  prefix suffix scheme namespace compiler registry database language tool image name`.split(/\s+/u),
)
/** Tasks of every project, which a tool does: `auth`, `state management`. */
const slots = set(
  `state,state management,navigation,routing,router,http,http client,auth,authentication,sso,idp,styling,styles,css,
  database,db,orm,ci,cd,ci/cd,tests,testing,unit tests,e2e,e2e tests,logging,logs,monitoring,metrics,tracing,alerting,
  queue,cache,search,mail,email,payments,payment,maps,analytics,charts,icons,forms,i18n,translations,linting,linter,
  formatting,formatter,bundler,engine,language,framework,runtime,hosting,hoster,deployment,storage,broker,message broker,
  crm,wiki,chat,physics,audio,ui,ui kit,build,build system,package manager,error tracking,feature flags,vcs,tracker,
  issue tracker,scheduler,orchestration,orchestrator,secrets,templating,serialization,animations,networking,rendering,
  web server,reverse proxy,load balancer,vpn,backup,backups,iac,experiment tracking,feature store,
  vector store,registrar,geocoder,geocoding,dns,compiler,toolchain,rtos,os,editor,ide,design system,component library,api client,validation`,
)

/** True for a task of every project. */
export function isSlot(name: string): boolean {
  return slots.has(name.toLowerCase())
}

/** Words for a state rather than a value. */
const states = new Set(
  `wrong broken down up slow fast full empty unclear invalid valid missing gone free busy ready done green red old new
  unknown open closed available unavailable used unused deprecated required optional important critical different
  configured fixed flaky noisy correct incorrect right stable unstable off on set enabled disabled public private hard
  easy bad good better too very still already not no never being running going located based also only just what where
  because that this it there in at by of from with about under over outdated stale here later`.split(/\s+/u),
)

/** Participles describe the state of a thing and are not names. */
const participle = /^[\p{Ll}]{3,}(?:ed|ing)$/u
/** Temporary or past values, which the next text would contradict. */
const momentary = /^(?:current|present|latest|last|previous|next|former|old|temporary|today's)\b/iu

const maxValue = 160
const maxPhraseWords = 6

/** True if a phrase names a property with a value; in `X for Y` the X decides. */
export function isHead(phrase: string): boolean {
  if (momentary.test(phrase)) return false
  const words = phrase.toLowerCase().split(/\s+/u)
  const before = words.findIndex(word => word === 'for' || word === 'of')
  const head = words[(before < 0 ? words.length : before) - 1] ?? ''
  return words.length <= maxPhraseWords && (heads.has(head) || heads.has(head.replace(/s$/u, '')))
}

/**
 * Extracts the value of a property, without quotation marks and side remarks; undefined for a state or a
 * story.
 */
export function valueIn(told: string, phrase: string, isList = false): string | undefined {
  const bare = told
    .replace(/^(?:called|named|set to|pinned to|always|currently|now) /iu, '')
    .replace(
      isList
        ? /(?: because | since | so that ).*$/iu
        : /(?:,\s| because | since | so | but | which | when | and (?:the|we|it|not)\b).*$/iu,
      '',
    )
    .trim()
    .replace(/ \([^()]*\)$/u, '')
    .replace(/^(["'`“])(.*)["'`”]$/u, '$2')
  const [first = ''] = bare.toLowerCase().split(/[\s,]+/u)
  if (bare === '' || bare.length > maxValue || states.has(first)) return undefined
  if (/^(?:a|an|the|to|our|my|your|their|his|her|more|less|most|one|two|some|any|all|both)$/u.test(first))
    return undefined
  if (
    /\b(?:id|identifier|serial|username)$/iu.test(phrase) &&
    !(/^[\w.@:-]+$/u.test(bare) && /[\d_-]/u.test(bare))
  )
    return undefined
  const isStrong =
    (/\bhours$/iu.test(phrase) && /\d/u.test(bare)) ||
    /^\p{L}+ (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)$/u.test(bare) ||
    /^["'`#@\p{Lu}\p{N}]|^(?:every|each|daily|weekly|monthly|nightly)\b/u.test(bare)
  const words = bare.split(/\s+/u)
  // `postgres 16`
  const isVersioned = isList && words.length === 2 && /^v?\d[\d.]*$/u.test(words[1] as string)
  // `iOS 16 and Android 9`
  const isTool = tools.has(words[0]?.toLowerCase() ?? '') && /^v?\d/u.test(words[1] ?? '')
  const isIdentifier = words.length === 1 && /[-_./:@0-9]/u.test(bare)
  if (isStrong || isTool || isIdentifier || isVersioned) return bare
  const head = phrase.toLowerCase().split(/\s+/u).at(-1) ?? ''
  const isCalled = /^(?:called|named|set to|pinned to) /iu.test(told)
  if (words.length !== 1 || (!wordHeads.has(head) && !isCalled)) return undefined
  return isCalled || !participle.test(bare) ? bare : undefined
}

import type { VerbGroup } from './verb-group.js'

/** A relation between the subject of a sentence and one of its objects. */
export interface Relation {
  name: string
  /** The object of the sentence is the subject of the relation. */
  isInverse?: boolean
  /** Only where the object is written like a name. */
  isNamedOnly?: boolean
  /** Not for people: `Ann needs a laptop`. */
  isForThings?: boolean
  /** Only where the object is a technology: `the key is in Vault`, but not `the team is in Lyon`. */
  isToolOnly?: boolean
  /** Only where both ends have names: `Trino reads the Iceberg tables`, but not `the script reads a file`. */
  isNamedBoth?: boolean
}

const table = new Map<string, Relation>()

/** @param voices `a` active, `p` passive @param prepositions `-` for a direct object */
function define(
  lemmas: string,
  voices: string,
  prepositions: string,
  name: string,
  more: Omit<Relation, 'name'> = {},
): void {
  for (const lemma of lemmas.split(' '))
    for (const voice of voices)
      for (const preposition of prepositions.split(' '))
        table.set(`${lemma} ${voice} ${preposition}`, { name, ...more })
}

define('use employ utilise utilize adopt', 'a', '-', 'uses')
define('rely depend', 'a', 'on upon', 'depends on')
define('need require', 'a', '-', 'depends on', { isForThings: true, isNamedOnly: true })
define('write rewrite implement program', 'p', 'in', 'written in')
define('build', 'p', 'with on using upon', 'built with')
define('make create', 'p', 'with using', 'built with')
define('base', 'p', 'on', 'based on')
define('run', 'a', 'on under inside', 'runs on')
define('run', 'a', 'in', 'runs in')
define('run', 'a', '-', 'uses', { isForThings: true, isNamedOnly: true })
define('host', 'p', 'on in at by with', 'hosted on')
define('run', 'p', 'on in', 'runs on')
define('deploy', 'pa', 'to on in', 'deployed to')
define('install', 'p', 'on in', 'installed on')
define('publish release push upload ship', 'p', 'to on', 'published to')
define('store keep save hold archive persist cache back', 'p', 'in on under at into', 'stored in')
define('store save keep export publish serialise serialize ship deliver', 'p', 'as', 'saved as', {
  isNamedOnly: true,
})
define('live sit reside lie', 'a', 'in on under at', 'located in')
define('end_up', 'a', 'in', 'stored in')
define('land arrive', 'a', 'in at', 'stored in', { isToolOnly: true })
define('locate', 'p', 'in on under at', 'located in')
for (const [lemma, name] of [
  ['read', 'reads'],
  ['write', 'writes'],
  ['consume', 'consumes'],
  ['produce', 'produces'],
  ['call', 'calls'],
  ['query', 'queries'],
  ['scrape', 'scrapes'],
  ['monitor', 'monitors'],
  ['wrap', 'wraps'],
  ['extend', 'extends'],
  ['trigger', 'triggers'],
  ['import', 'imports'],
  ['proxy', 'proxies'],
  ['validate', 'validates'],
] as const)
  define(lemma, 'a', '-', name, { isForThings: true, isNamedBoth: true })
define('read consume pull fetch load import receive get', 'a', 'from', 'reads from', {
  isForThings: true,
  isNamedBoth: true,
})
define('write publish send push', 'a', 'to into', 'writes to', { isForThings: true, isNamedBoth: true })
define('sync synchronise synchronize', 'a', 'with to from', 'syncs with', {
  isForThings: true,
  isNamedBoth: true,
})
define('forward redirect route proxy', 'a', 'to', 'forwards to', { isForThings: true, isNamedBoth: true })
define('run test', 'a', 'with', 'run with', { isForThings: true, isToolOnly: true })
define('subscribe', 'a', 'to', 'subscribes to', { isForThings: true, isNamedBoth: true })
define('support', 'a', '-', 'supports', { isNamedOnly: true })
define('expose', 'a', '-', 'exposes', { isNamedOnly: true })
define('target', 'a', '-', 'targets', { isForThings: true, isNamedOnly: true })
define('accept', 'a', '-', 'accepts', { isForThings: true, isNamedOnly: true })
define('serve', 'p', 'from', 'served from')
define('talk connect speak communicate', 'a', 'to with', 'talks to')
define('go come flow', 'a', 'through via', 'goes through')
define('go run travel', 'a', 'over', 'goes over', { isForThings: true, isToolOnly: true })
define('go report', 'a', 'to', 'goes to', { isNamedOnly: true })
define('come', 'a', 'from', 'comes from')
define('be', 'a', 'via', 'uses', { isForThings: true, isNamedOnly: true })
define('be', 'a', 'from', 'comes from', { isNamedOnly: true })
define('stay remain', 'a', 'on with', 'uses', { isForThings: true, isToolOnly: true })
define('be', 'a', 'in on', 'located in', { isForThings: true, isToolOnly: true })
define('be', 'a', 'at with', 'located in', { isForThings: true, isToolOnly: true })
define('copy replicate mirror sync back_up export', 'p', 'to into', 'copied to')
define('fork derive', 'p', 'from', 'forked from')
define('rename', 'p', 'to', 'renamed to')
define('write', 'p', 'to', 'written to')
define('talk connect speak communicate', 'a', 'over via by', 'uses', { isNamedOnly: true })
define('speak talk', 'a', '-', 'speaks', { isForThings: true, isNamedOnly: true })

/** Finds the relation of a verb to an object with a preposition. */
export function relationOf(
  { lemma, particle, isPassive }: VerbGroup,
  preposition: string | undefined,
): Relation | undefined {
  const key = `${lemma}${particle ? `_${particle}` : ''} ${isPassive ? 'p' : 'a'} ${preposition ?? '-'}`
  return table.get(key)
}

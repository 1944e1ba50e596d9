import { nameWords } from './name-key.js'

/** English words that name nothing by themselves. A name is generic when it has no other words. */
const genericWords = new Set(
  [
    'a an the this that these those such same other another any some all both each every none',
    'i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones',
    'who whom whose what which where when why how here there',
    'and or but not no yes of in on at by for from to with without as is are was were be been',
    'new old first second third last next previous current former latest main general various several many few more most',
    'good bad big small right wrong true false null undefined unknown misc other todo tbd',
    'thing things something anything nothing everything stuff item items object objects element elements',
    'user users person people someone somebody anyone anybody everyone everybody nobody human humans guy guys',
    'system systems project projects application applications app apps program programs software tool tools',
    'code file files folder folders directory directories function functions method methods class classes module modules',
    'component components service services feature features data information info content text string number value values',
    'name names type types list lists table tables field fields key keys id ids parameter parameters option options',
    'setting settings config configuration version versions part parts piece pieces section sections page pages',
    'issue issues problem problems error errors bug bugs fix fixes change changes update updates task tasks step steps',
    'question questions answer answers request requests response responses result results output input example examples',
    'way ways case cases point points place places time times day days week weeks month months year years',
    'today yesterday tomorrow now later soon morning evening night hour hours minute minutes second seconds',
    'monday tuesday wednesday thursday friday saturday sunday',
    'assistant agent agents memory memories conversation conversations message messages session sessions context',
    'idea ideas concept concepts topic topics note notes detail details reason reasons work process',
  ]
    .join(' ')
    .split(' '),
)

/**
 * True if a name is too generic to identify anything (operations.md 5.6): only generic words, or only digits.
 * Names in languages other than English always count as specific.
 */
export function isGenericName(name: string): boolean {
  return nameWords(name).every(word => genericWords.has(word) || /^\p{N}+$/u.test(word))
}

/** The words of a text that lists them with blanks between. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u))

/** Words of closed classes, which decide how the words around them are read. */
export const determiners = wordSet(
  'the a an this that these those our my your his her its their every each all any some no both either neither another such which whose',
)
export const pronouns = wordSet(
  `i we you he she it they me us him them who whom everyone everybody anyone nobody someone something anything everything
  nothing none himself herself itself themselves one ones there here what somebody`,
)
export const prepositions = wordSet(
  `of in on at by for from with into onto over under above below through via about against between among across within
  without behind beyond during per as than like until till since before after inside outside off out up down around along
  near towards toward upon except besides plus versus vs beneath unlike despite regarding concerning alongside throughout`,
)
export const subordinators = wordSet(
  'because since as if unless until till when whenever while whereas once before after so although though where wherever whether',
)
export const conjunctions = wordSet('and or but nor & yet')
export const modals = wordSet('can could may might must shall should will would')
export const beForms = wordSet('is are was were be been being am get gets got')
export const haveForms = wordSet('has have had having')
export const doForms = wordSet('do does did')
export const adverbs = wordSet(
  `always only also now then currently already still just even often usually sometimes mostly mainly nightly weekly daily
  hourly monthly yearly quarterly again twice once too very quite rather almost about exactly first finally later soon ever
  directly automatically manually normally generally typically anyway meanwhile instead together separately well better
  longer likely probably perhaps maybe apparently recently everywhere internally externally officially fully simply really
  actually previously formerly originally temporarily permanently explicitly exclusively strictly occasionally randomly
  silently quietly today tomorrow yesterday roughly approximately heavily partly`,
)
export const adjectives = wordSet(
  `old new main own whole same other next last second big small large long short high low full empty free open closed slow
  fast stale flaky broken red green blue black white safe unsafe good bad best worse worst more less most least few many
  several much due able ready available responsible accountable different similar necessary mandatory optional read-only
  public private internal external local remote current default plain dedicated separate single double multiple major minor
  early late stable unstable heavy light warm cold wrong right correct dark young deep wide narrow cheap expensive huge tiny clean`,
)
export const particles = wordSet('up down out off over back on in away through around apart')

export const numerals = wordSet(
  `one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred
  thousand million half`,
)

/** Verbs with a particle that belongs to them: `take over`. */
export const phrasalVerbs: ReadonlySet<string> = new Set(
  `take over,kick off,sign off,find out,turn out,set up,shut down,run out,come in,look after,pick up,roll out,phase out,
  turn off,switch off,turn on,switch on,break down,back up,clean up,fall over,time out,go down,end up,figure out,point out,
  hand over,log in,log out,check out,carry out,wind down,slow down,go out,speed up,spin up,scale up,scale down,cut over,
  roll back,opt out,bring up,put back,pull back,blow up,warm up,lock up,fill up,build up,split up,sum up,follow up,wake up,
  free up,show up,pop up,pile up,plug in,check in,opt in,fall back`
    .split(',')
    .map(verb => verb.trim()),
)

export type WordClass =
  | 'noun'
  | 'name'
  | 'number'
  | 'verb'
  | 'adjective'
  | 'adverb'
  | 'determiner'
  | 'preposition'
  | 'to'
  | 'pronoun'
  | 'subordinator'
  | 'conjunction'
  | 'relative'
  | 'be'
  | 'have'
  | 'do'
  | 'modal'
  | 'negation'
  | 'possessive'
  | 'mark'
  /** `or newer` after a version. */
  | 'bound'

const compoundPhrases = [
  ['bound', 'or newer,or later,or higher,or above,and above,and newer,and up,and later'],
  [
    'adverb',
    `in parallel,in practice,in general,in particular,in turn,in place,in advance,on demand,on purpose,by hand,at once,
    at all,after that,from now on,these days,at the moment,for now,so far,of course,for example,any more,any longer,
    by default,at most,at least,no more than,not more than,more than,less than,fewer than,up to,not even,not only`,
  ],
  [
    'subordinator',
    `in case,given that,provided that,now that,whether or not,each time,every time,so that,even if,as soon as,as long as`,
  ],
  ['to', 'in order to'],
  ['negation', 'no longer,not yet'],
  ['conjunction', 'as well as'],
  ['adjective', 'on call'],
  [
    'preposition',
    `rather than,instead of,in favour of,in favor of,because of,due to,thanks to,such as,as of,out of,in charge of,
    on top of,in front of,starting with,starting in,starting from,starting on,at the end of,by the end of,
    until the end of,as part of,together with,depending on`,
  ],
] as const

/** Several words that act as one, by the first; longer ones first where they begin alike. */
export const compounds = new Map<string, (readonly [words: readonly string[], as: WordClass])[]>()
for (const [as, phrases] of compoundPhrases)
  for (const phrase of phrases.split(',')) {
    const words = phrase.trim().split(' ')
    const [first = ''] = words
    compounds.set(first, [...(compounds.get(first) ?? []), [words, as]])
  }

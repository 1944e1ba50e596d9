import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as armenian } from '@orama/stemmers/armenian'
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as hindi } from '@orama/stemmers/indian'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as tamil } from '@orama/stemmers/tamil'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian'
import { lazy } from '../../../../lib/concurrency/lazy.js'

/** A language of the Latin alphabet, recognised by its most frequent words and its own letters. */
interface LatinLanguage {
  stem(word: string): string
  /** Without accents. */
  words: ReadonlySet<string>
  letters: RegExp
}

const language = (stem: (word: string) => string, letters: RegExp, words: string): LatinLanguage => ({
  stem,
  letters,
  words: new Set(words.split(' ')),
})

/** Words that English has too (`die`, `in`, `is`, `was`) are left out, for they say nothing. */
const firstLanguages = (): LatinLanguage[] => [
  language(
    german,
    /[äöüß]/,
    'der das und ist nicht ein eine einen einem einer mit auf fur von den dem des im zu sich auch nach bei wird ' +
      'werden wir sie ich sind aus uber nur noch oder wenn wie aber vor zum zur dass hat haben kann jede jeder unser',
  ),
  language(
    french,
    /[éèàçêùœîôû]/,
    'le la les de un une des et est dans pour que qui sur avec pas ne nous vous ils elle du au aux ce cette ces son sa ' +
      'ses leur mais ou par sont notre nos chaque tous toutes sans etre fait ont avons',
  ),
  language(
    spanish,
    /[ñáéíóú¿¡]/,
    'el la los las de un una unos y es en que para con por no del al se su sus como mas pero esta este estan son lo ' +
      'cada nuestro nuestra sobre todos todas hay ya cuando donde tiene entre sin desde hemos',
  ),
  language(
    italian,
    /[àèéìòù]/,
    'il lo la gli le un una di che e non per con del della dei delle nel nella sono si su da al alla ha anche ogni ' +
      'questo questa nostro nostra come piu ma dal sul sulla tutti tutte viene abbiamo',
  ),
  language(
    portuguese,
    /[ãõçáéíóúâê]/,
    'o os as de um uma e que para com nao por do da dos das no na nos nas em se ao foi sao mais como mas cada nosso ' +
      'nossa sobre todos todas pelo pela quando onde tem entre sem temos estao esta',
  ),
]

const furtherLanguages = (): LatinLanguage[] => [
  language(
    dutch,
    /[ëïéè]/,
    'de het een en van ik te dat niet zijn met op voor er aan ook als maar om uit naar bij nog wordt worden onze ons ' +
      'wij deze dit heeft hebben kan door over elke wat al zich zo geen staat',
  ),
  language(
    swedish,
    /[åäö]/,
    'och att det som en ett ar av for den till inte med har om vi pa de var fran men kan nar alla varje vara sig ' +
      'eller ska efter dar denna detta finns utan under',
  ),
  language(
    danish,
    /[æøå]/,
    'og det er en et til af pa som med den der ikke de vi har fra kan om vores hver skal efter eller blev denne ' +
      'dette alle nar ved sig uden mellem',
  ),
  language(
    norwegian,
    /[æøå]/,
    'og det er en et til av pa som med den ikke de vi har fra kan om vare hver skal etter eller ble denne dette ' +
      'alle nar ved seg uten mellom',
  ),
  language(
    finnish,
    /[äö]/,
    'ja on ei se etta joka kun ovat oli mutta niin kuin myos tai jos sen tama ne meidan kaikki hanen olemme ' +
      'ennen jalkeen ilman joiden missa',
  ),
  language(
    hungarian,
    /[őűáéíóöú]/,
    'az egy es hogy nem van ez azt meg csak de minden vagy mint el ezt volt lesz kell mar ha nincs vannak aki ami ' +
      'alatt utan elott mert',
  ),
  language(
    romanian,
    /[ășțşţîâ]/,
    'si la pe cu un o este in din nu ca pentru sunt de care mai sau al ale lui fi fost cand noastra nostru fiecare ' +
      'toate toti intr dupa fara',
  ),
  language(
    turkish,
    /[ğışçöü]/,
    've bir bu icin ile da de ne gibi daha cok olarak var yok her ama kadar sonra olan tum biz bizim mi icinde ' +
      'uzerinde degil',
  ),
]

const latin = lazy(() => [...firstLanguages(), ...furtherLanguages()])

const english = new Set(
  (
    'the and of to is it for with this that are was be by an from at on not have has we you our when which all ' +
    'after before if into can will its use used uses does no or as i only every in a my your never always'
  ).split(' '),
)

/** The languages in which a word is frequent, by their numbers; English has the number after the last. */
const languagesByWord = lazy(() => {
  const numbers = new Map<string, number[]>()
  for (const [number, words] of [...latin().map(one => one.words), english].entries())
    for (const word of words) numbers.set(word, [...(numbers.get(word) ?? []), number])
  return numbers
})

/** Characters that decide the language of a text. */
const read = 2000

/** The words decide together with the letters that only some alphabets have. */
const enoughSigns = 2

/**
 * The Latin language, except English, that a text is written in.
 * @param plain the text without accents
 * @param written the same text with them
 * @returns its number for `stemIn`; undefined for English, other alphabets and texts that are too short
 */
export function latinLanguageOf(plain: string, written: string): number | undefined {
  const languages = latin()
  const counts = new Uint8Array(languages.length + 1)
  const seen = new Set<string>()
  for (const word of plain
    .slice(0, read)
    .toLowerCase()
    .match(/[a-z]+/g) ?? []) {
    const numbers = languagesByWord().get(word)
    if (!numbers || seen.has(word)) continue
    seen.add(word)
    for (const number of numbers) counts[number]!++
  }
  const letters = plain === written ? '' : written.slice(0, read).toLowerCase()
  let best: number | undefined
  let most = Math.max(enoughSigns - 1, counts[languages.length]!)
  for (const [number, own] of languages.entries()) {
    const count = counts[number]!
    if (count === 0) continue
    const signs = letters !== '' && own.letters.test(letters) ? count + 1 : count
    if (signs > most) {
      most = signs
      best = number
    }
  }
  return best
}

/** Returns true if a word without accents is one of the most frequent of a language, which says nothing. */
export function isFrequentIn(number: number, word: string): boolean {
  return latin()[number]!.words.has(word)
}

/** The stem of a Latin word in lower case in a language of `latinLanguageOf`. */
export function stemIn(number: number, word: string): string {
  return latin()[number]!.stem(word)
}

/** The distinct stems of a Latin word in all languages of `latinLanguageOf`. */
export function stemsOf(word: string): Set<string> {
  return new Set(latin().map(({ stem }) => stem(word)))
}

const scripts = lazy(() => [
  [/^\p{Script=Cyrillic}+$/u, (word: string) => (/[іїєґ]/.test(word) ? ukrainian : russian)(word)] as const,
  [/^\p{Script=Arabic}+$/u, arabic] as const,
  [/^\p{Script=Greek}+$/u, greek] as const,
  [/^\p{Script=Devanagari}+$/u, hindi] as const,
  [/^\p{Script=Armenian}+$/u, armenian] as const,
  [/^\p{Script=Tamil}+$/u, tamil] as const,
])

/** The stem of a word whose alphabet says the language; other words are returned as they are. */
export function stemByScript(word: string): string {
  for (const [script, stem] of scripts()) if (script.test(word)) return stem(word)
  return word
}

import { exfiltrationRules } from './rules/exfiltration.js'
import { frameRules } from './rules/frames.js'
import { harvestingRules } from './rules/harvesting.js'
import { languageRules } from './rules/languages.js'
import { markupRules } from './rules/markup.js'
import { overrideRules } from './rules/override.js'
import { persistenceRules } from './rules/persistence.js'
import { personaRules } from './rules/persona.js'
import { rolePlayRules } from './rules/role-play.js'
import { compile, type RuleText } from './rules/rule.js'
import { RuleSet } from './rules/rule-set.js'
import { sabotageRules } from './rules/sabotage.js'
import { secrecyRules } from './rules/secrecy.js'
import { shellRules } from './rules/shell.js'
import { spelledOutRules } from './rules/spelled-out.js'
import { toolDirectiveRules } from './rules/tool-directive.js'
import { Vocabulary } from './text/vocabulary.js'

/** The words of all rules. */
export const vocabulary = new Vocabulary()

const compiled = (rules: readonly RuleText[]) => compile(rules, vocabulary)
const proseRules = compiled([
  ...overrideRules,
  ...personaRules,
  ...rolePlayRules,
  ...secrecyRules,
  ...frameRules,
])
const commandRules = compiled([...shellRules, ...sabotageRules, ...persistenceRules])

/** What a text is judged by as it stands, and once it is unpacked. */
export const allRules = [
  ...proseRules,
  ...compiled([...languageRules, ...exfiltrationRules, ...harvestingRules]),
  ...commandRules,
  ...compiled([...markupRules, ...toolDirectiveRules]),
]

/** What a text is judged by whose words were cut up, or written with digits for letters. */
export const proseAndShell = [...proseRules, ...commandRules]

/** What letters are judged by that stood one by one. */
export const joinedLetterRules = compiled(spelledOutRules)

/** The same as scans ask for them. */
export const ruleSets = {
  all: new RuleSet(allRules),
  proseAndShell: new RuleSet(proseAndShell),
  joinedLetters: new RuleSet(joinedLetterRules),
}

import { compile } from './rule.js'
import { exfiltrationRules } from './rules/exfiltration.js'
import { harvestingRules } from './rules/harvesting.js'
import { languageRules } from './rules/languages.js'
import { markupRules } from './rules/markup.js'
import { overrideRules } from './rules/override.js'
import { personaRules } from './rules/persona.js'
import { sabotageRules } from './rules/sabotage.js'
import { secrecyRules } from './rules/secrecy.js'
import { shellRules } from './rules/shell.js'
import { spelledOutRules } from './rules/spelled-out.js'
import { toolDirectiveRules } from './rules/tool-directive.js'

const proseRules = compile([...overrideRules, ...personaRules, ...secrecyRules])
const commandRules = compile([...shellRules, ...sabotageRules])

/** What a text is judged by as it stands, and once it is unpacked. */
export const allRules = [
  ...proseRules,
  ...compile([...languageRules, ...exfiltrationRules, ...harvestingRules]),
  ...commandRules,
  ...compile([...markupRules, ...toolDirectiveRules]),
]

/** What a text is judged by whose words were cut up, or written with digits for letters. */
export const proseAndShell = [...proseRules, ...commandRules]

/** What letters are judged by that stood one by one. */
export const joinedLetterRules = compile(spelledOutRules)

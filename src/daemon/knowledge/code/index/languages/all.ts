import { bash } from './bash.js'
import { cpp } from './cpp.js'
import { csharp } from './csharp.js'
import { go } from './go.js'
import { java } from './java.js'
import { javascript, tsx, typescript } from './javascript.js'
import type { Language } from './language.js'
import { php } from './php.js'
import { python } from './python.js'
import { ruby } from './ruby.js'
import { rust } from './rust.js'

/** Languages parsed with a grammar. */
export const languages: readonly Language[] = [
  typescript,
  tsx,
  javascript,
  python,
  go,
  rust,
  java,
  csharp,
  cpp,
  ruby,
  php,
  bash,
]

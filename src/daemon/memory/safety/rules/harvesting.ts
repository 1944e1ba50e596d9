import { phrase, type Rule } from '../rule.js'
import { secretFile, secretFileWords, secretThing } from './parts.js'

const reason = 'credential_harvesting'

const credential =
  '(?:passwords?|passphrases?|api[ _-]?keys?|(?:access|github|gitlab|npm|auth|bearer|session|api) tokens?|credentials|secrets?|credit card(?: numbers?| details)?|card numbers?|social security numbers?|ssn|pin codes?|one[- ]time (?:codes?|passwords?)|otp|2fa codes?|mfa codes?|private keys?|ssh keys?|seed phrases?|recovery phrases?|login details|bank (?:details|account))'
const credentialWords = [
  'password',
  'passphrase',
  'key',
  'token',
  'credential',
  'secret',
  'card',
  'social security',
  'ssn',
  'pin',
  'one',
  'otp',
  '2fa',
  'mfa',
  'phrase',
  'login details',
  'bank',
]
const sensitive = new RegExp(`(?:${secretFile}|${secretThing})`)

/** Rules for orders that collect credentials or talk somebody into giving them away (spec 1, 1.6). */
export const harvestingRules: readonly Rule[] = [
  {
    reason,
    status: 'blocked',
    needs: [secretFileWords],
    command: true,
    start: phrase(
      '(?:read|open|cat|print|dump|extract|retrieve|access|load|view|fetch|grab|get|copy|harvest|steal)\\b',
    ),
    followedBy: [
      new RegExp(secretFile),
      /(?:\b(?:and|then|also|,|\.)\s?(?:then |also )?(?:send|include|print|output|reveal|return|paste|display|show|add|put|store|save|remember|pass|insert|embed|write|quote|append|report|use|provide|give|echo|summari[sz]e)\s(?:its?|the|them|their|all|this|that|those|these|full|everything)\b(?:\s(?:full |exact |raw |entire |private |file'?s? |key |keys )?(?:contents?|values?|keys?|secrets?|text|output|data|results?))?[^.!?]{0,60}?\b(?:reply|replies|response|answer|message|chat|memory|note|notes|sidenote|summary|argument|parameter|params?|field|comment|commit message|pull request|issue|output|context|conversation|here|user|me|us|tool call)\b|\b(?:its?|the|their) (?:full |exact |raw |entire )?(?:file )?contents? (?:as|in|into|to|with)\b[^.!?]{0,50}\b(?:parameter|argument|reply|response|answer|sidenote|note|field|memory|comment|tool)\b)/,
    ],
    reach: 'passage',
  },
  {
    reason,
    status: 'tainted',
    needs: [credentialWords],
    command: true,
    start: phrase(
      `(?:collect|harvest|steal|gather|exfiltrate|dump|grab|scrape|hoard|capture|log|record|memori[sz]e|remember|store|save|extract) (?:and \\w+ )?(?:all |any |every |each |the |of |whatever ){0,4}(?:user'?s? |users' |their |his |her |customer'?s? |victim'?s? |saved |stored |available |plaintext |browser |login |admin |private ){0,4}${credential}`,
    ),
    followedBy: [
      /^(?:\s|,)[^.!?]{0,80}?\b(?:you (?:find|see|encounter|come across|can find|discover|have access to)|(?:the user|users?|they|he|she) (?:types?|enters?|shares?|mentions?|gives?|pastes?|provides?)|from (?:the |this |their |all |user'?s? )*(?:user|browser|keychain|machine|system|computer|environment|home directory|victim|disk|file system|filesystem|conversation)|for (?:later|exfiltration|the attacker|future use)|in plain ?text|without (?:the )?(?:user|them|their|asking|consent))/,
    ],
    unless: /\b(?:hashed|encrypted|vault|keyring|gitleaks|trufflehog|rotate|revoke|redact)/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['user', 'human', 'developer', 'customer', 'victim', 'employee', 'operator', 'person'],
      credentialWords,
    ],
    command: true,
    start: phrase(
      `(?:ask|asking|tell|telling|convince|trick|persuade|request|require|get|make|instruct|prompt|urge|force|pressure) (?:the |a |any |all |your |every )?(?:user|users|human|developer|customer|victim|employee|operator|person)s?\\b`,
    ),
    followedBy: [
      new RegExp(`\\b${credential}\\b`),
      /\b(?:(?:and|then|,|so you can) (?:then )?(?:send|forward|e-?mail|post|transmit|upload|report|exfiltrate|relay|pass|include|repeat|leak|submit) (?:it|them|that|those|this|everything|the (?:values?|answers?|results?|credentials|passwords?|keys?))|(?:save|store|remember|write|record|keep|put) (?:it|them|that|the \w+) (?:in|into|to|as) (?:your |the |a |this )?(?:memory|memories|note|notes|plain ?text|log|reply)|to (?:https?:|[\w.+-]+@)|at https?:)/,
    ],
    reach: 'passage',
    unless: /\b(?:over tls|keychain|keyring|vault|secret manager)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [['user', 'human', 'developer', 'customer', 'victim', 'person'], credentialWords],
    command: true,
    start: phrase(
      '(?:tell|convince|trick|persuade|inform|warn|claim to|pretend to|lie to) (?:the |a |any |your )?(?:user|users|human|developer|customer|victim|person)\\b',
    ),
    followedBy: [
      /\b(?:expired|suspended|locked|compromised|verif(?:y|ication)|security (?:check|audit|reasons)|invalid|lost|required|needs?|must|should|have to|into|that)\b/,
      new RegExp(
        `\\b(?:enter|re-?enter|provide|type|give|reveal|share|confirm|submit|send|paste|supply|disclos\\w+|ask for|asking for|hand over|handing over|revealing|sharing|entering)\\b[^.!?]{0,30}\\b${credential}\\b`,
      ),
    ],
    unless: /\bin (?:the )?(?:settings|vault|dashboard|console|\.env)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      [
        'filesystem',
        'file system',
        'home',
        'disk',
        'machine',
        'computer',
        'hard',
        'documents',
        'system',
        'laptop',
        'memor',
        'conversation',
      ],
      ['search', 'scan', 'look', 'hunt', 'crawl', 'grep', 'scour', 'comb', 'go'],
    ],
    command: true,
    start: phrase(
      `(?:search|scan|look|hunt|crawl|grep|scour|comb|go) (?:the |this |through |across |over |in |on |for |recursively |entire |whole |user'?s? |all |their )*(?:file ?system|home (?:directory|folder)|disk|machine|computer|hard drive|documents|system|laptop|\\$home|memories|memory|conversation)`,
    ),
    followedBy: [
      sensitive,
      /\b(?:send|report|output|print|include|return|collect|list (?:them|all)|exfiltrate|save|store|copy|upload|post|reveal)\b/,
    ],
    unless: /\b(?:rotate|redact|gitleaks|trufflehog|leak check|audit)\b/,
  },
  {
    reason,
    status: 'tainted',
    needs: [
      ['password', 'key', 'token', 'credential', 'secret', 'phrase', 'variable'],
      ['you ', 'your', 'in ', 'from', 'without'],
    ],
    command: true,
    start: phrase(
      `(?:reveal|print|output|show|list|tell me|give me|display|dump|disclose|hand over|return|recite|expose|leak) (?:me |us )?(?:all |every |any |each |the |of |your |stored |saved |real |actual |raw ){1,6}(?:user'?s? |users' |known |remembered |secret |private |environment )*(?:passwords|api[ _-]?keys|access tokens|credentials|secrets|private keys|ssh keys|seed phrase|environment variables)`,
    ),
    followedBy: [
      /^(?:\s|,)[^.!?]{0,50}?\b(?:you (?:know|have|remember|can (?:see|access)|were given|store)|in (?:your (?:memory|context)|plain ?text|the clear)|from (?:your |memory|the (?:user|environment))|without (?:redact|mask))/,
    ],
  },
  {
    reason,
    status: 'tainted',
    command: true,
    needs: [['user'], credentialWords],
    start: phrase(
      "(?:enter|submit|type|fill in|autofill|use|provide|supply) (?:the )?user(?:'s|s'|s)? (?:saved |stored |browser |bank |login )+(?:credentials|passwords?|logins?|cookies)\\b",
    ),
  },
  {
    reason,
    status: 'blocked',
    needs: [['document.cookie', 'localstorage', 'sessionstorage', 'btoa(document']],
    start:
      /\b(?:fetch|xmlhttprequest|sendbeacon|new image|\.src\s?=|location(?:\.href)?\s?=|axios\.(?:get|post))/g,
    followedBy: [
      /https?:\/\/(?!localhost|127\.)[\w.-]+[^\n]{0,60}?["'`]?\s?(?:\+|\$\{|,)\s?[^\n]{0,40}?\b(?:document\.cookie|localstorage(?:\.getitem|\b)|sessionstorage\b|btoa\(document)/,
    ],
    reach: 'line',
  },
  {
    reason,
    status: 'blocked',
    needs: [['sekurlsa', 'lsadump', 'mimikatz', 'laz', 'security ', 'unshadow', 'reg save']],
    start:
      /\b(?:sekurlsa::logonpasswords|lsadump::sam|invoke-mimikatz|mimikatz(?:\.exe)? "|laz ?agne(?:\.exe|\.py)? all|security find-(?:generic|internet)-password -[a-z]*w[a-z]*[^\n|]{0,60}\||security dump-keychain -d|unshadow \/etc\/passwd|reg save hklm\\sam)/g,
    reach: 'line',
  },
]

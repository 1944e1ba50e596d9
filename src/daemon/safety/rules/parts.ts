import { oneOf, source } from '../text/pattern.js'
/** Pattern parts that several rules share; all lower case, for folded text. */

/** Files and stores that contain secrets; public keys, examples and ssh settings don't. */
export const secretFile = oneOf`
  \.ssh(?:/(?!config|known_hosts|authorized_keys|[\w.-]{1,60}\.pub)[\w.*-]{0,60})?(?![\w/])|
  \bid_(?:rsa|dsa|ecdsa|ed25519)\b(?!\.pub)|\.aws/(?:credentials|config)|/etc/(?:shadow|passwd)\b|
  (?<![\w)])\.env(?:\.(?:local|production|prod|development))?\b(?!\.|[\w-])|\.netrc\b|
  \.git-credentials|\.npmrc\b|\.pypirc\b|\.pgpass|\.kube/config|\.docker/config\.json|\.config/gcloud|
  \.gnupg\b|login\.keychain|wallet\.dat|cookies\.sqlite|(?:\.cursor|\.claude)/mcp\.json|
  \.claude\.json|\.claude/\.credentials|\.secrets/|/proc/self/environ
`

/** Words for the most sensitive things, in prose. */
export const secretThing = oneOf`
  (?:private|secret) (?:ssh |gpg |pgp |signing |api )?keys?|ssh (?:private )?keys?|seed phrases?|
  recovery phrases?|(?:the |all |any |user |user's |your |their )(?:saved |stored |browser |login |
  aws |cloud |database |github |root |admin )*(?:credentials|passwords|api[ _-]?keys|access tokens|
  auth tokens|session cookies|cookies|secrets|env(?:ironment)? variables|env vars|tokens)|
  environment variables|browser cookies|password store|keychain|api[ _-]?keys and \w+
`

const privateHost = oneOf`
  localhost|127\.|0\.0\.0\.0|\[::1\]|10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|
  host\.docker\.internal|[\w-]+(?:\.[\w-]+)*\.(?:local|internal|lan|test|localhost)\b|
  [\w-]+(?::\d+)?(?:/|\s|$)
`

/** A web address outside this machine and private networks. */
export const foreignUrl = source`(?:https?|ftp|wss?)://(?:[\w.-]+@)?(?!${privateHost})[\w.-]`

/** An external destination: an address, a mailbox, or words for another person's server. */
export const destination = oneOf`
  ${foreignUrl}|[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,}|
  \b(?!10\.|127\.|192\.168\.)\d{1,3}(?:\.\d{1,3}){3}\b|
  \b(?:my|attacker'?s?|remote|external|third[- ]party|c2|command and control|collector|collection|drop|
  following|this) (?:web ?hook|server|endpoint|host|url|site|address|e-?mail|domain|bucket|channel|bot|
  api)\b|\bexternal-server\b|\b(?:discord|slack|telegram) (?:web ?hook|bot)\b|\bpaste ?bin\b|
  \bwebhook\.site\b|\b(?:attacker|evil|exfil)[\w-]{0,30}\.[a-z]{2,}
`

/** Hosts that serious installers avoid: bare IP addresses, tunnels, paste and drop sites, shorteners. */
export const suspiciousHost = source`
  (?:https?://)?(?:[\w.-]+@)?(?:(?!10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|
  0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b|0x[0-9a-f]{8}\b|\d{9,10}(?=[/:\s])|
  (?:[\w-]+\.){0,3}(?:bit\.ly|tinyurl\.com|is\.gd|t\.co|cutt\.ly|rb\.gy|shorturl\.at|pastebin\.com|
  paste\.ee|hastebin\.com|transfer\.sh|0x0\.st|termbin\.com|ix\.io|file\.io|anonfiles\.com|
  webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.\w+|ngrok\.io|trycloudflare\.com|
  loca\.lt|serveo\.net|burpcollaborator\.net|oastify\.com|interact\.sh|oast\.\w+|dnslog\.\w+|
  duckdns\.org|no-ip\.\w+|onion)\b|[\w.-]*(?:evil|attack|malicious|malware|hacker|h4ck|phish|exfil|
  pwned|c2server|badguy|backdoor)[\w-]*\.[a-z.]{2,}|
  (?:[\w-]+\.){1,3}(?:tk|ml|ga|cf|gq|zip|icu|onion)(?=[/:\s"')]|$))
`

/** A shell or interpreter at the end of a pipe. */
export const interpreter = source`
  (?:sudo (?:-\w+ )?)?(?:/(?:usr/)?bin/)?(?:env )?(?:(?:ba|z|da|k|a|c|fi)?sh|python[23]?|perl|ruby|
  node|php|source /dev/stdin)\b(?![-./]\w)
`
/** Commands that download something. */
export const download = source`\b(?:curl|wget|fetch|aria2c|lwp-download)\b`

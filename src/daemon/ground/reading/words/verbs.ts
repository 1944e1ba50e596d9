/** Verbs that developers use, with forms made by rule. */
const regular = `accept access ache achieve acknowledge act add address adjust adopt advertise advise affect age agree
aim alert align allocate allow alternate amend analyse analyze announce answer anonymise anonymize appear append apply
approve archive arrive ask assemble assert assign assume attach attempt audit authenticate automate autoscale avoid back
backfill balance ban base batch behave belong benchmark bill block blacklist book boot bootstrap border bounce branch
brick browse buffer bump bundle burn cache calculate calibrate call cancel cap capture care carry cause certify change
charge check choke claim clean clear click clip clone close coincide collect collide colour combine comment commit
communicate compare compile complete comply compose compress compute concern configure confirm conflict connect
consider consist consolidate consult consume contact contain continue contribute control convert cook coordinate copy
correct correspond corrupt count cover crash crawl create cross customise customize damage deadlock debug decide declare
decline decode decommission decompress decouple decrypt decrease dedicate deduplicate default define degrade delay
delegate delete deliver demand denormalise deny depend deploy deprecate derive describe deserialise deserve design
destroy detach detect deteriorate determine develop diagnose die differ disable disagree disallow disappear discard
disconnect discontinue discover discuss dislike dispatch display distribute dive divide dock document double
double-check download downgrade downsample drain drift drop dump duplicate earn edit eliminate email embed emit employ
emulate enable encode encounter encourage encrypt end endorse enforce engage enhance enjoy enqueue enrich ensure enter
erase escalate escape establish estimate evaluate evict evolve examine exceed exchange exclude execute exhaust exist
exit expand expect experience expire explain explode export expose extend extract face fail fallback favour favor fetch
file fill filter finance finish fire fit fix flag flake flap flash flicker float flood flush focus follow force forecast
fork format forward found freeze function fuse gate gather generate glitch govern grant grep group guarantee guard guess
guide halt handle happen harden hardcode hard-code hash hate head help hesitate highlight hook hope host ignore
implement imply import impose improve impute include incorporate increase increment index indicate infer inform inherit
initialise initialize initiate inject inline insert inspect install instruct instrument integrate intend interact
intercept interfere interpolate interpret interrupt introduce invalidate invest investigate invite invoke involve
isolate issue iterate jam join jump justify kick kill label lack lag land last launch lead leak learn lease leverage
license like limit lint link list listen live load localise localize locate lock log look loop love lower mail maintain manage map
mark mask match matter measure mention merge message migrate minify mint mirror misbehave miss mix mock model modify
monitor mount move multiply mute name narrow need negotiate nest normalise normalize note notice notify number obey
observe obtain occupy occur offer offload omit onboard open operate oppose opt optimise optimize orchestrate order
organise organize originate oscillate outsource overflow overheat overlap overload own pace package page paint panic
parse part partition pass patch pause peak peer perform permit persist phase pick pin ping pipe place plan play plug
point poll populate port possess post postpone power practise precede precompute predict prefer prefix prepare present
preserve press prevent preview price print prioritise prioritize probe proceed process procure produce profile program
prohibit promise promote prompt propagate propose protect prototype prove provide provision proxy prune publish pull
pump purchase purge push qualify quantise quantize quarantine query queue quote race raise randomise rate rate-limit
reach react realise realize rearrange rebase reboot rebrand receive recheck recognise recognize recommend reconcile
reconfigure reconnect record recover recreate recycle redeploy redirect reduce reference refactor refer reflect refresh
refuse regenerate register regress regulate reindex reinstall reject relate release reload rely remain remember remind
remove rename render renew rent reopen reorder repair repeat replace replay replicate reply report represent reproduce
request require reserve reshape reside resist resize resolve respond restart restore restrict result resume retain
retire retrain retrieve retry return reuse reveal reverse revert review revisit revoke rework roll rotate round route
sample sanitise sanitize satisfy save scale scan schedule scope scrap scrape scream screen script scroll seal search
secure seed select separate serialise serialize serve settle shape shard share shift ship shop shorten shout show sign
signal simplify simulate skip slip slow snap snapshot solve sort sound source space span specify spike split sponsor spool
spread squash stabilise stack stage stall standardise standardize start starve state stay steer step stop store stream
stress stretch strip struggle stutter style subscribe submit substitute succeed suffer suggest suit summarise summarize
sunset supersede supply support suppose suppress surface survive suspend swallow swap switch symlink sync synchronise
synchronize tackle tag tail talk tap target task template terminate test thank thin thread throttle tie time
timeout toggle tolerate touch trace track trade train transcode transcribe transfer transform transition translate
transmit transpile transport trap travel treat triage trigger trim triple truncate trust try tune tunnel turn twist type
uninstall unify unlock unplug unwrap update upgrade upload use utilise utilize vacuum validate value vary vendor verify
version vet view visit visualise vote wait walk want warm warn waste watch weigh whitelist wipe wire wish work worry wrap
yield zip zoom oom segfault crackle garble mangle scramble desync misfire thrash jitter ack cherry-pick hand mail outrank salt speed abandon accompany acquire adapt
admire admit anticipate appoint arrange assess assist attract axe believe borrow bury celebrate challenge chase climb
combat compete complain conceal conduct confuse cope curate decorate delimit depict devote discourage dismiss dispute
ditch donate doubt drag dwell educate elect embrace emerge entitle equip erode exaggerate exempt exert exhibit exploit
explore fasten hammer harm heal hire hover identify imagine injure interview invent judge juggle launder lift
manufacture melt memorise memorize mend moderate narrate nominate offend outlaw overrule owe participate peel polish pour
prescribe punish recite recruit refund reimburse rescue rinse scare scatter scrub soak solder spoil stain stir
strengthen subtract supervise suspect tame tempt tow unite unpack vaccinate veto waive wander weaken weld welcome wonder`

/** Irregular verbs: lemma, past, participle where it differs. */
const irregular = `bear bore borne, beat beat beaten, become became become, begin began begun, bend bent, bind bound, bite bit bitten, bleed bled, blow blew
blown, break broke broken, bring brought, build built, buy bought, catch caught, choose chose chosen, come came come,
cost cost, cut cut, deal dealt, dig dug, draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell
fallen, feed fed, feel felt, fight fought, find found, fly flew flown, forbid forbade forbidden, forget forgot
forgotten, freeze froze frozen, give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden,
hit hit, hold held, inherit inherited, keep kept, know knew known, lay laid, lead led, leave left, lend lent, let let,
lie lay lain, lose lost, make made, mean meant, meet met, outgrow outgrew outgrown, oversee oversaw overseen, overwrite
overwrote overwritten, pay paid, put put, quit quit, read read, rebuild rebuilt, rerun reran rerun, reset reset, rewrite
rewrote rewritten, ride rode ridden, ring rang rung, rise rose risen, run ran run, say said, see saw seen, seek sought,
sell sold, send sent, set set, shake shook shaken, shoot shot, show showed shown, shrink shrank shrunk, shut shut, sink
sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, spend spent, spin spun, split split, spread spread, steal stole stolen, stick stuck, strike struck, sweep swept, swim swam swum, take took taken, teach taught, tear tore torn,
tell told, think thought, throw threw thrown, undergo underwent undergone, undo undid undone, wake woke woken, wear wore worn,
win won, withdraw withdrew withdrawn, write wrote written`

/** Verbs of one short syllable at the end double their last letter: `drop`, `dropped`. */
const doubling = new Set(
  `ban cap chop clip commit control debug drop fit flag flap format get grab hit jam lag let log map mock
  pin plan plug pop prefer program put quit refer regret rub run scan scrap set ship shop shut skip slip snap span spin
  split stop strip submit swap tag tap transfer trap trim transmit unplug unwrap whip wrap zip omit permit admit
  occur incur defer infer compel excel propel patrol equip stir begin forget`.split(/\s+/u),
)

export type VerbForm = 'base' | 's' | 'ed' | 'past' | 'participle' | 'ing'
export interface Verb {
  lemma: string
  form: VerbForm
}

/** Verbs by their forms. `ed` is past and participle in one. */
export const verbs: ReadonlyMap<string, readonly Verb[]> = build()

function build(): Map<string, Verb[]> {
  const forms = new Map<string, Verb[]>()
  const put = (word: string, lemma: string, form: VerbForm): void => {
    const known = forms.get(word)
    if (!known) forms.set(word, [{ lemma, form }])
    else if (!known.some(one => one.lemma === lemma && one.form === form)) known.push({ lemma, form })
  }
  for (const told of irregular.split(',')) {
    const [lemma = '', past = '', participle] = told.trim().split(/\s+/u)
    putPresent(put, lemma)
    put(past, lemma, participle ? 'past' : 'ed')
    if (participle) put(participle, lemma, 'participle')
  }
  for (const lemma of regular.split(/\s+/u)) {
    if (forms.get(lemma)?.some(({ form }) => form === 'base')) continue
    putPresent(put, lemma)
    put(pastOf(lemma), lemma, 'ed')
  }
  for (const [word, lemma] of [
    ['learnt', 'learn'],
    ['cancelled', 'cancel'],
    ['labelled', 'label'],
    ['modelled', 'model'],
    ['travelled', 'travel'],
    ['synced', 'sync'],
  ] as const)
    put(word, lemma, 'ed')
  put('done', 'do', 'participle')
  return forms
}

function putPresent(put: (word: string, lemma: string, form: VerbForm) => void, lemma: string): void {
  put(lemma, lemma, 'base')
  const isY = /[^aeiou]y$/u.test(lemma)
  put(
    isY ? `${lemma.slice(0, -1)}ies` : /(?:s|x|z|ch|sh|o)$/u.test(lemma) ? `${lemma}es` : `${lemma}s`,
    lemma,
    's',
  )
  const stem = doubling.has(lemma) ? lemma + lemma.at(-1) : lemma
  const isCutE = /[^e]e$/u.test(lemma)
  put(`${isCutE ? lemma.slice(0, -1).replace(/i$/u, 'y') : stem}ing`, lemma, 'ing')
}

/** The regular past of a lemma: `dropped`, `retried`, `used`. */
export function pastOf(lemma: string): string {
  if (/[^aeiou]y$/u.test(lemma)) return `${lemma.slice(0, -1)}ied`
  if (/e$/u.test(lemma)) return `${lemma}d`
  return `${doubling.has(lemma) ? lemma + lemma.at(-1) : lemma}ed`
}

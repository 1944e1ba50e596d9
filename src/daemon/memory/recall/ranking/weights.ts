/**
 * Every weight, bound and cut-off that decides which memories a recall gives and in which order, by the step or part
 * that uses it. A weight is points of evidence (additions) or a share or factor without unit; anything else says its
 * unit. Where a reason says "measured", the figures stand in docs/ranking.md: measure again with bench/quality before
 * changing one. "Not measured" is a choice that no set of questions here can judge.
 */
export const weights = {
  fuse: {
    /**
     * Points of a hint that covers the query, where a row's own words have 1: somebody's guess at a question
     * is no evidence of its own.
     */
    hints: 0.5,
    /**
     * A longer question is held to so many words: nobody's memory repeats all of a paragraph. Measured:
     * without it 6 of 64 questions lost, not 1.
     */
    fullQuestionWords: 5,
    /** Standard deviations of keyword evidence that one of the cosines is worth. Measured with simulated models. */
    vector: 0.9,
    /** The same of sums of word vectors, which see little that words do not. Measured: 0.4 to 0.9. */
    wordVector: 0.6,
    /** What is left of that for a turn of a talk, which says little by itself. Measured: 0 to 1. */
    wordVectorTalk: 0.3,
    /** Standard deviations above the mean up to which a cosine is usual. Measured as above. */
    usual: 1,
    /** Of keyword evidence, where no row was found by words. */
    keywordDeviation: 0.1,
    /** Cosine of unrelated texts when a list is too short to show it. */
    noiseCosine: 0.2,
    /**
     * Cosines from which on the median of the list tells what unrelated rows look like for this query and
     * model.
     */
    noiseSample: 20,
  },

  claims: {
    /** Points of a memory that says a claim of which the names are all of the query, told with all confidence. */
    points: 1,
    /** Share of these where an entity is named and none of its slots; all that is known of it divides it by the root. */
    entityAlone: 0.25,
    /** Entities of a query that are followed. */
    mostEntities: 8,
    /** A name that as many slots have means none of them, unless their entity is named too. */
    mostSlots: 16,
    /** Values of an entity that are followed, the surest, and memories of each value, the newest. */
    perEntity: 32,
    perValue: 8,
  },

  traversal: {
    /** Points of a memory that alone mentions an entity which is all of the query. */
    points: 0.3,
    /** Links that are followed one after the other, and what one of them leaves. */
    steps: 2,
    perLink: 0.5,
    /** An entity with more links in one direction leads nowhere in particular. */
    mostLinks: 16,
    /** Entities that one step goes on with, the strongest. */
    mostEntities: 4,
    /** Memories that mention an entity that are looked at, the newest. */
    perEntity: 12,
  },

  talk: {
    /** Mean terms of the rows of a session up to which it is a talk, and from which on it is none. */
    shortTurn: 50,
    longTurn: 120,
  },

  expansion: {
    /** Points of a row that holds all of the words that stand out in the best rows. Measured. */
    share: 0.4,
    /** So many of the best rows keep their places: the words are drawn from them. Measured. */
    untouched: 3,
    /** Share of the evidence of the last of these above which the rest are pressed together below it. */
    bend: 0.95,
  },

  /**
   * Share of the way that a row is lifted to the coverage of its session. Measured; as an addition in full 0.4
   * was worse.
   */
  session: 0.3,

  /** Share of the way that a row is lifted to the better row before or after it. Measured. */
  neighbours: 0.4,

  document: {
    /**
     * Share of the places of a recall that chunks may take from memories. Measured: with 13,938 chunks beside the
     * developer memories 0.2 to 0.5 differ by 1.2 points of R@10, and all places cost 2.3.
     */
    share: 0.3,
    /**
     * Hits asked of each channel for chunks beside memories. Measured with 14,081 chunks beside the developer memories:
     * R@10 is that of 150, and 303 of 308 questions get the same chunks, at two fifths of the candidates.
     */
    depth: 60,
    /** Chunks of one document that a ranking keeps, where documents are not what is asked for. Not measured. */
    chunks: 3,
    /** Chunks of one document that are loaded for that: among so many are its best. Not measured. */
    loaded: 10,
  },

  /** Factor of rows by the one author that the query names. Measured. */
  author: 1.4,

  date: {
    /**
     * What a row of the named time gains on itself: 1 doubles it. Measured: every fold but one asked for more
     * than half.
     */
    gain: 1,
    /** Share of that gain for a row close to the named time. */
    nearShare: 0.5,
    /**
     * Days before and after the named time that are close to it: people write about a day some days later.
     */
    nearDays: 7,
  },

  /**
   * Share of a question's own evidence that the row after it is given, for a row that only asks. Measured.
   */
  replies: 0.4,

  /** What a row that only asks loses, as a share. Measured. */
  questions: 0.2,

  /** Factor of rows that tell a time, when the query asks for one. Measured. */
  timeWords: 1.3,

  /** Factor of preferences, rules, decisions and procedures, when a query does not ask for facts. Measured. */
  standing: 1.3,

  hintCap: {
    /**
     * A row that only its hints speak for ends at this share of the grounded evidence that caps it (recall.md 1.3.5).
     * Any share below 1 keeps it below.
     */
    belowGrounded: 0.95,
    /**
     * Grounded rows of at least this share of the best grounded one cap: a stray shared word must not cap a
     * good hint.
     */
    solidShare: 0.8,
  },

  /** What a full rating moves, as a share, up or down: harmful halves, helpful adds half. Not measured. */
  feedback: 0.5,

  /** Factor for memories of the project that the caller works in, beside those of no project. */
  ownProject: 1.25,

  /** What a row loses, as a share, where all that it says of code changed, or is gone: it settles near ties (docs/benchmarks.md). */
  ground: { changed: 0.03, gone: 0.1 },

  currentness: {
    /** Factor of what is replaced or expired. Not measured. */
    outdated: 0.5,
    /**
     * A replaced row ends at most at this share of its successor. Any share below 1 keeps it below (recall.md 1.3.9).
     */
    belowSuccessor: 0.95,
  },

  /**
   * Two logistic models of the best row; the features of each stand in confidence.ts. Fitted on 2026-11-22 by
   * `npm run bench -- quality --fit` over seven sets: log loss 0.31 to 0.54, figures in docs/ranking.md.
   */
  confidence: {
    /** Whether the best row is the right one, told also by the evidence of the second and of chance beside its own. */
    right: { evidence: 0.3116, coverage: 0.6667, second: -2.974, noise: -3.818, constant: 4.3 },
    /** Whether anything in the store is about the query: below 0 nothing is shown. */
    answered: {
      match: 3.548,
      said: 2.284,
      length: -2.293,
      volume: -1.231,
      unknown: -2.98,
      constant: 23.38,
    },
    /**
     * What evidence counts in `match`, where coverage counts 1. Not fitted with the others: evidence is measured by the
     * mean length of a store, and fitted freely it cost a set that was left out 14 points of R@10. Measured.
     */
    evidenceShare: 0.5,
    /** Nearness by meaning that answers without any words. Not measured: no model was at hand. */
    near: 0.3,
    /** So many of the first rows may be the one that covers the query. */
    covering: 20,
    /** Places whose mean evidence is what chance gives; a ranking that ends before them shows none. */
    chance: { from: 20, to: 40 },
    /** Terms of volume below which a store is too small to show what chance gives. Measured: 1,000 to 20,000. */
    smallVolume: 8000,
    /** What chance gives there, as a share of a row that holds one word of the query. Measured: 0.25 to 1. */
    strayShare: 0.5,
    /**
     * Terms, volume, evidence and coverage below which all is the same. Measured in stores of a few rows: 1,000 terms of
     * volume lost half as much again, 100 saves little more (docs/ranking.md#small-stores).
     */
    shortest: 12,
    leastVolume: 400,
    leastEvidence: 0.02,
    leastCoverage: 0.02,
    /** score of a row = confidence x (its evidence / that of the best) ^ decay. Measured. */
    decay: 4,
  },

  cutOff: {
    /**
     * Share of the best evidence below which rows are left out. Less than a third, so that of two equal rows the one
     * that was rated harmful is still shown below the one that was rated helpful (`feedback`). Measured.
     */
    shareOfBest: 0.33,
    /** Share of the way from chance to the best row at which evidence ends. Measured. */
    aboveNoise: 0.15,
    /** Rows with this share of the best evidence are shown, whatever chance gives. Measured. */
    surelyShown: 0.6,
  },

  candidates: {
    /**
     * Hits asked of each channel: enough for every step to reorder the best. Measured: 60 to 200 differ by 1.4
     * points of R@20, and every candidate costs time.
     */
    depth: 150,
    /**
     * Rows that are loaded for the steps that see content, or as many as are asked for. Measured: 30 to 60
     * differ by 0.4 points.
     */
    loaded: 40,
    /**
     * Characters of a row by which the steps that see content judge it. Rows that people write are shorter; one of
     * ten MiB read whole would hold up everybody for half a second. Not measured.
     */
    judged: 16_384,
    /**
     * No filter of the index has seen the rows beside its hits: so many times more are asked for than should
     * be enough.
     */
    spareShare: 1.25,
    /** A further round of authorisation asks for at most so many times as many rows as the one before. */
    maxGrowth: 4,
    /** Milliseconds that a query waits for its vector, then it goes on by words alone. */
    embedMs: 2000,
  },

  /**
   * Rows beside the ranking that one recall adds at most, in the places that its limit leaves free. Not
   * measured.
   */
  supplementary: {
    successors: 3,
    savedSummaries: 1,
    artifacts: 3,
    /** Entities that are told of, values of each, and the surest of its values that these are chosen from. */
    cards: 2,
    cardValues: 4,
    looked: 12,
  },

  artifacts: {
    /** Chunks of artifacts that are loaded for the steps that see content. Not measured. */
    loaded: 20,
    /**
     * Hits asked of each channel for chunks beside memories, of which three are given at most. Measured: of 3,117
     * questions of seven sets, their rows taken as chunks, 3,114 get the same first three as with 150, and as many of
     * these answer.
     */
    depth: 60,
    /** By so much the score of a chunk is higher than that of a memory before which it stands. Not measured. */
    lead: 0.1,
  },

  summary: {
    /** Longest text of each budget in UTF-16 units: about 250, 750 and 2,000 tokens. */
    characters: { small: 1000, medium: 3000, large: 8000 },
    /** Best rows that are read. Not measured. */
    rows: 30,
    /** Characters that are read of each row, and of each of its sentences. */
    rowCharacters: 1500,
    sentenceCharacters: 400,
    /**
     * What a sentence without a word of the query counts of its row's evidence; each share of the query that it
     * covers comes on top.
     */
    unasked: 0.5,
    /** Two sentences that share so much of their words say the same. */
    sameShare: 0.6,
    /** Importance of a saved summary, 0 to 1: worth less than what it was made from. */
    savedImportance: 0.3,
  },
} as const

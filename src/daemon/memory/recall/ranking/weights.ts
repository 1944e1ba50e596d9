/**
 * Every weight, bound and cut-off that decides which memories a recall returns and in which order, by step or
 * part. A weight is points of evidence (additions), or a share or factor without unit; anything else states
 * its unit. "Measured" means that docs/ranking.md has the figures: measure again with bench/quality before a
 * change. "Not measured" marks a choice that no question set here can judge.
 */
export const weights = {
  fuse: {
    /**
     * Points of a hint that covers the query; a row's own words have 1. A hint is only a guess at a question.
     */
    hints: 0.5,
    /**
     * A longer question counts as this many words: no memory repeats a whole paragraph. Measured: without it
     * 6 of 64 questions lost, not 1.
     */
    fullQuestionWords: 5,
    /**
     * Standard deviations of keyword evidence for one of the cosines, of a text and of a turn of a talk, from
     * `usual` deviations above the mean on. Sums of word vectors see little more than words do.
     */
    vector: {
      /** Measured: 0 to 7. */
      sentences: { text: 3, turn: 0.9, usual: 0 },
      /** Measured: 0.4 to 0.9. */
      words: { text: 0.6, turn: 0.18, usual: 1 },
      /** Measured with simulated models. */
      other: { text: 0.9, turn: 0.9, usual: 1 },
    },
    /**
     * Cosines of the packaged sentence model count in full from this nearness of the nearest row on, because
     * the best of unrelated rows is far above the others too. Measured: 0.1 to 0.3.
     */
    sureNearness: 0.2,
    /** Cosine of unrelated texts by that model. Measured: 0.05 to 0.2. */
    sentenceNoise: 0.05,
    /** Deviation of keyword evidence when no row matched by words. */
    keywordDeviation: 0.1,
    /** Cosine of unrelated texts when a list is too short to show it. */
    noiseCosine: 0.2,
    /**
     * From this many cosines on, the median of the list stands for unrelated rows of this query and model.
     */
    noiseSample: 20,
  },

  claims: {
    /** Points of a memory that states a claim whose names make up the whole query, with full confidence. */
    points: 1,
    /** Share for a named entity without a named slot; divided by the root of the number of its values. */
    entityAlone: 0.25,
    /** Entities of a query that are followed. */
    mostEntities: 8,
    /** A name shared by this many slots means none of them, unless their entity is named too. */
    mostSlots: 16,
    /** Values followed per entity, surest first, and memories per value, newest first. */
    perEntity: 32,
    perValue: 8,
  },

  traversal: {
    /** Points of a memory that alone mentions an entity which makes up the whole query. */
    points: 0.3,
    /** Links followed in sequence, and the share that remains after each. */
    steps: 2,
    perLink: 0.5,
    /** An entity with more links in one direction is too general to follow. */
    mostLinks: 16,
    /** Strongest entities that one step continues with. */
    mostEntities: 4,
    /** Newest mentioning memories examined per entity. */
    perEntity: 12,
  },

  talk: {
    /** Mean terms of a session's rows up to which it is a conversation, and from which it is not. */
    shortTurn: 50,
    longTurn: 120,
  },

  expansion: {
    /** Points of a row that contains all characteristic words of the best rows. Measured. */
    share: 0.4,
    /** The best rows that keep their places: the words come from them. Measured. */
    untouched: 3,
    /** Share of the last of these rows' evidence above which the rest is compressed below it. */
    bend: 0.95,
  },

  /**
   * Share of the difference to its session's coverage by which a row is lifted. Measured; as a full addition
   * 0.4 was worse.
   */
  session: 0.3,

  /** Share of the difference to a better neighbour by which a row is lifted. Measured. */
  neighbours: 0.4,

  document: {
    /**
     * Hits requested from each channel for chunks beside memories. Measured with 14,081 chunks beside the
     * developer memories: R@10 equals that of 150, and 303 of 308 questions get the same chunks, with two
     * fifths of the candidates.
     */
    depth: 60,
    /** Chunks of one document kept in a ranking, unless documents are requested. Not measured. */
    chunks: 3,
    /** Chunks of one document loaded for that; the best are among them. Not measured. */
    loaded: 10,
  },

  /** Factor for rows of the one author that the query names. Measured. */
  author: 1.4,

  date: {
    /**
     * Gain of a row of the named time; 1 doubles it. Measured: every fold but one asked for more than half.
     */
    gain: 1,
    /** Share of that gain for a row near the named time. */
    nearShare: 0.5,
    /** Days before and after the named time that are near: people write about a day some days later. */
    nearDays: 7,
  },

  /** Share of a question's own evidence for the row after it, when the question only asks. Measured. */
  replies: 0.4,

  /** Share that a row loses when it only asks. Measured. */
  questions: 0.2,

  /** Factor for rows that contain a time, when the query asks for one. Measured. */
  timeWords: 1.3,

  /**
   * Factor for preferences, rules, decisions and procedures, when a query does not ask for facts. Measured.
   */
  standing: 1.3,

  hintCap: {
    /**
     * A row with hints only ends at this share of the grounded evidence that caps it (recall.md 1.3.5). Any
     * share below 1 keeps it below.
     */
    belowGrounded: 0.95,
    /**
     * Grounded rows with at least this share of the best grounded one cap hints: a stray shared word must
     * not.
     */
    solidShare: 0.8,
  },

  /** Change by a full rating, as a share: harmful halves, helpful adds half. Not measured. */
  feedback: 0.5,

  /**
   * Factors of a person's judgement. The first two decide among rows with near evidence; a wrong row ends
   * behind every row that answers, below the cut-off. Not measured: no set has judgements.
   */
  judgement: { up: 1.1, down: 0.9, wrong: 0.05 },

  /** Factor for memories of the project that the caller works in, beside those of no project. */
  ownProject: 1.25,

  /**
   * Share that a row loses when all its code references changed or are gone; decides near ties
   * (docs/benchmarks.md).
   */
  ground: { changed: 0.03, gone: 0.1 },

  currentness: {
    /** Factor for replaced or expired rows. Not measured. */
    outdated: 0.5,
    /**
     * A replaced row gets at most this share of its successor. Any share below 1 keeps it below (recall.md
     * 1.3.9).
     */
    belowSuccessor: 0.95,
  },

  /**
   * Two logistic models of the best row, with the features in confidence.ts. Fitted on 2026-11-22 by `npm run
   * bench -- quality --fit` over seven sets: log loss 0.31 to 0.54, figures in docs/ranking.md.
   */
  confidence: {
    /** Coefficients for a correct best row; also uses the second row and chance relative to it. */
    right: { evidence: 0.3116, coverage: 0.6667, second: -2.974, noise: -3.818, constant: 4.3 },
    /** The same with the packaged sentence model, fitted on 2026-11-29 over seven sets. */
    rightByMeaning: { evidence: 0.72, coverage: 0.25, second: -2.96, noise: -2.23, constant: 3.03 },
    /**
     * Coefficients for an answer in the store, by the packaged sentence model: below 0 nothing is shown.
     * Fitted on the same sets; 0.5 was added to the constant, so that few answers are lost.
     */
    answeredByMeaning: { cosine: 21.31, coverage: 0.48, volume: -1.12, constant: 3.57 },
    /** Coefficients for an answer in the store: below 0 nothing is shown. */
    answered: {
      match: 3.548,
      said: 2.284,
      length: -2.293,
      volume: -1.231,
      unknown: -2.98,
      constant: 23.38,
    },
    /**
     * Weight of evidence in `match`, where coverage has 1. Not fitted with the others: evidence depends on a
     * store's mean length, and free fitting cost an unseen set 14 points of R@10. Measured.
     */
    evidenceShare: 0.5,
    /** Nearness by meaning that answers without any words. Not measured: no model was available. */
    near: 0.3,
    /** Number of first rows in which the row that covers the query is searched. */
    covering: 20,
    /** Places whose mean evidence is taken as chance; a shorter ranking shows none. */
    chance: { from: 20, to: 40 },
    /** Terms of volume below which a store is too small to show chance. Measured: 1,000 to 20,000. */
    smallVolume: 8000,
    /** Chance in small stores, as a share of a row with one word of the query. Measured: 0.25 to 1. */
    strayShare: 0.5,
    /**
     * Lower bounds of terms, volume, evidence and coverage. Measured in stores of a few rows: a volume of
     * 1,000 terms lost half as much again, 100 saves little more (docs/ranking.md#small-stores).
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
     * Rows below this share of the best evidence are left out. It is below a third, so of two equal rows, one
     * rated harmful is still shown below one rated helpful (`feedback`). Measured.
     */
    shareOfBest: 0.25,
    /** Share of the way from chance to the best row at which evidence ends. Measured. */
    aboveNoise: 0.15,
    /** Rows with this share of the best evidence are always shown. Measured. */
    surelyShown: 0.6,
  },

  candidates: {
    /**
     * Hits requested from each channel, enough for every step to reorder the best. Measured: 60 to 200 differ
     * by 1.4 points of R@20, and every candidate costs time.
     */
    depth: 150,
    /**
     * Rows loaded for steps that see content, or as many as requested. Measured: 30 to 60 differ by 0.4
     * points.
     */
    loaded: 40,
    /**
     * Characters of a row that steps with content read. Rows written by people are shorter; a row of ten MiB
     * would block the event loop for half a second. Not measured.
     */
    judged: 16_384,
    /** Surplus factor of requested rows, since no index filter has checked the neighbours of hits. */
    spareShare: 1.25,
    /** Maximum growth of requested rows from one authorisation round to the next. */
    maxGrowth: 4,
    /** Milliseconds a query waits for its vector before continuing with words alone. */
    embedMs: 2000,
  },

  /** Most rows added beside the ranking, in places that the limit leaves free. Not measured. */
  supplementary: {
    successors: 3,
    savedSummaries: 1,
    /** Passages of documents and sources. */
    passages: 3,
    /** Cards, values per card, and surest values of an entity to choose from. */
    cards: 2,
    cardValues: 4,
    looked: 12,
  },

  artifacts: {
    /** Chunks of artifacts loaded for steps that see content. Not measured. */
    loaded: 20,
    /**
     * Hits requested from each channel for chunks beside memories, of which at most three are returned.
     * Measured: of 3,117 questions of seven sets, with rows as chunks, 3,114 get the same first three as with
     * 150, and as many answer.
     */
    depth: 60,
  },

  summary: {
    /** Maximum length of each budget in UTF-16 units: about 250, 750 and 2,000 tokens. */
    characters: { small: 1000, medium: 3000, large: 8000 },
    /** Best rows read. Not measured. */
    rows: 30,
    /** Characters read of each row, and of each sentence. */
    rowCharacters: 1500,
    sentenceCharacters: 400,
    /**
     * Share of a row's evidence for a sentence without query words; the covered share of the query is added.
     */
    unasked: 0.5,
    /** Sentences that share this much of their words are repetitions. */
    sameShare: 0.6,
    /** Importance of a saved summary, 0 to 1: lower than that of its sources. */
    savedImportance: 0.3,
  },
} as const

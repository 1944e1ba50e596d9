/** Where the cost of a pass of Dreaming comes from: the provider's word, our rates, or nobody's. */
export const passCost = `
ALTER TABLE dream_passes ADD COLUMN cost_coverage TEXT;
`

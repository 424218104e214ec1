/**
 * Settings of every session, whatever the engine.
 *
 * @module
 */

/**
 * Statements are short and prepared once: compiling them to machine code, or planning them anew for each set of
 * parameters, costs more than it gives. A plan is kept for long, so it must not be one that only fits the small table
 * it was made on: every look-up has its index.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  jit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  // What a search finds among a million orders stays in memory, and so does where it is.
  work_mem: "16MB"
}

/**
 * Lists the settings of every session, on a server and on PGlite.
 *
 * @module
 */

/**
 * Statements are short and prepared once, so compiling them to machine code, or planning them for each set of parameters,
 * would cost more than it gains. Because plans are kept, a plan must not fit only the small table for which it was made:
 * every look-up has its index.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  jit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  // Enough to keep the rows that a search finds among a million orders, and their bitmap, in memory.
  work_mem: "16MB"
}

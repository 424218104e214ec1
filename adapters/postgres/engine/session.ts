/**
 * Settings of every session, on a server and on PGlite.
 *
 * @module
 */

/**
 * Statements are short and prepared once: compiling them to machine code, or planning them for each set of
 * parameters, costs more than it gains. A plan is kept, so it must not fit only the small table it was made on: every
 * look-up has its index.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  jit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  // The rows that a search finds among a million orders, and the bitmap of them, stay in memory.
  work_mem: "16MB"
}

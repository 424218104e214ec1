/**
 * Makes the retention job of every account due immediately, which then computes when it is due next: where all
 * content was erased, it was postponed to the oldest recipient's time, and content of emails accepted since was kept
 * beyond its retention.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `update jobs set run_at = least(run_at, now()), due_at = least(due_at, now())
    where queue = 'retention' and key = 'emails' and not leased`
]

/**
 * Retention of every account has its turn at once, and finds out when it is due next: where all content was erased, it
 * was put off to the oldest recipient's time, beyond which content of emails accepted since was kept.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `update jobs set run_at = least(run_at, now()), due_at = least(due_at, now())
    where queue = 'retention' and key = 'emails' and not leased`
]

/**
 * What a check of the doctor found.
 *
 * @module
 */

/** How bad it is: `warn` serves, but not as it should; `fail` does not. */
export type Severity = "ok" | "warn" | "fail"

/** One line of the doctor. */
export interface Finding {
  /** What was looked at, such as `store`. */
  readonly check: string
  readonly verdict: Severity
  /** What was found, without secrets. */
  readonly detail: string
  /** What to do; null where there is nothing to do. */
  readonly fix: string | null
}

/** Finds that all is well. */
export const ok = (check: string, detail: string): Finding => ({ check, verdict: "ok", detail, fix: null })

/** Finds what serves, but not as it should. */
export const warn = (check: string, detail: string, fix: string): Finding => ({
  check,
  verdict: "warn",
  detail,
  fix
})

/** Finds what does not serve. */
export const fail = (check: string, detail: string, fix: string): Finding => ({
  check,
  verdict: "fail",
  detail,
  fix
})

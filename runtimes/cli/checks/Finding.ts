/**
 * The findings of the doctor's checks.
 *
 * @module
 */

/** The severity: with `warn` the service works, but not as it should; with `fail` it does not work. */
export type Severity = "ok" | "warn" | "fail"

/** One line of the doctor's output. */
export interface Finding {
  /** The subject of the check, such as `store`. */
  readonly check: string
  readonly verdict: Severity
  /** What was found, without secrets. */
  readonly detail: string
  /** What to do; null if there is nothing to do. */
  readonly fix: string | null
}

/** A finding that everything is well. */
export const ok = (check: string, detail: string): Finding => ({ check, verdict: "ok", detail, fix: null })

/** A finding about something that works, but not as it should. */
export const warn = (check: string, detail: string, fix: string): Finding => ({
  check,
  verdict: "warn",
  detail,
  fix
})

/** A finding about something that does not work. */
export const fail = (check: string, detail: string, fix: string): Finding => ({
  check,
  verdict: "fail",
  detail,
  fix
})

/**
 * Calls that the service answers only after the user has done something: signed in again, or confirmed with a factor. A call
 * waits at its gate while the dialog is open, and is then repeated, so that nothing that was entered is lost.
 *
 * @module
 */
import type { ApiError } from "./errors.ts"

/** What a call waits for. */
export type Gate = "SignIn" | "Confirm"

/** An open gate: the dialog that is shown. */
export interface OpenGate {
  readonly gate: Gate
  /** The factors that confirm: `Passkey`, `Password`, `Totp`; empty for a sign-in, and for a user who signs in elsewhere. */
  readonly factors: ReadonlyArray<string>
  /** Closes the dialog: waiting calls are repeated, or fail as they did. */
  readonly close: (passed: boolean) => void
}

let open: (OpenGate & { readonly passed: Promise<boolean> }) | null = null
const listeners = new Set<() => void>()

const changed = (): void => {
  for (const listener of listeners) listener()
}

/** Subscribes to the open gate, for `useSyncExternalStore`. */
export const subscribeGate = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The gate that is open; null for none. */
export const openGate = (): OpenGate | null => open

/** The gate of a refusal; null where there is nothing that the user could do. */
export const gateOf = ({ code, status }: ApiError): Gate | null => {
  if (status === 401 && code === "auth.unauthorized") return "SignIn"
  return code === "users.confirmation_required" ? "Confirm" : null
}

/** Waits until the user has passed a gate; false where they closed its dialog. Calls that fail at once share one dialog. */
export const passGate = async (gate: Gate, error: ApiError): Promise<boolean> => {
  if (open !== null && open.gate !== gate) await open.passed
  if (open === null) {
    const factors = error.details["factors"]
    let resolve: (passed: boolean) => void = () => undefined
    const passed = new Promise<boolean>((done) => {
      resolve = done
    })
    open = {
      gate,
      factors: typeof factors === "string" && factors !== "" ? factors.split(",") : [],
      passed,
      close: (isPassed) => {
        open = null
        changed()
        resolve(isPassed)
      }
    }
    changed()
  }
  return open.passed
}

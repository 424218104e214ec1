/**
 * Gates: what the user must do before the service accepts a call, either sign in again or confirm with a factor. The call waits
 * while the gate's dialog is open and is repeated afterwards, so that nothing the user entered is lost.
 *
 * @module
 */
import type { ApiError } from "./errors.ts"

/** What the user must do. */
export type Gate = "SignIn" | "Confirm"

/** An open gate: the dialog that is shown. */
export interface OpenGate {
  readonly gate: Gate
  /**
   * The factors that confirm: `Passkey`, `Password`, `Totp`. Empty for a sign-in, and for a user who signs in at an identity
   * provider.
   */
  readonly factors: ReadonlyArray<string>
  /** Closes the dialog. Waiting calls are repeated if `passed`; otherwise they fail with their original error. */
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

/** The open gate; null if there is none. */
export const openGate = (): OpenGate | null => open

/** The gate for a rejected call; null if the user cannot do anything about the error. */
export const gateOf = ({ code, status }: ApiError): Gate | null => {
  if (status === 401 && code === "auth.unauthorized") return "SignIn"
  return code === "users.confirmation_required" ? "Confirm" : null
}

/**
 * Waits until the user passes the gate; returns false if they close its dialog. Calls that fail at the same time share one
 * dialog.
 */
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

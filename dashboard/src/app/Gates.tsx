/**
 * The dialogs at which calls wait: the session has ended, or the action needs a factor given just now. Afterwards the calls are
 * repeated, so that what was entered is not lost.
 *
 * @module
 */
import { lazy, Suspense, useSyncExternalStore } from "react"
import { openGate, subscribeGate } from "../api/gates.ts"

const SignInAgain = lazy(() =>
  import("./GateDialogs.tsx").then((module) => ({ default: module.SignInAgain }))
)
const ConfirmFactor = lazy(() =>
  import("./GateDialogs.tsx").then((module) => ({ default: module.ConfirmFactor }))
)

/** The dialog of the open gate. */
export const Gates = () => {
  const gate = useSyncExternalStore(subscribeGate, openGate)
  if (gate === null) return null
  return (
    <Suspense fallback={null}>
      {gate.gate === "SignIn" ? <SignInAgain gate={gate} /> : <ConfirmFactor gate={gate} />}
    </Suspense>
  )
}

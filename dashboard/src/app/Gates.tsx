/**
 * The dialogs for which calls wait: the session has ended, or the action requires a factor given just before it. Afterwards the
 * calls are repeated, so that nothing the user entered is lost.
 *
 * @module
 */
import { Suspense, useSyncExternalStore } from "react"
import { lazyPart } from "./newVersion.ts"
import { openGate, subscribeGate } from "../api/gates.ts"

const SignInAgain = lazyPart(() => import("./GateDialogs.tsx"), "SignInAgain")
const ConfirmFactor = lazyPart(() => import("./GateDialogs.tsx"), "ConfirmFactor")

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

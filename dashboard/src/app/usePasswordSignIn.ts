/**
 * Signs in with password and code. The sign-in page and the dialog for an expired session share this state.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../api/call.ts"
import { ApiError } from "../api/errors.ts"
import { useReader } from "./reader.tsx"

/** The values and errors of the form, and `submit`. `onDone` runs once the cookie is set. */
export const usePasswordSignIn = (onDone: () => void) => {
  const { format, texts } = useReader()
  const [password, setPassword] = useState("")
  const [code, setCode] = useState("")
  const [needsCode, setNeedsCode] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const textOf = (failed: unknown): string => {
    if (!(failed instanceof ApiError) || failed.status === 0) return texts.errors.unreachable
    if (failed.status === 401) return texts.signIn.failed
    if (failed.status !== 429 || failed.retryAfterSeconds === null) return failed.message
    const now = new Date()
    return texts.signIn.waits(
      format.relative(new Date(now.getTime() + failed.retryAfterSeconds * 1_000), now)
    )
  }

  const submit = (email: string): void => {
    setBusy(true)
    setError(null)
    const body = { email: email.trim(), password, ...(needsCode ? { code: code.trim() } : {}) }
    call("POST /session/password", { body }, { asks: false })
      .then(({ needs }) => {
        if (needs === "Code") {
          setNeedsCode(true)
          return
        }
        setPassword("")
        setCode("")
        onDone()
      })
      .catch((failed: unknown) => setError(textOf(failed)))
      .finally(() => setBusy(false))
  }

  return { code, error, isBusy, needsCode, password, setCode, setPassword, submit }
}

/**
 * Signs in with a passkey, after a click on a button or from the suggestions of the address field.
 *
 * @module
 */
import { useEffect, useRef, useState } from "react"
import { call } from "../api/call.ts"
import { ApiError } from "../api/errors.ts"
import { canOfferPasskeys, hasPasskeys, signByPasskey } from "./passkeys.ts"
import { useTexts } from "./reader.tsx"

/** How often the offer gets a new challenge, in milliseconds, before the old one expires. */
const offerMillis = 240_000

/** Signs in; false if the user declined. With a signal, it waits until the user picks a passkey from a field's suggestions. */
const sign = async (offer?: AbortSignal): Promise<boolean> => {
  const options = await call("POST /session/passkey/options", {}, { asks: false, signal: offer })
  const answer = await signByPasskey(options, offer)
  if (answer === null) return false
  await call("POST /session/passkey", { body: answer }, { asks: false })
  return true
}

/** The state of a passkey sign-in. `onDone` runs once the cookie is set. */
export const usePasskeySignIn = (onDone: () => void) => {
  const { errors, signIn: texts } = useTexts()
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const latest = useRef(onDone)
  useEffect(() => {
    latest.current = onDone
  })
  useEffect(() => {
    // The browser handles one request at a time: the button's, or the offer.
    if (isBusy) return undefined
    let made = new AbortController()
    const begin = async () => {
      const { signal } = made
      if (!(await canOfferPasskeys()) || signal.aborted) return
      // An offer may fail silently, because the button shows the reason.
      if (await sign(signal).catch(() => false)) latest.current()
    }
    void begin()
    const timer = setInterval(() => {
      made.abort()
      made = new AbortController()
      void begin()
    }, offerMillis)
    return () => {
      clearInterval(timer)
      made.abort()
    }
  }, [isBusy])

  const submit = (): void => {
    setBusy(true)
    setError(null)
    sign()
      .then((isDone) => isDone && latest.current())
      .catch((failed: unknown) => {
        if (!(failed instanceof ApiError)) throw failed
        if (failed.status === 0) setError(errors.unreachable)
        else setError(failed.status === 401 ? texts.passkeyFailed : failed.message)
      })
      .finally(() => setBusy(false))
  }

  return { error, has: hasPasskeys(), isBusy, submit }
}
